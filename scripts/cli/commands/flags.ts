import { type Command, InvalidArgumentError } from "commander";
import { configNames } from "../../config/config-file.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { defaults, type TargetFlags } from "../../config/settings.ts";

/** Flags of every command that needs a target, and `--json`. */
export interface CommonFlags extends TargetFlags {
  readonly json?: boolean;
}

/** Adds the flags that select a target. There are no flags for keys, which come from the environment only. */
export function withTargetFlags(command: Command): Command {
  const named = command
    .option(
      "--target <name>",
      `target in the configuration file, or ${defaults.target}: the built-in reference service (default: defaultTarget of the configuration file, otherwise ${defaults.target}, which must be named in CI)`,
    )
    .option("--base-url <url>", "base URL of the service, ending in /v1")
    .option("--env-file <file>", "file with environment variables, such as .env; the environment wins")
    .option("--category <category>", "category to browse; may be repeated", collect);
  return withJson(withConfig(named));
}

/** Adds the flag of every command that reads the configuration file. */
export function withConfig(command: Command): Command {
  return command.option("--config <file>", `configuration file (default: ${configNames[0]})`);
}

/** Adds the flag of every command that can print data. */
export function withJson(command: Command, text = "print JSON, and nothing else, on stdout"): Command {
  return command.option("--json", text);
}

/** Adds the flag of every command that reads or writes reports. */
export function withOut(command: Command): Command {
  return command.option("--out <dir>", `folder of the reports (default: ${defaults.out})`);
}

/** Adds the flags that limit the requests of conformance and discovery, and their time. */
export function withMaxRequests(
  command: Command,
  usualSeconds = `${defaults.maxSeconds}, or ${defaults.lookSeconds} before load`,
): Command {
  const limited = command.option(
    "--max-requests <n>",
    `most requests to send, not counting load (default: ${defaults.maxRequests})`,
    wholeNumber(1),
  );
  return withMaxTime(limited, usualSeconds);
}

/** Adds the flag that limits the time of a command. */
export function withMaxTime(command: Command, usualSeconds: string): Command {
  return command.option(
    "--max-time <seconds>",
    `longest time of all requests, not counting load; what is left then, or on its way, is not judged (default: ${usualSeconds})`,
    wholeNumber(1),
  );
}

export interface SelectionFlags {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
}

export function withSelection(command: Command): Command {
  return command
    .option("--only <id>", "judge only this requirement, check or section; may be repeated", collect)
    .option("--skip <id>", "skip this requirement, check or section; may be repeated", collect);
}

/** Parser for flags that may be repeated. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
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

/** Parser for flags that may be repeated, with a whole number such as `7` or a range such as `1-20`. */
export function numberRanges(value: string, previous: readonly number[] = []): number[] {
  const [first = "", last = first, ...more] = value.split("-");
  const [from, to] = [wholeNumber(0)(first), wholeNumber(0)(last)];
  if (more.length > 0 || to < from) throw new InvalidArgumentError("Expected a range such as 1-20.");
  return [...previous, ...Array.from({ length: to - from + 1 }, (_, index) => from + index)];
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
