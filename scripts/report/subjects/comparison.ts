import type { Verdict } from "../../../conformance/requirements/verdict.ts";
import type { SaidFinding } from "../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import type { Threshold } from "../../../schemas/contracts/threshold.ts";
import { requestLabel, scenarioLabel } from "../../../schemas/scenarios.ts";
import { isCrossed, verdictLabels } from "../../../schemas/verdicts.ts";
import { capitalized, change, counted, grouped, milliseconds } from "../../../schemas/words/format.ts";
import { thresholdFigures, thresholdLabel } from "../../../schemas/words/thresholds.ts";
import type { Comparison, RunsToCompare } from "../../earlier/compare-runs.ts";
import type { ComparedLoad } from "../../earlier/latency.ts";
import { contractTable, shownChanges } from "../../earlier/shown-changes.ts";
import type { VerdictChange, VerdictChangeKind } from "../../earlier/verdict-changes.ts";
import {
  type Document,
  group,
  line,
  names,
  paragraph,
  requirementNouns,
  type SectionBlock,
  type TableBlock,
  type Text,
} from "../document.ts";
import type { Tone } from "../tones.ts";

/** Meaning of each verdict, a sentence without its full stop; of a worse one, its first reason. Latency is part of none. */
const meanings = {
  same: "no requirement, limit or part of the contract got worse",
  "not judged": "nothing is known to be worse, but not everything could be compared",
} as const satisfies Record<Exclude<Comparison["verdict"], "worse">, string>;

const verdictTones = {
  worse: "bad",
  same: "good",
  "not judged": "unsure",
} as const satisfies Record<Comparison["verdict"], Tone>;

/** Labels of verdict changes, worst first. */
const changeLabels = {
  "newly-failing": "newly failing",
  "failing-not-judged-before": "failing, not judged before",
  "no-longer-judged": "no longer judged",
  "new-warning": "new warning",
  fixed: "fixed",
  "newly-judged": "newly judged",
} as const satisfies Record<VerdictChangeKind, string>;

const changeTones = {
  "newly-failing": "bad",
  "failing-not-judged-before": "bad",
  "no-longer-judged": "unsure",
  "new-warning": "notice",
  fixed: "good",
  "newly-judged": "good",
} as const satisfies Record<VerdictChangeKind, Tone>;

/** What changed between two runs, worst first. */
export function comparisonDocument(comparison: Comparison, runs: RunsToCompare): Document {
  const { verdict, exitCode, load } = comparison;
  const label = verdict;
  const tone = verdictTones[verdict];
  const reasons = comparison.reasons.map(findingWords);
  const more = reasons.length > 1 ? ` And ${counted(reasons.length - 1, "more change")}.` : "";
  const meaning = verdict === "worse" ? `${reasons[0] ?? ""}${more}` : `${capitalized(meanings[verdict])}.`;
  const targets = [...new Set([runs.before, runs.after].map(({ results }) => results.target.name))];
  const notes = comparison.notes.map((note) => paragraph(line`Note: ${findingWords(note)}`));
  return {
    page: "compare --json",
    tone,
    label,
    about: line`comparison of ${names(targets, " and ")}`,
    summary: meaning,
    head: [
      paragraph({ strong: { tone, label: label.toUpperCase() } }, "console"),
      paragraph(meaning, "markdown"),
      // A single reason is the summary.
      {
        kind: "list",
        items: verdict === "worse" && more === "" ? [] : reasons,
        most: { shown: 50, one: "reason" },
      },
      {
        kind: "facts",
        facts: [
          ["Before", runText(runs.before)],
          ["After", runText(runs.after)],
          ["Exit code", { strong: { own: String(exitCode) } }],
        ],
      },
      group(...notes),
    ],
    blocks: [
      requirementsSection(comparison, runs),
      contractSection(comparison),
      ...load.map((one, place) => loadSection(one, place, runs)),
      paragraph([{ own: `Exit ${exitCode}: ` }, meaning], "console"),
    ],
  };
}

/** A finding with its fix. */
function findingWords({ message, fix }: SaidFinding): string {
  return fix === undefined ? message : `${message} ${fix}`;
}

const commitLength = 7;

/** A run with what distinguishes it: its verdict, time, commit, target, machine. */
function runText({ name, results }: RunsToCompare["before"]): Text {
  const { startedAt, environment, target } = results;
  const commit = environment?.commit?.slice(0, commitLength);
  const about = [partOf(results), commit, environment?.branch, target.name, target.baseUrl, hostOf(results)];
  return [
    { code: name },
    ...line`, ${{ time: startedAt }}`,
    ...about.filter((one) => one !== undefined).flatMap((one) => [{ own: ", " }, { code: one }]),
  ];
}

/** The machine of the generator. */
function hostOf({ environment, load }: Results): string | undefined {
  return environment?.host ?? load.find(({ conditions }) => conditions !== undefined)?.conditions?.host;
}

/** Why the run cannot be compared with whole runs; undefined for a whole run. */
function partOf({ scope, exitCode, verdict, load }: Results): string | undefined {
  if (exitCode === 130) return "interrupted";
  if (verdict === "error" && !load.some((one) => one.verdict === "invalid")) return "did not finish";
  return scope === undefined ? undefined : `${scope.requirements} of ${scope.of} requirements`;
}

