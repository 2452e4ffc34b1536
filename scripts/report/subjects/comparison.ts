import type { Verdict } from "../../../conformance/requirements/verdict.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { LoadComparison, LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import type { Threshold } from "../../../schemas/contracts/threshold.ts";
import { scenarioLabel } from "../../../schemas/scenarios.ts";
import { comparisonLabels, isCrossed, verdictLabels } from "../../../schemas/verdicts.ts";
import { requestName } from "../../../schemas/words/comparison.ts";
import { defaultWords } from "../../../schemas/words/finding-words.ts";
import {
  capitalized,
  counted,
  figure,
  grouped,
  milliseconds,
  percent,
} from "../../../schemas/words/format.ts";
import { findingFix, findingText } from "../../../schemas/words/index.ts";
import { thresholdFigures, thresholdLabel } from "../../../schemas/words/thresholds.ts";
import type { Comparison, RunsToCompare } from "../../runs/compare/compare-runs.ts";
import { type Curve, pooled, quantile, shareBelow } from "../../runs/compare/curve.ts";
import type { LatencyAnswer, LoadRegression } from "../../runs/compare/latency.ts";
import type { VerdictChange, VerdictChangeKind } from "../../runs/compare/verdict-changes.ts";
import { contractTable, shownChanges } from "../contract.ts";
import {
  type Blocks,
  type ChartPlan,
  type Document,
  group,
  line,
  names,
  only,
  onlyText,
  paragraph,
  requirementNouns,
  type SectionBlock,
  type TableBlock,
  type Text,
} from "../document.ts";
import { latencyRows, latencyTable } from "../latency-table.ts";
import { fewestOfCurve, niceStep } from "../plan-chart.ts";
import { type NamedColumn, runColumns } from "../run-names.ts";
import { visibleText } from "../text.ts";
import { comparisonTones, type Tone } from "../tones.ts";

/** Meaning of each verdict, a sentence without its full stop. */
const meanings = {
  worse: "something got worse",
  same: "nothing got worse",
  "not judged": "nothing is known to be worse, but not everything could be compared",
} as const satisfies Record<Comparison["verdict"], string>;

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

/** What changed between these runs, worst first. */
export function comparisonDocument(comparison: Comparison, runs: RunsToCompare): Document {
  const { verdict, exitCode, load } = comparison;
  const columns = runColumns([...runs.before, ...runs.after]);
  const before = columns.slice(0, runs.before.length);
  const after = columns.slice(runs.before.length);
  const label = verdict;
  const tone = verdictTones[verdict];
  const meaning = `${capitalized(meanings[verdict])}.`;
  const reasons = comparison.reasons.map(findingWords);
  const targets = [...new Set(columns.map(({ target }) => target))];
  const notes = comparison.notes.map((note) => paragraph(line`Note: ${findingWords(note)}`));
  const loadParts = load.map((regression, place) => loadSection(regression, place, runs));
  return {
    page: "compare.html",
    whole: "the results.json of each run",
    skip: "Skip to what changed",
    withoutScript: "Without JavaScript, the page shows everything except the charts.",
    tone,
    label,
    about: line`comparison of ${names(targets, " and ")}`,
    summary: meaning,
    head: [
      {
        kind: "list",
        only: ["console"],
        items: [{ text: { strong: { tone, label: label.toUpperCase() } }, below: reasons }],
      },
      paragraph(meaning, "markdown"),
      { kind: "list", only: ["markdown"], items: reasons, most: { shown: 50, one: "reason" } },
      { kind: "list", only: ["html"], ordered: true, items: reasons },
      only(
        ["console"],
        paragraph(`Before: ${comparison.before.join(", ")}`),
        paragraph(`After:  ${comparison.after.join(", ")}`),
      ),
      group(...notes),
      {
        kind: "facts",
        only: ["html"],
        facts: [
          ["Before", runsText(before)],
          ["After", runsText(after)],
          ["Exit code", { strong: { own: String(exitCode) } }],
        ],
      },
    ],
    blocks: [
      ...loadParts.map((part) => ({ ...part, only: ["markdown" as const] })),
      requirementsSection(comparison, runs),
      contractSection(comparison),
      ...loadParts.map((part) => ({ ...part, only: ["console" as const, "html" as const] })),
      runsSection(before, after),
      paragraph({ own: `Exit code ${exitCode}` }, "markdown"),
      paragraph({ own: `Exit ${exitCode}: ${meanings[verdict]}.` }, "console"),
    ],
  };
}

