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

let running = 0;
const texts = new Map<ScenarioId, Promise<string>>();

/**
 * Bundles a scenario with esbuild, which only a checkout has. The result depends only on the sources, so a process bundles
 * each scenario once.
 */
export async function bundleFromSources(name: ScenarioId, outfile: string): Promise<void> {
  let text = texts.get(name);
  if (text === undefined) {
    text = bundleAndStop(name);
    texts.set(name, text);
    // Do not keep a failed attempt.
    text.catch(() => texts.delete(name));
  }
  // Written here, because esbuild reports a full disk without an error code.
  await writeFile(outfile, await text);
}

/** No process of esbuild stays: Ctrl-C at a terminal would end it, and no report could be bundled after that. */
async function bundleAndStop(name: ScenarioId): Promise<string> {
  running += 1;
  try {
    return await bundle(name);
  } finally {
    running -= 1;
    if (running === 0) await stop();
  }
}

async function bundle(name: ScenarioId): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(scenariosFolder, `${name}.ts`)],
    outfile: `${name}.js`,
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
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`esbuild made no bundle of ${name}`);
  const { text } = file;
  return text.replaceAll("@digest-of-the-script@", createHash("sha256").update(text).digest("hex"));
}
