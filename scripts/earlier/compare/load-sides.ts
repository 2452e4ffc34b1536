import { UsageError } from "../../errors.ts";
import { type Difference, differencesBetween } from "../../load/comparability.ts";
import type { EarlierRun } from "../earlier-run.ts";
import { compareLoad, type LoadRegression } from "./load-regression.ts";
import { type LoadRun, loadRunsOf } from "./load-run.ts";
import type { LatencyRule } from "./rule.ts";

/** Fewer runs on a side say nothing of the spread between runs. */
export const leastRuns = 3;

/** The load of two sides of runs, scenario by scenario. */
export interface LoadSides {
  readonly scenarios: readonly LoadRegression[];
  readonly notes: readonly string[];
}

export interface SidesOptions {
  readonly rule: LatencyRule;
  /** Parts of the comparability in which the runs may differ; that they do is remarked on. */
  readonly allowed: readonly string[];
}

/**
 * Compares the load of sides with three runs or more each.
 * @throws UsageError for too few runs, for runs that measured nothing, share no scenario or are not alike: it says in what.
 */
export function compareSides(
  before: readonly EarlierRun[],
  after: readonly EarlierRun[],
  { rule, allowed }: SidesOptions,
): LoadSides {
  refuseTooFew(before, after);
  const { shared, notes } = sharedScenarios(before, after);
  if (shared.length === 0 && before.concat(after).some(({ results }) => results.load.length > 0)) {
    throw new UsageError({
      what: "The runs share no scenario of load",
      where: [...before, ...after]
        .map(({ name, results }) => `${name}: ${scenariosOf(results.load)}`)
        .join("; "),
      mend: "Compare runs of the same scenario; the latency of rate-limit is never compared.",
    });
  }
  const scenarios = shared.map(({ before: earlier, after: later }) => {
    const runs = [...earlier, ...later];
    refuseInvalid(runs);
    const differing = differencesAmong(runs);
    const refused = differing.filter(({ part }) => !allowed.includes(part));
    if (refused.length > 0) throw unlike(runs[0]?.scenario ?? "", refused);
    const regression = compareLoad(earlier, later, rule, shared.length);
    return { ...regression, notes: [...differing.map(labelled), ...regression.notes] };
  });
  return { scenarios, notes };
}

/** Shows the load of one run beside that of another: never a verdict. */
export function besideEachOther(
  before: EarlierRun,
  after: EarlierRun,
  { rule, allowed }: SidesOptions,
): LoadSides {
  const { shared, notes } = sharedScenarios([before], [after]);
  const scenarios = shared.map(({ before: earlier, after: later }): LoadRegression => {
    const regression = compareLoad(earlier, later, rule, shared.length);
    const differing = differencesAmong([...earlier, ...later]);
    const refused = differing.filter(({ part }) => !allowed.includes(part));
    const runs = { before: 1, after: 1 };
    const without = (answer: "refused" | "inconclusive", reason: string): LoadRegression => ({
      ...regression,
      comparison: { answer, reason, runs, endpoints: [] },
      rows: [],
      unmeasured: [],
    });
    const invalid = [...earlier, ...later].find(isInvalid);
    if (invalid !== undefined) {
      return without("inconclusive", `${invalid.run} is no measurement: ${whyInvalid(invalid)}`);
    }
    if (refused.length > 0) {
      return without("refused", `the runs are not alike: ${refused.map(said).join("; ")}`);
    }
    const { endpoints } = regression.comparison;
    return {
      ...regression,
      comparison: {
        answer: "inconclusive",
        reason: `one run a side is never a verdict on latency: name ${leastRuns} or more a side, compare A B C -- D E F`,
        runs,
        endpoints: endpoints.map((row) => ({ ...row, answer: "inconclusive" })),
      },
      notes: [...differing.map(labelled), ...regression.notes],
    };
  });
  return { scenarios, notes };
}

function refuseTooFew(before: readonly EarlierRun[], after: readonly EarlierRun[]): void {
  if (before.length >= leastRuns && after.length >= leastRuns) return;
  throw new UsageError({
    what: `Too few runs to compare: ${before.length} before and ${after.length} after`,
    where: "compare",
    mend: `Name one run before and one after, to see what changed, or ${leastRuns} or more a side, to have latency judged: compare A B C -- D E F.`,
  });
}

interface Shared {
  readonly before: readonly LoadRun[];
  readonly after: readonly LoadRun[];
}

function sharedScenarios(
  before: readonly EarlierRun[],
  after: readonly EarlierRun[],
): { readonly shared: readonly Shared[]; readonly notes: readonly string[] } {
  const [earlier, later] = [before, after].map((side) =>
    side.map(({ name, results }) => loadRunsOf(name, results)),
  ) as [LoadRun[][], LoadRun[][]];
  const names = [...new Set([...earlier, ...later].flat().map(({ scenario }) => scenario))];
  const inAll = names.filter((name) =>
    [...earlier, ...later].every((run) => run.some(({ scenario }) => scenario === name)),
  );
  const pick = (side: readonly LoadRun[][], name: string) =>
    side.flatMap((run) => run.filter(({ scenario }) => scenario === name));
  return {
    shared: inAll.map((name) => ({ before: pick(earlier, name), after: pick(later, name) })),
    notes: names
      .filter((name) => !inAll.includes(name))
      .map((name) => `load ${name} is not compared: not every run has it`),
  };
}

function refuseInvalid(runs: readonly LoadRun[]): void {
  const invalid = runs.find(isInvalid);
  if (invalid === undefined) return;
  throw new UsageError({
    what: `The load ${invalid.scenario} of a run is no measurement`,
    where: `${invalid.run}: ${whyInvalid(invalid)}`,
    mend: "Leave the run out, or make it again.",
  });
}

function isInvalid({ verdict, curves }: LoadRun): boolean {
  return verdict === "invalid" || curves.length === 0;
}

function whyInvalid({ verdict }: LoadRun): string {
  return verdict === "invalid" ? "its verdict is invalid" : "it has no percentiles";
}

interface Differing extends Difference {
  readonly run: string;
  readonly other: string;
}

/** In what the runs differ from the first one: each part once. */
function differencesAmong([first, ...others]: readonly LoadRun[]): Differing[] {
  const found = new Map<string, Differing>();
  const unknown = { hash: "unknown", parts: {} };
  for (const other of others) {
    if (first === undefined) break;
    const { comparability: before = unknown } = first;
    const { comparability: after = unknown } = other;
    // Of two runs that say nothing of their circumstances nothing is known to be alike.
    const differences =
      before === unknown && after === unknown
        ? [{ part: "comparability", before: "unknown", after: "unknown" }]
        : differencesBetween(before, after);
    for (const difference of differences) {
      if (!found.has(difference.part)) {
        found.set(difference.part, { ...difference, run: first.run, other: other.run });
      }
    }
  }
  return [...found.values()];
}

function said({ part, before, after, run, other }: Differing): string {
  return `${part} is ${before} in ${run} and ${after} in ${other}`;
}

function labelled(difference: Differing): string {
  return `compared although ${said(difference)}`;
}

function unlike(scenario: string, differing: readonly Differing[]): UsageError {
  const flags = differing.map(({ part }) => `--allow-different ${part}`).join(" ");
  return new UsageError({
    what: `The runs of ${scenario} are not alike, so their latency is not compared`,
    where: differing.map(said).join("; "),
    mend: `Make both sides in the same way. To compare them all the same: ${flags}.`,
  });
}

function scenariosOf(load: EarlierRun["results"]["load"]): string {
  return load.length === 0 ? "no load" : load.map(({ scenario }) => scenario).join(", ");
}
