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

/** Makes `virtual:on-demand` of on-demand.ts, and the others alike. */
const onDemandPlugin: Plugin = {
  name: "on-demand",
  setup(host) {
    const namespace = "virtual";
    host.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path: path.slice(8), namespace }));
    host.onLoad({ filter: /.*/, namespace }, async ({ path }) => ({
      contents: await onDemandModule(path),
      resolveDir: scenariosFolder,
    }));
  },
};

/**
 * Code loaded on demand, as the body of one function: an ES module would create its functions in every
 * virtual user. Written by hand, because esbuild's wrappers for `require` would cost each thirty functions.
 */
async function onDemandModule(name: string): Promise<string> {
  const text = await madeOnce(name, () =>
    bundledText({
      entryPoints: [join(scenariosFolder, `${name}.ts`)],
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
    "export function load() {",
    "  if (loaded !== undefined) return loaded;",
    `  const ofK6 = { ${names.map((name, place) => `"${k6Mark}${name}": k6Export${place}`)} };`,
    "  const module = { exports: {} };",
    `  ((module, exports, require) => {\n${text}\n})(module, module.exports, (name) => ofK6[name]);`,
    "  loaded = module.exports;",
    "  return loaded;",
    "}",
  ].join("\n");
}

const made = new Map<string, Promise<string>>();

/** Makes each text once in a process, because it depends only on the sources. */
function madeOnce(name: string, make: () => Promise<string>): Promise<string> {
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
      const module = await bundledText({
        entryPoints: [join(scenariosFolder, `${name}.ts`)],
        format: "esm",
        plugins: [unusedModulesPlugin, k6OncePlugin, onDemandPlugin],
      });
      return inOneFunction(module);
    } finally {
      // No process of esbuild stays: Ctrl-C at a terminal would end it, and no report could be bundled then.
      running -= 1;
      if (running === 0) await stop();
    }
  });
  // Written here, because esbuild reports a full disk without an error code.
  await writeFile(outfile, text);
}

/** A module keeps all its functions in every virtual user, a function only those that are used later. */
function inOneFunction(module: string): string {
  const imports = /^import .*\n/gm;
  const [, body = "", exported = ""] = /^(.*)export \{(.*)\};\n$/s.exec(module.replace(imports, "")) ?? [];
  const names = [...new Set(exported.matchAll(/(\w+)(?: as \w+)?,?\n/g).map(([, name]) => name))].join(", ");
  const lines = [...(module.match(imports) ?? [])];
  lines.push(
    `const { ${names} } = (() => {\n${body}return { ${names} };\n})();\n`,
    `export {${exported}};\n`,
  );
  return lines.join("");
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
