import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { profiles } from "../../../scenarios/profiles.ts";
import type { ScenarioId } from "../../../schemas/scenarios.ts";
import { renderValidators } from "./validators.ts";

const scenariosFolder = fileURLToPath(new URL("../../../scenarios/", import.meta.url));

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

/** Bundles a scenario with esbuild, which only a checkout has. The text depends on nothing but the sources. */
export async function bundleFromSources(name: ScenarioId, outfile: string): Promise<void> {
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
}
