import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin, stop } from "esbuild";
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

/** Exports of k6's modules that code loaded on demand imports by name. */
const namedOfK6: Readonly<Record<string, readonly string[]>> = {
  k6: ["sleep"],
  "k6/metrics": ["Counter", "Trend"],
};

/** The beginning of the names under which code loaded on demand requires k6's modules. */
const k6Mark = "imported-by-script:";

/**
 * Gives code that is loaded on demand the modules of k6 which the script imports at its start, since `require` of k6 itself
 * fails in an iteration. Every export is named: to copy all of `k6/execution` would read properties that throw before the
 * first iteration.
 */
const k6OnDemandPlugin: Plugin = {
  name: "k6-on-demand",
  setup(host) {
    host.onResolve({ filter: /^k6(\/|$)/ }, ({ path }) => ({ path, namespace: "k6-on-demand" }));
    host.onLoad({ filter: /.*/, namespace: "k6-on-demand" }, ({ path }) => ({
      contents: [
        `const imported = require("${k6Mark}${path}");`,
        "export default imported;",
        ...(namedOfK6[path] ?? []).map((name) => `export const ${name} = imported.${name};`),
      ].join("\n"),
    }));
    host.onResolve({ filter: new RegExp(`^${k6Mark}`) }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * Lets esbuild drop modules of which nothing is used: their constants would be created in every virtual user.
 */
const unusedModulesPlugin: Plugin = {
  name: "unused-modules",
  setup(host) {
    host.onResolve({ filter: /^\.\.?\//, namespace: "file" }, ({ path, resolveDir, kind }) =>
      kind === "import-statement" ? { path: join(resolveDir, path), sideEffects: false } : undefined,
    );
  },
};

/**
 * Bundles the code that is loaded on demand into the body of one function. As an ES module, its functions would be created
 * in every virtual user. The function is written by hand, because esbuild's own wrappers for `require` would cost every
 * virtual user thirty functions.
 */
const onDemandPlugin: Plugin = {
  name: "on-demand",
  setup(host) {
    host.onResolve({ filter: /^virtual:on-demand$/ }, ({ path }) => ({ path, namespace: "on-demand" }));
    host.onLoad({ filter: /.*/, namespace: "on-demand" }, async () => {
      const text = await bundledText({
        entryPoints: [join(scenariosFolder, "lib", "on-demand.ts")],
        format: "cjs",
        plugins: [validatorsPlugin, profilesPlugin, k6OnDemandPlugin],
      });
      const required = text.matchAll(new RegExp(`"${k6Mark}([^"]+)"`, "g"));
      const modules = [...new Set([...required].map(([, name = ""]) => name))];
      return {
        contents: [
          ...modules.map((name, place) => `import k6Module${place} from "${name}";`),
          "let loaded;",
          "export function onDemand() {",
          "  if (loaded !== undefined) return loaded;",
          `  const modules = { ${modules.map((name, place) => `"${k6Mark}${name}": k6Module${place}`)} };`,
          "  const module = { exports: {} };",
          `  ((module, exports, require) => {\n${text}\n})(module, module.exports, (name) => modules[name]);`,
          "  loaded = module.exports;",
          "  return loaded;",
          "}",
        ].join("\n"),
        resolveDir: scenariosFolder,
      };
    });
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
  const text = await bundledText({
    entryPoints: [join(scenariosFolder, `${name}.ts`)],
    format: "esm",
    plugins: [unusedModulesPlugin, validatorsPlugin, profilesPlugin, onDemandPlugin],
  });
  return text.replaceAll("@digest-of-the-script@", createHash("sha256").update(text).digest("hex"));
}

async function bundledText(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    outfile: "bundle.js",
    write: false,
    bundle: true,
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2020",
    external: ["k6", "k6/*"],
    logLevel: "silent",
  });
  const [file] = outputFiles ?? [];
  if (file === undefined) throw new Error(`esbuild made no bundle of ${options.entryPoints}`);
  return file.text;
}
