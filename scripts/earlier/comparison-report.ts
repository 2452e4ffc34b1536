import type { SaidFinding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { Threshold } from "../../schemas/contracts/threshold.ts";
import type { Verdict } from "../../schemas/contracts/verdicts.ts";
import { isCrossed, verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { requestLabel, scenarioLabel } from "../../schemas/scenarios.ts";
import { capitalized, change, counted, grouped, milliseconds, minute } from "../../schemas/words/format.ts";
import { thresholdFigures, thresholdLabel } from "../../schemas/words/thresholds.ts";
import type { Item, Report, Suite, Table } from "../report/model.ts";
import { emptySuite, isFilled } from "../report/subjects/run/run.ts";
import type { Tone } from "../report/tones.ts";
import type { Comparison, RunsToCompare } from "./compare-runs.ts";
import type { ComparisonCode } from "./comparison-words.ts";
import { isBreaking } from "./contract.ts";
import { breakingText, contractSuite } from "./contract-items.ts";
import type { ComparedLoad } from "./latency.ts";
import type { VerdictChange, VerdictChangeKind } from "./verdict-changes.ts";

const verdictTones = {
  worse: "bad",
  same: "good",
  "not judged": "unsure",
} as const satisfies Record<Comparison["verdict"], Tone>;

/** Verdict changes, worst first. */
const changeKinds = {
  "newly-failing": { label: "newly failing", verdict: "fail", tone: "bad" },
  "failing-not-judged-before": { label: "failing, not judged before", verdict: "fail", tone: "bad" },
  "no-longer-judged": { label: "no longer judged", verdict: "warn", tone: "unsure" },
  "new-warning": { label: "new warning", verdict: "warn", tone: "notice" },
  fixed: { label: "fixed", verdict: "pass", tone: "good" },
  "newly-judged": { label: "newly judged", verdict: "pass", tone: "good" },
} as const satisfies Record<VerdictChangeKind, Pick<Item, "verdict" | "tone"> & { readonly label: string }>;

/** What changed between two runs, worst first. */
export function comparisonReport(comparison: Comparison, { before, after }: RunsToCompare): Report {
  const { verdict, exitCode, reasons, load, notes } = comparison;
  const tone = verdictTones[verdict];
  const [old, now] = [before.results, after.results];
  const targets = [...new Set([old, now].map(({ target }) => `\`${target.name}\``))];
  const { startedAt, finishedAt } = now;
  const suites = [
    requirementsSuite(comparison.requirements, { old, now, tone }),
    contractSuite(comparison.differences ?? [], {
      title: "Contract",
      lines:
        comparison.differences === undefined ? [] : [`${capitalized(breakingText(comparison.differences))}.`],
    }),
    ...load.map((one, place) => loadSuite(one, place, { old, now })),
  ];
  return {
    headline: {
      tone,
      label: verdict,
      of: `comparison of ${targets.join(" and ")}`,
      why: whyOf(comparison),
      counts: [],
      notes: [
        `Before: ${runText(before)}`,
        `After: ${runText(after)}`,
        // That of a worse one has the first, and items have those of requirements and of the contract.
        ...reasons
          .slice(verdict === "worse" ? 1 : 0)
          .filter(({ code }) => !itemCodes.has(code))
          .map(sentenceOf),
        ...notes.map((note) => `Note: ${sentenceOf(note)}`),
      ],
      exitCode,
      startedAt,
      finishedAt,
      files: [],
    },
    suites: suites.filter(isFilled),
    about: [],
  };
}

const itemCodes: ReadonlySet<string> = new Set([
  "newly-failing",
  "failing-not-judged-before",
  "no-longer-judged",
  ...(Object.keys(isBreaking) as ComparisonCode[]),
] satisfies ComparisonCode[]);

/** What the verdict means; of a worse one, its first reason. Latency is part of none. */
function whyOf({ verdict, reasons: [first, ...others] }: Comparison): string {
  if (verdict === "same") return "No requirement, limit or part of the contract got worse.";
  if (verdict === "not judged" || first === undefined)
    return "Nothing is known to be worse, but not everything could be compared.";
  return `${sentenceOf(first)}${others.length === 0 ? "" : ` And ${counted(others.length, "more change")}.`}`;
}

function sentenceOf({ message, fix }: SaidFinding): string {
  return fix === undefined ? message : `${message} ${fix}`;
}

const commitLength = 7;

/** A run with what distinguishes it: its verdict, time, commit, target, machine. */
function runText({ name, results }: RunsToCompare["before"]): string {
  const { startedAt, environment, target, load } = results;
  const host = environment?.host ?? load.find(({ conditions }) => conditions !== undefined)?.conditions?.host;
  const commit = environment?.commit?.slice(0, commitLength);
  const about = [commit, environment?.branch, target.name, target.baseUrl, host].flatMap((one) =>
    one === undefined ? [] : [`\`${one}\``],
  );
  return [`\`${name}\``, minute(startedAt), ...partOf(results), ...about].join(", ");
}

/** Why the run cannot be compared with whole runs; nothing for a whole run. */
function partOf({ scope, exitCode, verdict, load }: Results): string[] {
  if (exitCode === 130) return ["interrupted"];
  if (verdict === "error" && !load.some((one) => one.verdict === "invalid")) return ["did not finish"];
  return scope === undefined ? [] : [`${scope.requirements} of ${scope.of} requirements`];
}

interface Both {
  readonly old: Results;
  readonly now: Results;
}

/** Requirements whose verdict changed, and how many have each verdict before and after. */
function requirementsSuite(
  changes: readonly VerdictChange[],
  { old, now, tone }: Both & { readonly tone: Tone },
): Suite {
  const isJudged = old.requirements.length > 0 && now.requirements.length > 0;
  return {
    ...emptySuite,
    id: "requirements",
    title: "Requirements",
    tone: changes.length === 0 ? "good" : tone,
    items: changes.filter(({ kind }) => changeKinds[kind].verdict !== "pass").map(changeItem),
    tables: isJudged ? [verdictCounts(old, now)] : [],
    lines: [
      ...(isJudged && changes.length === 0 ? ["No requirement changed its verdict."] : []),
      ...betterLine("fixed", changes),
      ...betterLine("newly-judged", changes),
    ],
  };
}

function changeItem({ kind, id, level, statement, before, after, findings }: VerdictChange): Item {
  const { label, verdict, tone } = changeKinds[kind];
  return {
    id,
    title: statement,
    verdict,
    tone,
    about: `${level.toUpperCase()}, ${label}: ${verdictName(before)} before, ${verdictName(after)} after`,
    said: findings.map(({ message, fix }) => ({ message, fix, where: [], places: [] })),
    evidence: [],
    commands: [],
  };
}

/** ``Fixed: `errors.unknown-product`.`` */
function betterLine(wanted: VerdictChangeKind, changes: readonly VerdictChange[]): string[] {
  const ids = changes.flatMap(({ kind, id }) => (kind === wanted ? [`\`${id}\``] : []));
  return ids.length === 0 ? [] : [`${capitalized(changeKinds[wanted].label)}: ${ids.join(", ")}.`];
}

/** The verdict of a requirement before or after. */
function verdictName(id: VerdictChange["before"]): string {
  return id === "absent" ? "not there" : verdictLabels[id];
}

function verdictCounts(old: Results, now: Results): Table {
  const count = (of: Results, verdict: Verdict) =>
    of.requirements.filter((requirement) => requirement.verdict === verdict).length;
  const rows = (Object.keys(verdictLabels) as Verdict[])
    .map((verdict) => ({ verdict, before: count(old, verdict), after: count(now, verdict) }))
    .filter(({ before, after }) => before + after > 0);
  return {
    title: "Requirements by verdict, before and after",
    head: ["verdict", "before", "after"],
    figures: [1, 2],
    rows: rows.map(({ verdict, before, after }) => ({
      cells: [verdictLabels[verdict], grouped(before), grouped(after)],
    })),
  };
}

/** The load of one scenario before and after. */
function loadSuite({ scenario, profile, latency }: ComparedLoad, place: number, { old, now }: Both): Suite {
  const [before, after] = [old, now].map(({ load }) => load.find((one) => one.scenario === scenario));
  return {
    ...emptySuite,
    id: `load-${place}`,
    title: `Load: ${scenarioLabel(scenario)} (${profile})`,
    tone: "good",
    tables: [latencyTable(latency), limitTable(before, after)].filter(({ rows }) => rows.length > 0),
    lines:
      latency.length === 0
        ? []
        : ["Latency is shown, not judged: whether a release is slower is judged while both run, with twin."],
  };
}

function latencyTable(latency: ComparedLoad["latency"]): Table {
  return {
    title: "Latency of successful responses, largest increase first",
    head: ["endpoint", "statistic", "before", "after", "change"],
    figures: [2, 3, 4],
    rows: latency.map(({ endpoint, statistic, ...one }) => ({
      cells: [
        capitalized(requestLabel(endpoint)),
        statistic,
        milliseconds(one.before),
        milliseconds(one.after),
        change(one.change),
      ],
    })),
  };
}

/** Limits that are not passed now, or were not before, exceeded ones first. */
function limitTable(old: LoadResult | undefined, now: LoadResult | undefined): Table {
  const states = Object.keys(limitTones) as (keyof typeof limitTones)[];
  const rows = (now?.thresholds ?? []).map((threshold) => {
    const earlier = old?.thresholds.find(
      ({ metric, statistic }) => metric === threshold.metric && statistic === threshold.statistic,
    );
    return { threshold, earlier, is: stateOf(threshold), was: earlier && stateOf(earlier) };
  });
  return {
    title: "Limits that did not pass in both, exceeded ones first",
    head: ["limit on", "before", "after", "verdict"],
    figures: [1, 2],
    rows: rows
      .filter(({ is, was }) => is !== "passed" || was !== is)
      .toSorted((one, other) => states.indexOf(one.is) - states.indexOf(other.is))
      .map(({ threshold, earlier, is, was }) => ({
        tone: limitTones[is],
        cells: [
          thresholdLabel(threshold),
          earlier === undefined ? "–" : thresholdFigures(earlier),
          thresholdFigures(threshold),
          is === was ? is : `${was ?? "not measured"}, now ${is}`,
        ],
      })),
  };
}

/** How a limit ended, worst first. */
const limitTones = {
  exceeded: "bad",
  "not judged": "unsure",
  passed: "good",
} as const satisfies Record<string, Tone>;

function stateOf(threshold: Threshold): keyof typeof limitTones {
  if (threshold.met || threshold.guards === "search") return "passed";
  return isCrossed(threshold) ? "exceeded" : "not judged";
}
