import { waiverCovers, waiverFor } from "../../../conformance/requirements/verdict.ts";
import { listChecks } from "../../../conformance/suite/all.ts";
import type { Baseline } from "../../../schemas/contracts/baseline.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import {
  type CheckResult,
  type RequirementResult,
  type Results,
  schemaVersion,
} from "../../../schemas/contracts/results.ts";
import type { Waiver } from "../../../schemas/contracts/waivers.ts";
import { given } from "../../../schemas/json.ts";
import { isCrossed } from "../../../schemas/verdicts.ts";
import { counted } from "../../../schemas/words/format.ts";
import { thresholdFigures, thresholdLabel } from "../../../schemas/words/thresholds.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import type { Drift } from "../../earlier/contract-change.ts";
import { contractOf, driftBetween, hasProbed } from "../../earlier/drift.ts";
import { UsageError } from "../../errors.ts";
import { thresholdId } from "../../load/figures.ts";
import type { EarlierRun } from "../read-run.ts";
import { isExpired, type ListedWaiver, varies, waiverStates, waiversOf } from "./waiver-states.ts";

/** The terms of a waiver: everything except what it waives. */
export interface WaiverTerms {
  readonly owner?: string;
  readonly ticket?: string;
  readonly expires?: string;
  readonly reason?: string;
}

export interface Acceptable {
  /** Completed runs of one target; see `acceptableRuns`. */
  readonly runs: readonly [EarlierRun, ...EarlierRun[]];
  readonly waivers: readonly ListedWaiver[];
  readonly recorded: Baseline | undefined;
  readonly terms: WaiverTerms;
  /** Also waive what was not judged. */
  readonly notJudged: boolean;
  /** Ids of requirements and checks to waive. Default: all that failed */
  readonly ids?: readonly string[] | undefined;
  readonly now: Date;
  /** The day in UTC, as `2026-12-31`. */
  readonly today: string;
}

/** What will be recorded, and what the user is shown about it. */
export interface Acceptance {
  readonly baseline: Baseline;
  /** Run whose contract is recorded; undefined when the recorded contract stays. */
  readonly run?: string | undefined;
  readonly added: readonly Waiver[];
  /** Checks of a MUST that were not judged and that no waiver covers. */
  readonly notJudged: readonly string[];
  /** Waivers to be removed by hand. */
  readonly stale: readonly ListedWaiver[];
  readonly changes: readonly Drift[];
  /** Number of requirements that the run judged, and of all. */
  readonly judged: { readonly requirements: number; readonly of: number };
}

/**
 * Plans what `baseline accept` records: the contract of the newest run that judged requirements, and a waiver for each
 * failure without one.
 * @throws UsageError when a failure needs a waiver and a term is missing, or when the waiver of a failure has expired:
 *   it must be renewed by hand.
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
  const all = [...open.failing, ...crossed, ...(given.notJudged ? open.notJudged : [])];
  const toWaive = named(all, given.ids);
  const judged = { requirements, load: newest?.results.load ?? [] };
  const states = waiverStates({ listed: own, today }, judged, listChecks());
  return {
    baseline: {
      ...recordedOf(newest?.results, recorded, { target, runs }),
      recordedAt: now.toISOString(),
    },
    run: newest?.name,
    added: waiversFor(toWaive, target, given),
    notJudged: given.notJudged ? [] : open.notJudged.map(({ id }) => id),
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
  // Only a probe measures the rate limit, and a probe is a separate run.
  const probe = runs.findLast((run) => hasProbed(run.results));
  const limit = probe === undefined ? recorded?.contract.limit : contractOf(probe.results).limit;
  if (results === undefined && recorded !== undefined) {
    return { ...recorded, contract: { ...recorded.contract, ...given({ limit }) } };
  }
  if (results === undefined) throw new TypeError("neither a run nor a recorded contract");
  const checks = results.requirements.flatMap((one) => one.checks);
  return {
    schemaVersion,
    target,
    since: results.startedAt,
    failing: checks.filter(isFailing).map(({ id }) => id),
    contract: { ...contractOf(results), ...given({ limit }) },
  };
}

/** Those with one of the ids. @throws UsageError for an id that nothing to waive has. */
function named(all: readonly Waivable[], ids: readonly string[] | undefined): readonly Waivable[] {
  if (ids === undefined) return all;
  const unknown = ids.find((id) => !all.some((one) => waiverCovers(id, one.id)));
  if (unknown === undefined) return all.filter((one) => ids.some((id) => waiverCovers(id, one.id)));
  throw new UsageError({
    what: "The run has no failure with this id that needs a waiver",
    where: `--only ${unknown}`,
    fix:
      all.length === 0
        ? "Nothing failed without a waiver."
        : didYouMean(
            unknown,
            all.map(({ id }) => id),
          ),
  });
}

function waiversFor(
  checks: readonly Waivable[],
  target: string,
  { terms, notJudged }: Pick<Acceptable, "terms" | "notJudged">,
): Waiver[] {
  if (checks.length === 0) return [];
  const { owner, ticket, expires, reason } = terms;
  if (owner === undefined || ticket === undefined || expires === undefined || reason === undefined) {
    throw termsMissing(checks, terms, notJudged);
  }
  return checks.map((check) => ({
    id: check.id,
    reason,
    owner,
    ticket,
    expires,
    targets: [target],
    ...((check.varies ?? isIntermittent(check)) ? { flaky: true } : {}),
  }));
}

/** Whether the run saw the failure come and go: in some attempts only, or with an error of the service, which ends. */
function isIntermittent({ attempts, evidence = [] }: Waivable): boolean {
  return attempts !== undefined || evidence.some(({ response }) => response.status >= 500);
}

