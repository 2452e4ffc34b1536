import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Modules that bundle sources. The package contains the bundles and never loads these modules. */
const onlyInCheckout = ["scripts/load/bundle/from-sources.js", "scripts/report/html/bundle-page.js"];

/** Sorted names of the packages that a folder's JavaScript imports, without Node's own modules. */
export async function importedPackages(dist: string): Promise<string[]> {
  const files = (await readdir(dist, { recursive: true })).filter(
    (file) => file.endsWith(".js") && !file.startsWith("bundles/") && !onlyInCheckout.includes(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(dist, file), "utf8")));
  return [...new Set(texts.flatMap(packagesIn))].toSorted();
}

// Imports as the compiler writes them: `from "…"` at the end of a line, `import "…"`, or `import("…")` anywhere.
function packagesIn(text: string): string[] {
  const forms = /^(?:import|export|\}).* from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm;
  return [...text.matchAll(forms)].flatMap(([, from, effect, dynamic]) => {
    const specifier = from ?? effect ?? dynamic ?? "";
    if (specifier.startsWith(".") || specifier.startsWith("node:")) return [];
    const [scope = "", name] = specifier.split("/");
    return [scope.startsWith("@") ? `${scope}/${name}` : scope];
  });
}
