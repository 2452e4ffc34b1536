import { existsSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ScenarioId } from "../../../schemas/scenarios.ts";

/** Where `npm run build` leaves the bundles of the package. A checkout has no such folder. */
const builtFolder = fileURLToPath(new URL("../../../bundles/", import.meta.url));

/**
 * Puts a scenario as one self-contained file, `<outDir>/<name>.js`, that plain `k6 run` takes. Returns its path.
 * A checkout bundles its sources; the package has the same text ready, and so needs no bundler.
 */
export async function bundleScenario(name: ScenarioId, outDir: string): Promise<string> {
  await mkdir(outDir, { recursive: true });
  const outfile = join(outDir, `${name}.js`);
  const built = join(builtFolder, `${name}.js`);
  if (existsSync(built)) await copyFile(built, outfile);
  else await (await import("./from-sources.ts")).bundleFromSources(name, outfile);
  return outfile;
}