function termsMissing(checks: readonly Waivable[], terms: WaiverTerms, notJudged: boolean): UsageError {
  const flags = ["owner", "ticket", "expires", "reason"] as const;
  const missing = flags.filter((flag) => terms[flag] === undefined).map((flag) => `--${flag}`);
  return new UsageError({
    what: notJudged
      ? `${counted(checks.length, "check that failed or was not judged has", "checks that failed or were not judged have")} no waiver`
      : `${counted(checks.length, "failure has", "failures have")} no waiver`,
    where: `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`,
    fix: [
      ...checks.map(({ id, title }) => `  ${id}: ${title}`),
      'To waive them until the service is fixed, add --owner NAME --ticket ID --expires 2026-12-31 --reason "…". To waive one of them: --only ID.',
    ].join("\n"),
  });
}

function nothingJudged({ name, results }: EarlierRun): UsageError {
  return new UsageError({
    what: "The run judged no requirement, so it has no contract to record",
    where: `${name} (${results.command})`,
    fix: "Also name a run of gate or conformance: a load run only adds to a recorded contract.",
  });
}

/**
 * Checks that runs can be accepted, and removes duplicates.
 * @throws UsageError for a run that did not finish, and for runs of different targets.
 */
export function acceptableRuns(
  runs: readonly [EarlierRun, ...EarlierRun[]],
): readonly [EarlierRun, ...EarlierRun[]] {
  const [first, ...others] = runs;
  for (const { name, results } of runs) {
    const { verdict, exitCode, problem } = results;
    if (verdict !== "error" && exitCode !== 130 && exitCode !== 3 && problem === undefined) continue;
    throw new UsageError({
      what: exitCode === 130 ? "The run was interrupted" : "The run did not finish",
      where: problem === undefined ? name : `${name}: ${problem.what}`,
      fix: "Accepting it would also accept what it did not reach. Repeat the run, and accept the new one.",
    });
  }
  const other = others.find(({ results }) => results.target.name !== first.results.target.name);
  if (other !== undefined) {
    throw new UsageError({
      what: "The runs are of different targets",
      where: `${first.name} of ${first.results.target.name}, ${other.name} of ${other.results.target.name}`,
      fix: "Accept the runs of one target at a time.",
    });
  }
  // `latest` and a name may be the same run.
  const byStart = new Map(others.map((run) => [run.results.startedAt, run]));
  byStart.delete(first.results.startedAt);
  return [first, ...byStart.values()];
}

/** A failing check, or a crossed threshold. */
interface Waivable
  extends Pick<CheckResult, "id" | "title" | "attempts">,
    Partial<Pick<CheckResult, "evidence">> {
  /** A threshold that may be crossed in one run and met in the next. */
  readonly varies?: boolean;
}

/** Checks without an active waiver. */
interface OpenChecks {
  readonly failing: readonly CheckResult[];
  readonly notJudged: readonly CheckResult[];
}

/** What would fail the next run, including what was covered by a waiver that has been removed since. */
function openChecks(
  requirements: readonly RequirementResult[],
  own: readonly ListedWaiver[],
  today: string,
): OpenChecks {
  const inForce = own.filter((one) => !isExpired(one, today)).map(({ waiver }) => waiver);
  const all = requirements.flatMap((one) => one.checks.map((check) => ({ check, requirement: one })));
  const open = all.filter(({ check }) => waiverFor(check.id, inForce) === undefined);
  return {
    failing: open.filter(({ check }) => isFailing(check)).map(({ check }) => check),
    notJudged: open
      .filter(
        ({ check, requirement: { level, excused } }) =>
          check.verdict === "inconclusive" && level === "must" && excused === undefined,
      )
      .map(({ check }) => check),
  };
}

/** Thresholds that were crossed in a gate run. In other runs, waivers do not apply to load. */
function openThresholds(
  load: readonly LoadResult[],
  own: readonly ListedWaiver[],
  today: string,
): Waivable[] {
  const inForce = own.filter((one) => !isExpired(one, today)).map(({ waiver }) => waiver.id);
  const crossed = load.flatMap(({ scenario, thresholds, verdict }) =>
    verdict === "invalid"
      ? []
      : thresholds
          .filter((one) => isCrossed(one) && one.guards === "target")
          .map((threshold) => ({
            id: thresholdId(scenario, threshold.metric),
            title: `${thresholdLabel(threshold)}: ${thresholdFigures(threshold)}`,
            varies: varies(threshold.metric),
          })),
  );
  const byId = new Map(crossed.map((one) => [one.id, one]));
  return [...byId.values()].filter(({ id }) => !inForce.includes(id));
}

/** Whether a check failed, or would have failed without its waiver. */
function isFailing({ verdict, waiver }: CheckResult): boolean {
  return verdict === "fail" || (verdict === "warn" && waiver !== undefined);
}

/** @throws UsageError when the waiver of a failure has expired: it must be renewed by hand. */
function refuseExpired(failing: readonly Waivable[], own: readonly ListedWaiver[], today: string): void {
  const expired = own.filter(
    (one) => isExpired(one, today) && failing.some(({ id }) => waiverFor(id, [one.waiver]) !== undefined),
  );
  if (expired.length === 0) return;
  throw new UsageError({
    what: `${counted(expired.length, "waiver has", "waivers have")} expired, and what ${expired.length === 1 ? "it waives" : "they waive"} still fails`,
    where: expired.map(({ waiver, where }) => `${waiver.id} (${where}, ${waiver.expires})`).join("; "),
    fix: "Agree on a later date with the owner and change expires in the file, or remove the entry and accept again.",
  });
}
