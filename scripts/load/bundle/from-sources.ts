import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin, stop } from "esbuild";
import type { ScenarioId } from "../../../schemas/scenarios.ts";

const scenariosFolder = fileURLToPath(new URL("../../../scenarios/", import.meta.url));

/** What the scripts import of k6's modules by name; of the others it is the default. */
const namedOfK6: Readonly<Record<string, readonly string[]>> = {
  k6: ["sleep"],
  "k6/data": ["SharedArray"],
  "k6/metrics": ["Counter", "Gauge", "Rate", "Trend"],
  "k6/timers": ["setTimeout"],
};

/** One import of each name of k6 for all modules: every further one takes memory in each virtual user. */
const k6OncePlugin: Plugin = {
  name: "k6",
  setup(host) {
    const namespace = "k6";
    host.onResolve({ filter: /^k6(\/|$)/ }, ({ path, namespace: importer }) =>
      importer === namespace ? { path, external: true } : { path, namespace, sideEffects: false },
    );
    host.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: (namedOfK6[path] ?? ["default"]).map((one) => `export { ${one} } from "${path}";`).join("\n"),
    }));
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

/** Code loaded on demand, as the body of one function that the first call evaluates. */
async function onDemandModule(name: string): Promise<string> {
  const { imports, body, exported } = await bundled(name);
  const fields = exported.replace(/(\w+) as (\w+)/g, "$2: $1");
  return [
    imports,
    "let loaded;",
    "export function load() {",
    `  loaded ??= (() => {\n${body}return {${fields}};\n})();`,
    "  return loaded;",
    "}",
  ].join("\n");
}

let running = 0;

/**
 * Bundles a scenario with esbuild, which only a checkout has. Its body is in one function: a module keeps all
 * its functions in every virtual user, a function only those that are used later.
 */
export async function bundleFromSources(name: ScenarioId, outfile: string): Promise<void> {
  running += 1;
  const { imports, body, exported } = await bundled(name, [onDemandPlugin]).finally(async () => {
    // No process of esbuild stays: Ctrl-C at a terminal would end it, and no report could be bundled then.
    running -= 1;
    if (running === 0) await stop();
  });
  const names = [...new Set(exported.matchAll(/(\w+)(?: as \w+)?,?\n/g).map(([, local]) => local))].join(
    ", ",
  );
  const script = `const { ${names} } = (() => {\n${body}return { ${names} };\n})();\nexport {${exported}};\n`;
  // Written here, because esbuild reports a full disk without an error code.
  await writeFile(outfile, imports + script);
}

/** The text of a module with everything that it imports, except for k6. */
interface Bundled {
  readonly imports: string;
  readonly body: string;
  /** What it exports, such as `first,\n second as default\n`. */
  readonly exported: string;
}

/** Bundles a file of the folder of the scenarios. */
async function bundled(name: string, plugins: readonly Plugin[] = []): Promise<Bundled> {
  const { outputFiles } = await build({
    entryPoints: [join(scenariosFolder, `${name}.ts`)],
    plugins: [unusedModulesPlugin, k6OncePlugin, ...plugins],
    outfile: "bundle.js",
    write: false,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2020",
    external: ["k6", "k6/*"],
    logLevel: "silent",
  });
  const text = outputFiles[0]?.text ?? "";
  const imports = /^import .*\n/gm;
  const [, body, exported] = /^(.*)export \{(.*)\};\n$/s.exec(text.replace(imports, "")) ?? [];
  if (body === undefined || exported === undefined) throw new Error(`esbuild made no module of ${name}`);
  return { imports: text.match(imports)?.join("") ?? "", body, exported };
}
