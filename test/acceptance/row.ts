import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Cause } from "../../schemas/contracts/verdicts.ts";
import type { Software } from "../support/gateway-programs.ts";
import { type CanaryKeys, type CommandOutcome, canaryKeys, openPlace, type RowPlace } from "./place.ts";

/** The expected end of a command. */
export interface Expectation {
  /** Any of these exit codes, or the signal that ends the command. */
  readonly exit: readonly (number | NodeJS.Signals)[];
  /** Any of these decided the run, as its results say. Default: the exit code alone is compared. */
  readonly cause?: readonly Cause[];
  /** Most seconds. Default: `mostSeconds` */
  readonly seconds?: number;
  /** Text that the output must contain. */
  readonly says?: RegExp;
  /** Any of these codes is that of a finding or a note on the load, or of a notice, in results.json. */
  readonly finds?: readonly Finding["code"][];
  /** None of these is found. Default: not compared */
  readonly spares?: readonly Finding["code"][];
}

/** One row of a table: a command on a bad target, on a broken machine or through a network, and its expected end. */
export interface AcceptanceRow {
  /** The target, the machine or the network. */
  readonly target: string;
  readonly command: string;
  readonly expect: Expectation;
  /** Whether `.ci/run` runs it, too. Default: only `npm run acceptance` does. */
  readonly inCi?: boolean;
  /** What the machine must offer. Default: nothing special */
  readonly needs?: readonly Necessity[] | undefined;
  /** Default: the canary keys */
  readonly keys?: Partial<CanaryKeys>;
  readonly run: (place: RowPlace) => Promise<CommandOutcome>;
}

/** What a row needs of a machine. */
export type Necessity = "mount" | "cluster" | Software;

export function nameOf({ target, command }: Pick<AcceptanceRow, "target" | "command">): string {
  return `${command}: ${target}`;
}

/** Runs a row in a folder of its own. */
export async function runRow(row: AcceptanceRow, signal: AbortSignal): Promise<CommandOutcome> {
  const keys = { ...canaryKeys(), ...row.keys };
  await using place = await openPlace(keys, signal);
  return await row.run(place);
}

const mostMegabytes = 800;
/** Most seconds of a command. */
export const mostSeconds = 60;

/** The differences between an outcome and the expectation; empty if there are none. */
export function mistakesIn(
  outcome: CommandOutcome,
  { exit, cause, seconds = mostSeconds, says, finds, spares = [] }: Expectation,
): string[] {
  const output = outcome.stdout + outcome.stderr;
  return [
    exit.some((one) => one === outcome.exit) ? "" : `exit ${outcome.exit}, not ${exit.join(" or ")}`,
    cause === undefined || cause.some((one) => one === outcome.cause)
      ? ""
      : `cause ${outcome.cause}, not ${cause.join(" or ")}`,
    outcome.seconds <= seconds ? "" : `${outcome.seconds.toFixed(0)} s, longer than ${seconds} s`,
    outcome.megabytes <= mostMegabytes ? "" : `${outcome.megabytes} MB, more than ${mostMegabytes} MB`,
    says === undefined || says.test(output) ? "" : `${says} is not in the output`,
    finds === undefined || finds.some((code) => outcome.codes.includes(code))
      ? ""
      : `none of ${finds.join(", ")} in results.json: ${outcome.codes.join(", ")}`,
    ...spares.filter((code) => outcome.codes.includes(code)).map((code) => `${code} in results.json`),
    output.includes("bug in shelfcheck") ? "blames shelfcheck itself" : "",
    /\n\s+at .*:\d+:\d+/.test(output) ? "a stack trace in the output" : "",
    outcome.orphans.length === 0 ? "" : `still running: ${outcome.orphans.join(", ")}`,
    outcome.leaks.length === 0 ? "" : `key in ${outcome.leaks.join(", ")}`,
    ...(outcome.wrong ?? []),
  ].filter((mistake) => mistake !== "");
}

/** What a failing row says: what was run, what was expected, what happened. */
export function failureOf(
  { target, command, expect }: Pick<AcceptanceRow, "target" | "command" | "expect">,
  outcome: CommandOutcome,
) {
  return [
    `target: ${target}`,
    `command: ${command}`,
    `exit: ${outcome.exit}, expected ${expect.exit.join(" or ")}`,
    `last line: ${lastLine(outcome)}`,
    ...mistakesIn(outcome, expect).map((mistake) => `wrong: ${mistake}`),
  ].join("\n");
}

function lastLine({ stdout, stderr }: Pick<CommandOutcome, "stdout" | "stderr">): string {
  const [last = ""] = [stdout, stderr].flatMap((text) => text.trimEnd().split("\n").at(-1) || []);
  return last;
}
