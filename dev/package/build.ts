import { spawnSync } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import packageJson from "../../package.json" with { type: "json" };
import { scenarioIds } from "../../schemas/scenarios.ts";
import { bundleFromSources } from "../../scripts/load/bundle/from-sources.ts";
import { bundlePage } from "../../scripts/report/writers/bundle-page.ts";

// `npm run build`, also run before `npm pack`. The package needs JavaScript: Node strips no types under node_modules.
//
//     dist/{schemas,conformance,scenarios,service,scripts}   the modules that the command needs, as JavaScript
//     dist/proof/found.snapshot.txt                          what each fault makes fail
//     dist/bundles                                           scenarios and report page, so that no bundler is needed
//
// The result is renamed to dist at the end, so that a failed build leaves no incomplete package.

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "dist");
const unfinished = join(root, "dist.unfinished");

function tsc(...args: readonly string[]): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, ...args, "--outDir", unfinished], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0)
    throw new Error(`tsc ${args.join(" ")} ended with exit code ${status}: fix the errors it printed.`);
}

/** The licence of the package whose code is in the bundles. */
async function licenceOfBundled(): Promise<string> {
  return `fflate\n\n${await readFile(join(root, "node_modules/fflate/LICENSE"), "utf8")}`;
}

/** Deletes declarations that those of a module do not import: tsc writes those of late imports too. */
async function keepDeclarationsOf(module: string): Promise<void> {
  const kept = new Set<string>();
  const queue = [join(unfinished, module.replace(".ts", ".d.ts"))];
  for (const path of queue) {
    if (kept.has(path)) continue;
    kept.add(path);
    const text = await readFile(path, "utf8");
    for (const [, name = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g)) {
      queue.push(join(dirname(path), `${name}.d.ts`));
    }
  }
  const files = await readdir(unfinished, { recursive: true });
  const all = files.filter((file) => file.endsWith(".d.ts")).map((file) => join(unfinished, file));
  await Promise.all(all.filter((path) => !kept.has(path)).map((path) => rm(path)));
}

await rm(unfinished, { recursive: true, force: true });
tsc("-p", "tsconfig.build.json");
// Declarations only for the exports of the package.
const entry = "scripts/api/index.ts";
const declarations = ["--declaration", "--emitDeclarationOnly", "--rootDir", "."];
// Without exact optional properties, each optional finding would be written out as a union of all codes.
const settings = [
  "--ignoreConfig",
  "--exactOptionalPropertyTypes",
  ...["--module", "nodenext", "--allowImportingTsExtensions"],
];
tsc(entry, ...settings, ...declarations, "--noCheck");
await keepDeclarationsOf(entry);
await copyFile(join(root, "proof/found.snapshot.txt"), join(unfinished, "proof/found.snapshot.txt"));
await mkdir(join(unfinished, "bundles"));
for (const name of scenarioIds) {
  const bundle = join(unfinished, "bundles", `${name}.js`);
  await bundleFromSources(name, bundle);
  await writeFile(`${bundle}.br`, brotliCompressSync(await readFile(bundle)));
  await rm(bundle);
}
const { script, style } = await bundlePage();
await writeFile(join(unfinished, "bundles", "page.js"), script);
await writeFile(join(unfinished, "bundles", "page.css"), style);
await writeFile(join(unfinished, "bundles", "LICENSES.txt"), await licenceOfBundled());
// Replaces the copy that tsc makes, whose scripts and paths do not apply here.
const { name, version, type, engines } = packageJson;
await writeFile(join(unfinished, "package.json"), JSON.stringify({ name, version, type, engines }));
await rm(dist, { recursive: true, force: true });
await rename(unfinished, dist);
