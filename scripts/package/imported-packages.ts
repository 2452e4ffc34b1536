import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Modules that bundle sources. The package has the bundles, and never gets to these. */
const onlyInCheckout = ["scripts/load/bundle/from-sources.js", "scripts/report/html/bundle-page.js"];

/** Names of the packages that a folder's JavaScript imports, sorted; without Node's own. */
export async function importedPackages(dist: string): Promise<string[]> {
  const files = (await readdir(dist, { recursive: true })).filter(
    (file) => file.endsWith(".js") && !file.startsWith("bundles/") && !onlyInCheckout.includes(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(dist, file), "utf8")));
  return [...new Set(texts.flatMap(packagesIn))].toSorted();
}

// As the compiler writes imports: `from "…"` ends a line, or `import "…"` is one, or `import("…")` stands anywhere.
function packagesIn(text: string): string[] {
  const forms = /^(?:import|export|\}).* from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm;
  return [...text.matchAll(forms)].flatMap(([, from, effect, dynamic]) => {
    const specifier = from ?? effect ?? dynamic ?? "";
    if (specifier.startsWith(".") || specifier.startsWith("node:")) return [];
    const [scope = "", name] = specifier.split("/");
    return [scope.startsWith("@") ? `${scope}/${name}` : scope];
  });
}
