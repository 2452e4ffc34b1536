import { isObject } from "../schemas/json.ts";
import { UsageError } from "./errors.ts";
import { removed } from "./removed.ts";

/** @throws UsageError when a command line uses what was removed. */
export function refuseRemovedWords(argv: readonly string[]): void {
  // What follows -- is for another program.
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const [name, ...words] = own.flatMap((word) => (word.startsWith("--") ? word.split("=", 2) : [word]));
  for (const [row, instead] of Object.entries(removed.commandLine)) {
    const [command = "", ...rest] = row.split(" ");
    const at = [...words, ""].findIndex((_, from) => rest.every((one, by) => fits(one, words[from + by])));
    if (!fits(command, name) || at === -1) continue;
    throw refusal(["shelfcheck", name, ...words.slice(at, at + rest.length)].join(" "), instead);
  }
}

const fits = (row: string, word: string | undefined): boolean =>
  word !== undefined && (row === "*" || row.split("|").includes(word));

/** @throws UsageError when a configuration has a setting that was removed. */
export function refuseRemovedSettings(config: unknown, file: string): void {
  for (const [row, instead] of Object.entries(removed.config)) {
    const [found] = pathsIn(config, row.split("."));
    if (found !== undefined) throw refusal(`${file}, ${found.join(".")}`, instead);
  }
}

function pathsIn(value: unknown, [step, ...rest]: readonly string[]): string[][] {
  if (step === undefined) return [[]];
  const inside =
    isObject(value) || Array.isArray(value) ? Object.entries(value).filter(([name]) => fits(step, name)) : [];
  return inside.flatMap(([name, each]) => pathsIn(each, rest).map((path) => [name, ...path]));
}

/** @throws UsageError when a variable that was removed is set. */
export function refuseRemovedVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, instead] of Object.entries(removed.environment))
    if (env[name] !== undefined) throw refusal(name, instead);
}

const refusal = (where: string, fix: string) => new UsageError({ what: "This was removed", where, fix });