/** Requirements by verdict before and after, and those whose verdict changed. */
function requirementsSection({ requirements }: Comparison, runs: RunsToCompare): SectionBlock {
  const [old, now] = [runs.before.results, runs.after.results];
  const isJudged = old.requirements.length > 0 && now.requirements.length > 0;
  return {
    kind: "section",
    id: "requirements",
    title: "Requirements",
    blocks: isJudged
      ? [
          { ...verdictCounts(old, now), only: ["markdown"] },
          requirements.length > 0 ? undefined : paragraph("No requirement changed its verdict.", "markdown"),
          {
            kind: "cards",
            seen: "what changed",
            nouns: requirementNouns,
            cards: requirements.map(({ kind, id, level, statement, before, after, findings }) => ({
              tone: changeTones[kind],
              label: changeLabels[kind],
              id,
              about: {
                own: `${level.toUpperCase()}, ${verdictName(before)} before, ${verdictName(after)} after`,
              },
              title: statement,
              findings:
                findings.length === 0
                  ? []
                  : [{ facts: findings.map((finding) => ({ text: findingWords(finding) })), exchanges: [] }],
            })),
          },
        ]
      : [],
  };
}

/** The verdict of a requirement before or after. */
function verdictName(id: VerdictChange["before"]): string {
  return id === "absent" ? "not there" : verdictLabels[id];
}

function verdictCounts(old: Results, now: Results): TableBlock {
  const count = (of: Results, verdict: Verdict) =>
    of.requirements.filter((requirement) => requirement.verdict === verdict).length;
  const rows = (Object.keys(verdictLabels) as Verdict[])
    .map((verdict) => ({ verdict, before: count(old, verdict), after: count(now, verdict) }))
    .filter(({ before, after }) => before + after > 0);
  return {
    kind: "table",
    caption: "Requirements by verdict, before and after",
    columns: ["verdict", "before", "after"],
    rows: rows.map(({ verdict, before, after }) => ({
      cells: [verdictLabels[verdict], { own: grouped(before) }, { own: grouped(after) }],
    })),
  };
}

function contractSection({ drift }: Comparison): SectionBlock {
  return {
    kind: "section",
    id: "contract",
    title: "Contract",
    blocks:
      drift === undefined
        ? []
        : drift.length === 0
          ? [paragraph("No change.")]
          : [contractTable(shownChanges(drift))],
  };
}

/** The load of one scenario before and after. */
function loadSection(
  { scenario, profile, latency }: ComparedLoad,
  place: number,
  runs: RunsToCompare,
): SectionBlock {
  const [old, now] = [runs.before, runs.after].map(({ results }) =>
    results.load.find((one) => one.scenario === scenario),
  );
  return {
    kind: "section",
    id: `load-${place}`,
    title: `Load: ${scenarioLabel(scenario)} (${profile})`,
    blocks: [
      latency.length === 0 ? undefined : paragraph(latencyIsShown),
      latencyTable(latency),
      limitTable(old, now),
    ],
  };
}

const latencyIsShown =
  "Latency is shown, not judged: whether a release is slower is judged while both run, with twin.";

function latencyTable(latency: ComparedLoad["latency"]): TableBlock {
  return {
    kind: "table",
    caption: "Latency of successful responses, largest increase first",
    most: { shown: 50, one: "latency", many: "latencies" },
    columns: [
      "endpoint",
      "statistic",
      { head: "before", figure: true },
      { head: "after", figure: true },
      { head: "change", figure: true },
    ],
    rows: latency.map(({ endpoint, statistic, ...one }) => {
      const name = capitalized(requestLabel(endpoint));
      const [before, after] = [milliseconds(one.before), milliseconds(one.after)];
      const moved = change(one.change);
      return {
        cells: [name, statistic, { own: before }, { own: after }, { own: moved }],
        sentence: `${name} ${statistic}: ${before} before, ${after} after, ${moved}`,
      };
    }),
  };
}

/** Limits of the later run beside the values of the earlier one, exceeded limits first. */
function limitTable(old: LoadResult | undefined, now: LoadResult | undefined): TableBlock {
  const rows = (now?.thresholds ?? []).map((threshold) => {
    const earlier = old?.thresholds.find(
      ({ metric, statistic }) => metric === threshold.metric && statistic === threshold.statistic,
    );
    return { threshold, earlier, is: stateOf(threshold), was: earlier && stateOf(earlier) };
  });
  const states = Object.keys(limitTones) as (keyof typeof limitTones)[];
  return {
    kind: "table",
    only: ["markdown"],
    caption: "Limits before and after, exceeded ones first",
    columns: ["limit on", "before", "after", "verdict"],
    rows: rows
      .toSorted((one, other) => states.indexOf(one.is) - states.indexOf(other.is))
      .map(({ threshold, earlier, is, was }) => ({
        cells: [
          thresholdLabel(threshold),
          { own: earlier === undefined ? "–" : thresholdFigures(earlier) },
          { own: thresholdFigures(threshold) },
          { tone: limitTones[is], label: is === was ? is : `${was ?? "not measured"}, now ${is}` },
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
