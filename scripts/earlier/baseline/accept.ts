import { listChecks } from "../../../conformance/suite/all.ts";
import type { Baseline, Drift, Results, Waiver } from "../../../schemas/types.ts";
import { UsageError } from "../../errors.ts";
import { recordedLoad } from "../compare/recorded-load.ts";
import { contractOf, hasProbed } from "../drift/contract.ts";
import { driftBetween } from "../drift/drift-between.ts";
import type { EarlierRun } from "../earlier-run.ts";
import {
  counted,
  isFailing,
  openChecks,
  openThresholds,
  refuseExpired,
  type Waivable,
} from "./open-failures.ts";
import { recordedLoadOf } from "./recorded.ts";
import { waiverStates, waiversOf } from "./waiver-states.ts";
import type { ListedWaiver } from "./waivers.ts";

/** What someone has to stand up for when failures are accepted. */
export interface Word {
  readonly owner?: string;
  readonly ticket?: string;
  readonly expires?: string;
  readonly reason?: string;
}

/** What is there before the acceptance. */
export interface Acceptable {
  /** Runs of one target that came to their end; see acceptableRuns. */
  readonly runs: readonly [EarlierRun, ...EarlierRun[]];
  readonly waivers: readonly ListedWaiver[];
  readonly recorded: Baseline | undefined;
  readonly word: Word;
  /** Waive what could not be judged too. */
  readonly unjudged: boolean;
  readonly now: Date;
  /** The day in UTC, as `2026-12-31`. */
  readonly today: string;
}

/** What will be written, and what a person should know of it. */
export interface Acceptance {
  readonly baseline: Baseline;
  /** Run that the contract is taken from; undefined when the recorded one stays. */
  readonly run?: string;
  readonly added: readonly Waiver[];
  /** Checks of a MUST that could not be judged and that no waiver covers. */
  readonly unjudged: readonly string[];
  /** Waivers to be removed by hand. */
  readonly stale: readonly ListedWaiver[];
  /** How the contract differs from the one recorded before. */
  readonly changes: readonly Drift[];
  /** Requirements that the run judged, of those that there are. */
  readonly judged: { readonly requirements: number; readonly of: number };
}

/**
 * Plans what `baseline accept` records: the contract of the newest run that judged one, and a waiver for each failure
 * that has none.
 * @throws UsageError when failures are to be waived and someone's word is missing, or when the waiver of a failure is
 *   expired: to renew it is for a person to say.
 */
export function planAcceptance(given: Acceptable): Acceptance {
  const { runs, recorded, now, today } = given;
  const target = runs[0].results.target.name;
  const newest = runs
    .filter(({ results }) => results.requirements.length > 0)
    .toSorted((a, b) => Date.parse(b.results.startedAt) - Date.parse(a.results.startedAt))[0];
  if (newest === undefined && recorded === undefined) throw nothingJudged(runs[0]);
  const requirements = newest?.results.requirements ?? [];
  const own = waiversOf(target, given.waivers);
  const open = openChecks(requirements, own, today);
  const crossed = openThresholds(newest?.results.load ?? [], own, today);
  refuseExpired([...open.failing, ...crossed], own, today);
  const toWaive = [...open.failing, ...crossed, ...(given.unjudged ? open.unjudged : [])];
  const load = recordedLoad(runs, recordedLoadOf(recorded));
  const met = { requirements, load: newest?.results.load ?? [] };
  const states = waiverStates({ listed: own, today }, met, listChecks());
  return {
    baseline: {
      ...recordedOf(newest?.results, recorded, { target, runs }),
      recordedAt: now.toISOString(),
      ...(load === undefined ? {} : { load: load as Baseline["load"] & object }),
    },
    ...(newest === undefined ? {} : { run: newest.name }),
    added: waiversFor(toWaive, target, given),
    unjudged: given.unjudged ? [] : open.unjudged.map(({ id }) => id),
    stale: own.filter((_one, index) => states[index]?.state === "stale"),
    changes:
      recorded === undefined || newest === undefined
        ? []
        : driftBetween(recorded.contract, contractOf(newest.results)),
    judged: {
      requirements: requirements.length,
      of: new Set(listChecks().map(({ requirement }) => requirement)).size,
    },
  };
}

function recordedOf(
  results: Results | undefined,
  recorded: Baseline | undefined,
  { target, runs }: { readonly target: string } & Pick<Acceptable, "runs">,
): Omit<Baseline, "recordedAt"> {
  // Only a probe measures the limit, and that is a run of its own.
  const probe = runs.findLast((run) => hasProbed(run.results));
  const limit = probe === undefined ? recorded?.contract.limit : contractOf(probe.results).limit;
  const probed = limit === undefined ? {} : { limit };
  if (results === undefined && recorded !== undefined) {
    return { ...recorded, contract: { ...recorded.contract, ...probed } };
  }
  if (results === undefined) throw new TypeError("neither a run nor a recorded contract");
  const checks = results.requirements.flatMap((one) => one.checks);
  return {
    schemaVersion: 1,
    target,
    since: results.startedAt,
    failing: checks.filter(isFailing).map(({ id }) => id),
    contract: { ...contractOf(results), ...probed },
  };
}

function waiversFor(
  checks: readonly Waivable[],
  target: string,
  { word, unjudged }: Pick<Acceptable, "word" | "unjudged">,
): Waiver[] {
  if (checks.length === 0) return [];
  const { owner, ticket, expires, reason } = word;
  if (owner === undefined || ticket === undefined || expires === undefined || reason === undefined) {
    throw wordMissing(checks, word, unjudged);
  }
  return checks.map(({ id, flaky }) => ({
    id,
    reason,
    owner,
    ticket,
    expires,
    targets: [target],
    ...(flaky === true ? { flaky } : {}),
  }));
}

function wordMissing(checks: readonly Waivable[], word: Word, unjudged: boolean): UsageError {
  const flags = ["owner", "ticket", "expires", "reason"] as const;
  const missing = flags.filter((flag) => word[flag] === undefined).map((flag) => `--${flag}`);
  const what = unjudged ? "check that fails or could not be judged" : "failure";
  return new UsageError({
    what: `${counted(checks.length, what)} without a waiver, and nobody answers for ${checks.length === 1 ? "it" : "them"}`,
    where: `missing: ${missing.join(", ")}`,
    mend: [
      "To waive, until the service is mended:",
      ...checks.map(({ id, title }) => `  ${id}: ${title}`),
      'give --owner NAME --ticket ID --expires 2026-12-31 --reason "…"; or waive some by hand, in waivers.yaml.',
    ].join("\n"),
  });
}

function nothingJudged({ name, results }: EarlierRun): UsageError {
  return new UsageError({
    what: "There is no contract in a run that judged no requirement",
    where: `${name} (${results.command})`,
    mend: "Name a run of gate or conformance too; runs of load add to a contract that is recorded.",
  });
}
