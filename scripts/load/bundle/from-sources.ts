import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin, stop } from "esbuild";
import type { ScenarioId } from "../../../schemas/scenarios.ts";

const scenariosFolder = fileURLToPath(new URL("../../../scenarios/", import.meta.url));

/** What the scripts import of k6's modules by name; of the others it is the default. */
const namedOfK6: Readonly<Record<string, readonly string[]>> = {
  k6: ["sleep"],
  "k6/data": ["SharedArray"],
  "k6/metrics": ["Counter", "Gauge", "Rate", "Trend"],
  "k6/timers": ["setTimeout"],
};

/** Begins the names by which code loaded on demand requires exports of k6's modules, such as `k6#sleep`. */
const k6Mark = "imported-by-script:";

/** Replaces each module of k6 by one of these lines, one for each name, of which k6's own is a part. */
function k6Plugin(lineOf: (module: string, name: string) => string): Plugin {
  const name = "k6";
  return {
    name,
    setup(host) {
      host.onResolve({ filter: new RegExp(`^(k6(/|$)|${k6Mark})`) }, ({ path, namespace }) =>
        namespace === name ? { path, external: true } : { path, namespace: name, sideEffects: false },
      );
      host.onLoad({ filter: /.*/, namespace: name }, ({ path }) => ({
        contents: (namedOfK6[path] ?? ["default"]).map((one) => lineOf(path, one)).join("\n"),
      }));
    },
  };
}

/** One import of each name of k6 for all modules: every further one takes memory in each virtual user. */
const k6OncePlugin = k6Plugin((module, name) => `export { ${name} } from "${module}";`);

/** Gives code loaded on demand what the script imported of k6: `require` of k6 fails in an iteration. */
const k6OnDemandPlugin = k6Plugin(
  (module, name) =>
    `const k6_${name} = /* @__PURE__ */ require("${k6Mark}${module}#${name}"); export { k6_${name} as ${name} };`,
);

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

/** Makes `virtual:on-demand` of on-demand.ts. */
const onDemandPlugin: Plugin = {
  name: "on-demand",
  setup(host) {
    const namespace = "on-demand";
    host.onResolve({ filter: /^virtual:on-demand$/ }, ({ path }) => ({ path, namespace }));
    host.onLoad({ filter: /.*/, namespace }, async () => ({
      contents: await onDemandModule(),
      resolveDir: scenariosFolder,
    }));
  },
};

/**
 * Code loaded on demand, as the body of one function: an ES module would create its functions in every
 * virtual user. Written by hand, because esbuild's wrappers for `require` would cost each thirty functions.
 */
async function onDemandModule(): Promise<string> {
  const text = await madeOnce("on demand", () =>
    bundledText({
      entryPoints: [join(scenariosFolder, "on-demand.ts")],
      format: "cjs",
      plugins: [k6OnDemandPlugin],
    }),
  );
  const required = text.matchAll(new RegExp(`"${k6Mark}([^"]+)"`, "g"));
  const names = [...new Set([...required].map(([, name = ""]) => name))];
  return [
    ...names.map((name, place) => {
      const [module, exported] = name.split("#");
      return `import { ${exported} as k6Export${place} } from "${module}";`;
    }),
    "let loaded;",
    "export function onDemand() {",
    "  if (loaded !== undefined) return loaded;",
    `  const ofK6 = { ${names.map((name, place) => `"${k6Mark}${name}": k6Export${place}`)} };`,
    "  const module = { exports: {} };",
    `  ((module, exports, require) => {\n${text}\n})(module, module.exports, (name) => ofK6[name]);`,
    "  loaded = module.exports;",
    "  return loaded;",
    "}",
  ].join("\n");
}

const made = new Map<ScenarioId | "on demand", Promise<string>>();

/** Makes each text once in a process, because it depends only on the sources. */
function madeOnce(name: ScenarioId | "on demand", make: () => Promise<string>): Promise<string> {
  const text = made.get(name) ?? make();
  made.set(name, text);
  return text;
}

let running = 0;

/** Bundles a scenario with esbuild, which only a checkout has. */
export async function bundleFromSources(name: ScenarioId, outfile: string): Promise<void> {
  const text = await madeOnce(name, async () => {
    running += 1;
    try {
      return await bundledText({
        entryPoints: [join(scenariosFolder, `${name}.ts`)],
        format: "esm",
        plugins: [unusedModulesPlugin, k6OncePlugin, onDemandPlugin],
      });
    } finally {
      // No process of esbuild stays: Ctrl-C at a terminal would end it, and no report could be bundled then.
      running -= 1;
      if (running === 0) await stop();
    }
  });
  // Written here, because esbuild reports a full disk without an error code.
  await writeFile(outfile, text);
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
