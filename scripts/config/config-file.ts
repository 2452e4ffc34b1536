import { existsSync, readFileSync, statSync } from "node:fs";
import { type ResolveHookSync, registerHooks } from "node:module";
import { basename, dirname, extname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Config } from "../../schemas/contracts/config.ts";
import { isObject } from "../../schemas/json.ts";
import { UsageError } from "../errors.ts";
import { removed } from "../removed.ts";

/** Names of the config file, in the order in which they are tried. */
export const configNames = ["ts", "mts", "js", "mjs"].map((type) => `shelfcheck.config.${type}`);

/** A configuration with its file. Without a file, the configuration is empty. */
interface LoadedConfig {
  readonly config: Config;
  /** Path of the file as in `--config`, or its name, for messages. */
  readonly file?: string;
}

/**
 * Reads the file of `--config`, or else the config file in the working directory.
 * @throws UsageError when the file is missing, fails to run, has no default export, does not fit its schema,
 * or has wrong waivers; and for what earlier versions kept in a folder beside it.
 */
export async function loadConfig(flag: string | undefined, cwd: string): Promise<LoadedConfig> {
  const file = flag ?? configNames.find((name) => existsSync(resolve(cwd, name)));
  if (file === undefined) {
    refuseOldBaseline({}, file, cwd);
    return { config: {} };
  }
  const path = resolve(cwd, file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new UsageError({
      what: `The configuration file ${existsSync(path) ? "is not a regular file" : "does not exist"}`,
      where: `--config ${file}`,
      fix: `Correct the path, or omit --config to use ${configNames[0]} in the current folder.`,
    });
  }
  const exported = await importFile(path, file);
  // Without `import` and `export`, it may be read as CommonJS: an empty `module.exports` is its default then.
  const { "module.exports": ofCommonJs } = exported;
  const exportsNothing = isObject(ofCommonJs) && Object.keys(ofCommonJs).length === 0;
  if (!("default" in exported) || exportsNothing) {
    throw new UsageError({
      what: "The configuration file has no default export",
      where: file,
      fix: "Expected export default defineConfig({ targets: { … } })",
    });
  }
  refuseOldBaseline(exported.default, file, cwd);
  // Imported late, because it loads ajv.
  const { requireKnownWaivers, validateConfig } = await import("./validate-config.ts");
  const config = validateConfig(exported.default, file);
  if (config.waivers !== undefined) await requireKnownWaivers(config.waivers, file);
  return { config, file };
}

const longestImportSeconds = 10;

async function importFile(path: string, file: string): Promise<Record<string, unknown>> {
  const hooks = registerHooks({ resolve: resolveForConfig });
  const ended = new AbortController();
  // A top-level await that never settles would hang, or end the process with exit code 13 and no message.
  const late = setTimeout(longestImportSeconds * 1000, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`It did not finish within ${longestImportSeconds} s.`);
  });
  try {
    return await Promise.race([import(pathToFileURL(path).href), late]);
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: "" };
    const [, line] = stack?.match(`${basename(path)}:(\\d+)`) ?? [];
    const fix = `${line === undefined ? "" : `Line ${line}: `}${message.split("\n")[0] ?? ""}`;
    const what = "The configuration file failed to run";
    throw new UsageError({ what, where: file, fix }, { cause: error });
  } finally {
    ended.abort();
    hooks.deregister();
  }
}

/**
 * Resolves `shelfcheck` for a config file where it is not installed, as with npx or in a checkout. In a package
 * of `"type": "commonjs"`, which `npm init` writes, Node would refuse `import` in a .ts file.
 */
const resolveForConfig: ResolveHookSync = (specifier, context, nextResolve) => {
  try {
    const found = nextResolve(specifier, context);
    return found.format === "commonjs-typescript" ? { ...found, format: "module-typescript" } : found;
  } catch (error) {
    if (specifier !== "shelfcheck") throw error;
    return nextResolve(import.meta.resolve(`../api/index${extname(import.meta.filename)}`), context);
  }
};

/**
 * Refuses the folder of waivers and recorded contracts of earlier versions, and the setting that named it.
 * @throws UsageError with the entries to paste into the config, as far as the folder has waivers.
 */
function refuseOldBaseline(config: unknown, file: string | undefined, cwd: string): void {
  const setting = isObject(config) ? config.baseline : undefined;
  const name = typeof setting === "string" ? setting : "shelfcheck-baseline";
  const shown = join(dirname(file ?? "."), name);
  const isThere = existsSync(resolve(cwd, shown));
  if (setting === undefined && !isThere) return;
  const waivers = resolve(cwd, shown, "waivers.yaml");
  const entries = existsSync(waivers) ? entriesIn(readFileSync(waivers, "utf8")) : [];
  throw new UsageError({
    what: "This was removed",
    where: setting === undefined ? shown : `${file}, baseline`,
    fix: [
      removed.config.baseline,
      ...(isThere ? [`Then remove the folder ${shown}.`] : []),
      ...(entries.length === 0 ? [] : ["Its waivers:", "  waivers: [", ...entries, "  ],"]),
    ].join("\n"),
  });
}

/** Each waiver of a file as an entry of the config; what is not on one line is left to the user. */
function entriesIn(yaml: string): string[] {
  return yaml.split(/^\s*-\s(?=.*\w+:)/m).flatMap((entry) => {
    const end = entry.includes("{") ? ",}\n" : "\n";
    const [id = "", ...others] = ["id", "reason", "owner", "ticket", "expires"].map((key) => {
      const [, text = ""] = new RegExp(`(?:^|[\\s{,])${key}:[ \\t]*([^${end}]*)`).exec(entry) ?? [];
      return `${key}: ${JSON.stringify(text.trim().replaceAll(/^(["'])(.*)\1$/g, "$2"))}`;
    });
    // Limits of load had waivers, too.
    return /^id: "(|load\..*)"$/.test(id) ? [] : [`    { ${[id, ...others].join(", ")} },`];
  });
}
