import { test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Cause } from "../../schemas/contracts/verdicts.ts";
import { missing, type Software } from "../support/gateway-programs.ts";
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

/** What rows on a cluster need: KUBECONFIG, a target that pods and this machine reach, its key and categories. */
export const clusterSettings = {
  kubeconfig: process.env.KUBECONFIG ?? "",
  target: process.env.SHELFCHECK_CLUSTER_TARGET ?? "",
  key: process.env.SHELFCHECK_API_KEY ?? "",
  categories: process.env.SHELFCHECK_CATEGORIES ?? "",
};

/** What a row needs of a machine. */
export type Necessity = "mount" | "cluster" | Software;

/** Why a row cannot run here; undefined where it can. */
function lacking(need: Necessity): string | undefined {
  switch (need) {
    case "mount":
      return process.getuid?.() === 0 ? undefined : "a small or read-only disk can be mounted only by root";
    case "cluster":
      return Object.values(clusterSettings).every((value) => value !== "")
        ? undefined
        : "no cluster: set KUBECONFIG, SHELFCHECK_CLUSTER_TARGET, SHELFCHECK_API_KEY and SHELFCHECK_CATEGORIES";
    default:
      return missing(need);
  }
}

/**
 * Makes a test of each row.
 * @param atOnce Whether several of them run at the same time. Default: they do
 * @throws Error when two rows have the same name
 */
export function acceptRows(rows: readonly AcceptanceRow[], { atOnce = true } = {}): void {
  const names = rows.map(({ target, command }) => `${command}: ${target}`);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new Error(`two rows are named: ${twice}`);
  const isCi = process.env.CI !== undefined;
  for (const [place, row] of rows.entries()) {
    const tags = row.inCi === true ? ["ci"] : [];
    test(names[place] ?? "", { concurrent: atOnce, tags }, async ({ signal, skip }) => {
      for (const need of row.needs ?? []) {
        const fix = lacking(need);
        if (fix === undefined) continue;
        // A program that is missing in CI is a mistake there.
        if (isCi && need !== "mount" && need !== "cluster") throw new Error(fix);
        skip(fix);
      }
      await using own = await openPlace({ ...canaryKeys(), ...row.keys }, signal);
      const outcome = await row.run(own);
      const { seconds = mostSeconds } = row.expect;
      // A machine that CI shares with others may be half as fast.
      const expect = { ...row.expect, seconds: isCi ? 2 * seconds : seconds };
      const mistakes = mistakesIn(outcome, expect);
      const lastLines = [outcome.stdout, outcome.stderr].map((text) => text.trimEnd().split("\n").at(-1));
      const failed = outcome.stdout.match(/^ *FAILED .*(?:\n .*)?/gm) ?? [];
      if (mistakes.length > 0) throw new Error([...mistakes, ...failed, ...lastLines].join("\n"));
    });
  }
}

const mostMegabytes = 800;
/** Most seconds of a command. */
const mostSeconds = 60;

/** The differences between an outcome and the expectation; empty if there are none. */
export function mistakesIn(
  outcome: CommandOutcome,
  { exit, cause, seconds = mostSeconds, says, finds, spares = [] }: Expectation,
): string[] {
  const output = outcome.stdout + outcome.stderr;
  const found = outcome.codes.join(", ");
  const mistakes: readonly (readonly [isThere: boolean, text: string])[] = [
    [exit.every((one) => one !== outcome.exit), `exit ${outcome.exit}, not ${exit.join(" or ")}`],
    [
      cause?.every((one) => one !== outcome.cause) === true,
      `cause ${outcome.cause}, not ${cause?.join(" or ")}`,
    ],
    [outcome.seconds > seconds, `${outcome.seconds.toFixed(0)} s, longer than ${seconds} s`],
    [outcome.megabytes > mostMegabytes, `${outcome.megabytes} MB, more than ${mostMegabytes} MB`],
    [says?.test(output) === false, `${says} is not in the output`],
    [
      finds?.every((code) => !outcome.codes.includes(code)) === true,
      `none of ${finds?.join(", ")} in results.json: ${found}`,
    ],
    [spares.some((code) => outcome.codes.includes(code)), `one of ${spares.join(", ")} in: ${found}`],
    [output.includes("bug in shelfcheck"), "blames shelfcheck itself"],
    [/\n\s+at .*:\d+:\d+/.test(output), "a stack trace in the output"],
    [outcome.orphans.length > 0, `still running: ${outcome.orphans.join(", ")}`],
    [outcome.leaks.length > 0, `key in ${outcome.leaks.join(", ")}`],
  ];
  return [...mistakes.flatMap(([isThere, text]) => (isThere ? [text] : [])), ...(outcome.wrong ?? [])];
}
