import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import type { ScenarioId } from "../../../schemas/scenarios.ts";

/** Folder of the bundles in the package, written by `npm run build`. A checkout does not have it. */
const builtFolder = fileURLToPath(new URL("../../../bundles/", import.meta.url));

/**
 * Writes a scenario as one file, `<outDir>/<name>.js`, for plain `k6 run`, and returns its path. A checkout
 * bundles its sources; the package contains the bundles, compressed with Brotli, and needs no bundler.
 */
export async function bundleScenario(name: ScenarioId, outDir: string): Promise<string> {
  await mkdir(outDir, { recursive: true });
  const outfile = join(outDir, `${name}.js`);
  const built = join(builtFolder, `${name}.js.br`);
  if (existsSync(built)) await writeFile(outfile, brotliDecompressSync(await readFile(built)));
  else await (await import("./from-sources.ts")).bundleFromSources(name, outfile);
  return outfile;
}
