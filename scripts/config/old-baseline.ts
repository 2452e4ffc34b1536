import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isObject } from "../../schemas/json.ts";
import { UsageError } from "../errors.ts";
import { removed } from "../removed.ts";

/**
 * Refuses the folder of waivers and recorded contracts that earlier versions read, and the setting that named it.
 *
 * @param file The config file as the user named it; undefined without one.
 * @throws UsageError with the entries to paste into the config, as far as the folder has waivers.
 */
export function refuseOldBaseline(config: unknown, file: string | undefined, cwd: string): void {
  const setting = isObject(config) ? config.baseline : undefined;
  const name = typeof setting === "string" ? setting : "shelfcheck-baseline";
  const shown = join(dirname(file ?? "."), name);
  const isThere = existsSync(resolve(cwd, shown));
  if (setting === undefined && !isThere) return;
  const waivers = join(shown, "waivers.yaml");
  const entries = existsSync(resolve(cwd, waivers))
    ? entriesIn(readFileSync(resolve(cwd, waivers), "utf8"))
    : [];
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

const keys = ["id", "reason", "owner", "ticket", "expires"] as const;

/** Each waiver of a file as an entry of the config; what is not on one line is left for the user to fill in. */
function entriesIn(yaml: string): string[] {
  return yaml.split(/^\s*-\s(?=.*\w+:)/m).flatMap((entry) => {
    const end = entry.includes("{") ? ",}\n" : "\n";
    const values = keys.map((key) => {
      const [, text = ""] = new RegExp(`(?:^|[\\s{,])${key}:[ \\t]*([^${end}]*)`).exec(entry) ?? [];
      return text.trim().replaceAll(/^(["'])(.*)\1$/g, "$2");
    });
    const pairs = keys.map((key, at) => `${key}: ${JSON.stringify(values[at])}`);
    return values[0] === "" || values[0]?.startsWith("load.") ? [] : [`    { ${pairs.join(", ")} },`];
  });
}