/** A finding with its fix. */
function findingWords(finding: Finding): string {
  const fix = findingFix(finding, defaultWords);
  return [findingText(finding, defaultWords), ...(fix === undefined ? [] : [fix])].join(" ");
}

function newest(runs: RunsToCompare["before"]): Results {
  return runs
    .map(({ results }) => results)
    .reduce((latest, one) => (Date.parse(one.startedAt) > Date.parse(latest.startedAt) ? one : latest));
}

/** The run, or the first and last of several. */
function runsText(runs: readonly NamedColumn[]): Text {
  const [first] = runs;
  const last = runs.at(-1);
  if (first === undefined || last === undefined) return "none";
  const commits = new Set(runs.map(({ commit }) => commit).filter((commit) => commit !== undefined));
  const shown = commits.size === 0 ? [] : line`, commit ${names([...commits])}`;
  const when = { time: first.startedAt };
  if (runs.length === 1) return [when, ...shown];
  return line`${{ own: counted(runs.length, "run") }}, ${when} to ${{ time: last.startedAt }}${shown}`;
}

/** Requirements of the newest run before and after by verdict, and those whose verdict changed. */
function requirementsSection({ requirements }: Comparison, runs: RunsToCompare): SectionBlock {
  const [old, now] = [newest(runs.before), newest(runs.after)];
  const isJudged = old.requirements.length > 0 && now.requirements.length > 0;
  return {
    kind: "section",
    id: "requirements",
    title: "Requirements",
    blocks: isJudged
      ? [
          { ...verdictCounts(old, now), only: ["markdown", "html"] },
          requirements.length > 0
            ? undefined
            : paragraph("No requirement changed its verdict.", "markdown", "html"),
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
    caption: "Requirements by verdict, in the newest run before and after",
    figures: true,
    columns: ["verdict", "before", "after", { head: "change", only: ["html"] }],
    rows: rows.map(({ verdict, before, after }) => ({
      cells: [
        verdictLabels[verdict],
        { own: grouped(before) },
        { own: grouped(after) },
        before === after ? "" : { own: `${after > before ? "+" : "−"}${grouped(Math.abs(after - before))}` },
      ],
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
          ? [paragraph([onlyText(["console"], "no change"), onlyText(["markdown", "html"], "No change.")])]
          : [contractTable(shownChanges(drift))],
  };
}

const order: readonly LatencyAnswer[] = ["slower", "inconclusive", "refused", "same", "faster"];

/** Latencies, worst first: slower, then not judged, each by the size of its change. */
export function worstFirst(rows: LoadComparison["endpoints"]): LoadComparison["endpoints"] {
  return rows.toSorted(
    (one, other) => order.indexOf(one.answer) - order.indexOf(other.answer) || other.change - one.change,
  );
}

/** The load of one scenario before and after. */
function loadSection(regression: LoadRegression, place: number, runs: RunsToCompare): SectionBlock {
  const { scenario, profile, comparison, unmeasured, notes } = regression;
  const { answer, findings, endpoints } = comparison;
  const loadOf = ({ load }: Results) => load.filter((one) => one.scenario === scenario);
  const of = (side: RunsToCompare["before"]) => side.flatMap(({ results }) => loadOf(results));
  const [old, now] = [newest(runs.before), newest(runs.after)].map((results) => loadOf(results)[0]);
  const thresholds = thresholdsOf(old, now);
  const passed = thresholds.filter(({ tone }) => tone === "good");
  const share = `${grouped(passed.length)} of ${counted(thresholds.length, "threshold")} passed`;
  const name = `${scenarioLabel(scenario)} (${profile})`;
  const label = comparisonLabels[answer];
  const tone = comparisonTones[answer];
  const compared = `${counted(comparison.runs.before, "run")} before, ${comparison.runs.after} after`;
  const title = line`Load: ${name}`;
  return {
    kind: "section",
    id: `load-${place}`,
    titles: {
      console: line`${title}, ${{ own: compared }}: ${{ tone, label }}`,
      markdown: title,
      html: title,
    },
    blocks: [
      paragraph(line`${{ strong: { own: capitalized(label) } }}, ${{ own: compared }}`, "markdown"),
      paragraph(line`${{ tone, label }} ${{ faint: { own: compared } }}`, "html"),
      {
        kind: "list",
        most: { shown: 50, one: "line" },
        items: [...[...findings, ...notes].map(findingWords), ...unmeasuredLine(unmeasured.length)],
      },
      latencyTable(latencyRows(worstFirst(endpoints), "after"), {
        caption:
          "Latency of successful responses, worst first; the true change most likely lies within the interval",
        later: "after",
        shown: 50,
        // The interval of a pair does not know how much runs differ.
        interval: runs.before.length + runs.after.length === 2 ? "interval (sampling only)" : "interval",
      }),
      thresholdTable(
        "Thresholds of the newest run before and after, crossed ones first",
        thresholds.filter(({ tone }) => tone !== "good"),
      ),
      thresholds.length === 0 ? undefined : paragraph({ own: `${share}.` }, "markdown"),
      ...distributions(of(runs.before), of(runs.after)),
      {
        kind: "fold",
        only: ["html"],
        title: { own: `${share} in the newest run` },
        blocks: [thresholdTable("Thresholds that passed in the newest run", passed)],
      },
    ],
  };
}

/** Says how many statistics are not shown; nothing for none. */
function unmeasuredLine(length: number): Text[] {
  if (length === 0) return [];
  const line = `${counted(length, "more statistic has", "more statistics have")} too few samples to be judged`;
  return [[line, onlyText(["console"], { own: "; --json lists them" }), { own: "." }]];
}

/** A limit in the newest run before and after. */
interface ComparedThreshold {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly label: string;
  readonly tone: Tone;
}

/** Limits of the later run beside the values of the earlier one, crossed limits first. */
function thresholdsOf(old: LoadResult | undefined, now: LoadResult | undefined): ComparedThreshold[] {
  const states = Object.keys(thresholdTones) as (keyof typeof thresholdTones)[];
  const rows = (now?.thresholds ?? []).map((threshold) => {
    const earlier = old?.thresholds.find(
      ({ metric, statistic }) => metric === threshold.metric && statistic === threshold.statistic,
    );
    const is = stateOf(threshold);
    const was = earlier && stateOf(earlier);
    const row = {
      name: thresholdLabel(threshold),
      before: earlier === undefined ? "–" : thresholdFigures(earlier),
      after: thresholdFigures(threshold),
      label: is === was ? is : `${was ?? "not measured"}, now ${is}`,
      tone: thresholdTones[is],
    };
    return { is, row };
  });
  return states.flatMap((state) => rows.filter(({ is }) => is === state).map(({ row }) => row));
}

/** How a limit ended, worst first. */
const thresholdTones = {
  crossed: "bad",
  "not judged": "unsure",
  passed: "good",
} as const satisfies Record<string, Tone>;

function stateOf(threshold: Threshold): keyof typeof thresholdTones {
  if (threshold.met || threshold.guards === "search") return "passed";
  return isCrossed(threshold) ? "crossed" : "not judged";
}

function thresholdTable(caption: string, rows: readonly ComparedThreshold[]): TableBlock {
  return {
    kind: "table",
    only: ["markdown", "html"],
    caption,
    figures: true,
    columns: ["limit on", "before", "after", "verdict"],
    rows: rows.map(({ name, before, after, label, tone }) => ({
      cells: [
        name,
        { own: before },
        { own: after },
        [onlyText(["markdown"], { strong: { own: label } }), onlyText(["html"], { tone, label })],
      ],
    })),
  };
}

/** The latency of one kind of request, all runs before together and all runs after. */
interface Distributions {
  readonly endpoint: string;
  readonly before: Curve;
  readonly after: Curve;
}

/** Charts of each kind of request with enough responses. */
function distributions(before: readonly LoadResult[], after: readonly LoadResult[]): Blocks {
  const curves = (side: readonly LoadResult[], endpoint: string) =>
    pooled(
      side.flatMap(({ percentiles = [] }) =>
        percentiles.filter((curve) => curve.endpoint === endpoint && curve.count > 0),
      ),
    );
  const names = new Set(after.flatMap(({ percentiles = [] }) => percentiles.map(({ endpoint }) => endpoint)));
  return [...names].flatMap((name): Blocks => {
    const [old, now] = [curves(before, name), curves(after, name)];
    if (old === undefined || now === undefined || Math.min(old.count, now.count) < fewestOfCurve) return [];
    const endpoint = capitalized(requestName(name));
    const overlaid: Distributions = { endpoint, before: old, after: now };
    const counts = `${counted(old.count, "response")} before, ${grouped(now.count)} after`;
    return [
      {
        kind: "section",
        only: ["html"],
        title: line`${endpoint} ${{ faint: { own: counts } }}`,
        blocks: [planPercentiles(overlaid), planHistogram(overlaid)].map((plan) => ({ kind: "chart", plan })),
      },
    ];
  });
}

function planPercentiles({ endpoint, before, after }: Distributions): ChartPlan {
  const ends = [before, after].map(({ count }) => 1 - 1 / Math.max(2, count));
  // Up to the last percentile that the smaller sample supports.
  const last = Math.min(...ends);
  const shares = [...new Set([...before.at, ...after.at].map((place) => place / 100))]
    .filter((share) => share < last)
    .toSorted((one, other) => one - other);
  const all = [...shares, last];
  return {
    title: "Latency by percentile, ms",
    summary: `${visibleText(endpoint)}: ${[0.5, 0.95, 0.99]
      .filter((share) => share <= last)
      .map((share) => {
        const [old, now] = [before, after].map((curve) => milliseconds(quantile(curve, share)));
        return `p${share * 100} ${old} before, ${now} after`;
      })
      .join("; ")}`,
    unit: "ms",
    across: "nines",
    x: all.map((share) => -Math.log10(1 - share)),
    lines: [
      { name: "after", values: all.map((share) => quantile(after, share)), dashed: false },
      { name: "before", values: all.map((share) => quantile(before, share)), dashed: true },
    ],
  };
}

const mostBars = 40;
/** The histogram ends at p99: the slowest 1 % can be as far out as all others together. */
const endOfHistogram = 0.99;

function planHistogram({ endpoint, before, after }: Distributions): ChartPlan {
  const end = Math.max(...[before, after].map((curve) => quantile(curve, endOfHistogram))) || 1;
  const step = niceStep(end / mostBars);
  const edges = Array.from({ length: Math.ceil(end / step) }, (_, bar) => bar * step);
  const shares = (curve: Curve) =>
    edges.map((edge) => 100 * (shareBelow(curve, edge + step) - shareBelow(curve, edge)));
  const beyond = [before, after].map((curve) => percent(1 - shareBelow(curve, (edges.at(-1) ?? 0) + step)));
  return {
    title: `Responses by latency, % in steps of ${figure(step)} ms`,
    summary: `${visibleText(endpoint)}: beyond the right end lie ${beyond[0]} of the responses before and ${beyond[1]} after`,
    unit: "%",
    across: "milliseconds",
    x: edges.map((edge) => edge + step / 2),
    lines: [
      { name: "after", values: shares(after) },
      { name: "before", values: shares(before), dashed: true },
    ],
  };
}

function runsSection(before: readonly NamedColumn[], after: readonly NamedColumn[]): SectionBlock {
  const row = (when: string, run: NamedColumn) => {
    const { name, startedAt, label, tone, part, commit = "", branch = "", target, baseUrl, host = "" } = run;
    return {
      cells: [
        when,
        [
          onlyText(["markdown"], { code: name }),
          onlyText(["html"], { link: name, to: `${name}/report.html` }),
        ],
        { time: startedAt },
        [{ tone, label }, ...(part === undefined ? [] : [{ faint: { own: ` (${part})` } }])],
        { code: commit },
        branch,
        { lines: [target, { faint: baseUrl }] },
        host,
      ],
    };
  };
  return {
    kind: "section",
    id: "runs",
    title: "Runs",
    only: ["markdown", "html"],
    blocks: [
      {
        kind: "table",
        caption: "Compared runs",
        columns: [
          ...["when", "run", "started", "verdict", "commit"],
          { head: "branch", only: ["html"] },
          { head: "target", only: ["html"] },
          "machine",
        ],
        rows: [...before.map((run) => row("before", run)), ...after.map((run) => row("after", run))],
      },
    ],
  };
}
