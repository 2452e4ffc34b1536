import { type Command, InvalidArgumentError, Option } from "commander";
import { configNames } from "../../config/config-file.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { defaults, type TargetFlags } from "../../config/settings.ts";

/** Flags of every command that needs a target, and `--json`. */
export interface CommonFlags extends TargetFlags {
  readonly json?: boolean;
}

/** Flags of every command that reads earlier runs. */
export type EarlierRunFlags = Pick<CommonFlags, "out" | "config" | "json">;

export interface SelectionFlags {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
}

/** Seconds in which doctor sends requests. */
export const doctorSeconds = 25;

/** The flags that several commands have. There are none for keys, which come from the environment only. */
const shared = {
  target: new Option(
    "--target <name>",
    `target in the configuration file, or ${defaults.target}: the built-in reference service (default: defaultTarget of the configuration file, otherwise ${defaults.target}, which must be named in CI; for replay that of the run)`,
  ),
  baseUrl: new Option("--base-url <url>", "base URL of the service, ending in /v1"),
  envFile: new Option(
    "--env-file <file>",
    "file with environment variables, such as .env; the environment wins. Node itself ends with 9 if it cannot read it",
  ),
  category: repeated("--category <category>", "category to browse"),
  config: new Option("--config <file>", `configuration file (default: ${configNames[0]}, .mts, .js or .mjs)`),
  json: new Option("--json", "print JSON, and nothing else, on stdout"),
  out: new Option("--out <dir>", `folder of the reports (default: ${defaults.out})`),
  maxRequests: new Option(
    "--max-requests <n>",
    `most requests to send, not counting load and the comparison of twin (default: ${defaults.maxRequests})`,
  ).argParser(wholeNumber(1)),
  maxTime: new Option(
    "--max-time <seconds>",
    `longest time of all requests, not counting load, up to ${defaults.glanceSeconds} s to prepare it, and the comparison of twin; what is left then, or on its way, is not judged (default: ${defaults.maxSeconds}; before load and for twin ${defaults.lookSeconds}, for doctor ${doctorSeconds})`,
  ).argParser(wholeNumber(1)),
  only: repeated("--only <id>", "judge only this requirement, check or section"),
  skip: repeated("--skip <id>", "skip this requirement, check or section"),
} as const;

/** The names of the flags that select a target. */
export const ofTarget = ["target", "baseUrl", "envFile", "category", "config", "json"] as const;

export function withFlags(command: Command, ...names: readonly (keyof typeof shared)[]): Command {
  return names.reduce((all, name) => all.addOption(shared[name]), command);
}

/** How the help describes an argument that names runs. */
export const runNames = "a run: latest or a folder's name, both in --out, or a path";

export function withEarlierRuns(command: Command): Command {
  return withFlags(command, "out", "config", "json");
}

/** A flag that may be repeated. */
export function repeated(flag: string, about: string): Option {
  const collect = (value: string, previous: readonly string[] = []) => [...previous, value];
  return new Option(flag, `${about}; may be repeated`).argParser(collect);
}

/** Parser for flags that may be repeated, each with one of these names. */
export function nameFrom<Name extends string>(
  names: readonly Name[],
): (value: string, previous?: readonly Name[]) => Name[] {
  return (value, previous = []) => {
    const name = names.find((known) => known === value);
    if (name === undefined) throw new InvalidArgumentError(didYouMean(value, names));
    return [...previous, name];
  };
}

export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    throw new InvalidArgumentError(`Expected a whole number ${range}.`);
  };
}

export function positiveNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError("Expected a number above 0.");
}

/** Parser for durations such as `90`, `90s`, `5m` or `1h`. Returns seconds. */
export function durationInSeconds(text: string): number {
  const [, digits, unit = "s"] = text.match(/^(\d+(?:\.\d+)?)(s|m|h)?$/) ?? [];
  const seconds = Number(digits) * { s: 1, m: 60, h: 3600 }[unit as "s" | "m" | "h"];
  if (digits !== undefined && seconds > 0) return seconds;
  throw new InvalidArgumentError("Expected a duration such as 30s, 5m or 1h.");
}
