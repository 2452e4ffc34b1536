import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { profiles } from "../../scenarios/profiles.ts";
import { renderValidators } from "./validators.ts";

export type BundleName = "lookup" | "paging" | "batch" | "mixed" | "rate-limit";

const scenariosFolder = fileURLToPath(new URL("../../scenarios/", import.meta.url));

const validatorsPlugin: Plugin = {
  name: "validators",
  setup(host) {
    host.onResolve({ filter: /^virtual:validators$/ }, ({ path }) => ({ path, namespace: "validators" }));
    host.onLoad({ filter: /.*/, namespace: "validators" }, () => ({
      contents: renderValidators(),
      resolveDir: scenariosFolder,
    }));
  },
};

const profilesPlugin: Plugin = {
  name: "profiles",
  setup(host) {
    host.onResolve({ filter: /^virtual:profiles$/ }, ({ path }) => ({ path, namespace: "profiles" }));
    host.onLoad({ filter: /.*/, namespace: "profiles" }, () => ({
      contents: `export const profilesText = ${JSON.stringify(JSON.stringify(profiles))};`,
    }));
  },
};

/**
 * Bundles a scenario into one self-contained file, `<outDir>/<name>.js`, that plain `k6 run` takes.
 * Returns its path. The text depends on nothing but the sources.
 */
export async function bundleScenario(name: BundleName, outDir: string): Promise<string> {
  await mkdir(outDir, { recursive: true });
  const outfile = join(outDir, `${name}.js`);
  await build({
    entryPoints: [join(scenariosFolder, `${name}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2020",
    external: ["k6", "k6/*"],
    plugins: [validatorsPlugin, profilesPlugin],
    logLevel: "silent",
  });
  return outfile;
}
