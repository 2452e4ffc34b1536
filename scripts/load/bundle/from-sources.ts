import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin, stop } from "esbuild";
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

let underWay = 0;

/**
 * Bundles a scenario with esbuild, which only a checkout has. The text depends on nothing but the sources.
 * No process of esbuild stays: Ctrl-C at a terminal would end it, and no report could be bundled after that.
 */
export async function bundleFromSources(name: ScenarioId, outfile: string): Promise<void> {
  underWay += 1;
  try {
    await bundle(name, outfile);
  } finally {
    underWay -= 1;
    if (underWay === 0) await stop();
  }
}

async function bundle(name: ScenarioId, outfile: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(scenariosFolder, `${name}.ts`)],
    outfile,
    // By us: what esbuild says of a full disk is a sentence without a code.
    write: false,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2020",
    external: ["k6", "k6/*"],
    plugins: [validatorsPlugin, profilesPlugin],
    logLevel: "silent",
  });
  for (const { path, text } of outputFiles) {
    await writeFile(
      path,
      text.replaceAll("@digest-of-the-script@", createHash("sha256").update(text).digest("hex")),
    );
  }
}
