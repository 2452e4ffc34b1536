import type { LoadComparison } from "../../../schemas/types.ts";
import { runsNeeded } from "./interval.ts";
import type { LoadRun } from "./load-run.ts";
import { type MeasuredRow, measureRows, type UnmeasuredRow } from "./rows.ts";
import { type Answer, answerTo, type LatencyRule } from "./rule.ts";

/** One scenario's latency on two sides: what goes into the results, and what `--explain` shows besides. */
export interface LoadRegression {
  readonly scenario: string;
  readonly profile: string;
  readonly comparison: LoadComparison;
  readonly rows: readonly MeasuredRow[];
  readonly rule: LatencyRule;
  readonly unmeasured: readonly UnmeasuredRow[];
  readonly notes: readonly string[];
}

/**
 * Compares the runs of one scenario on two sides. They must be alike: nothing here looks at their comparability.
 *
 * Slower when the whole or any one endpoint is; else faster when the whole is, same when p50 and p95 of the whole are,
 * and inconclusive otherwise.
 */
export function compareLoad(
  before: readonly LoadRun[],
  after: readonly LoadRun[],
  rule: LatencyRule,
  scenarios = 1,
): LoadRegression {
  const { measured, unmeasured } = measureRows(before, after, rule, scenarios);
  const answers = measured.map((row) => answerTo(row.change, rule));
  const whole = answers.filter((_, place) => measured[place]?.isWhole);
  const answer = answers.includes("slower") ? "slower" : answerOfWhole(whole);
  return {
    scenario: after[0]?.scenario ?? "",
    profile: after[0]?.profile ?? "",
    comparison: {
      answer,
      reason: reasonFor(answer, measured, answers, rule),
      runs: { before: before.length, after: after.length },
      endpoints: measured.map(({ endpoint, statistic, change }, place) => ({
        endpoint,
        statistic,
        answer: answers[place] ?? "inconclusive",
        before: change.before,
        after: change.after,
        change: change.change,
        low: change.low,
        high: change.high,
      })),
    },
    rows: measured,
    rule,
    unmeasured,
    notes: notesOn(before, after),
  };
}

function answerOfWhole(answers: readonly Answer[]): Answer {
  if (answers.length === 0) return "inconclusive";
  if (answers.includes("faster")) return "faster";
  return answers.every((answer) => answer === "same") ? "same" : "inconclusive";
}

const mostNamed = 4;

function reasonFor(
  answer: Answer,
  rows: readonly MeasuredRow[],
  answers: readonly Answer[],
  { minimumEffect }: LatencyRule,
): string {
  switch (answer) {
    case "slower":
    case "faster": {
      const found = rows.filter((_, place) => answers[place] === answer);
      const named = found
        .slice(0, mostNamed)
        .map(({ endpoint, statistic, change }) => `${endpoint} ${statistic} ${signed(change.change)}`);
      const rest = found.length > mostNamed ? [`${found.length - mostNamed} more`] : [];
      return [...named, ...rest].join(", ");
    }
    case "same":
      return `${rows[0]?.endpoint}: no change of ${percent(minimumEffect)} or more is likely, and no endpoint is slower`;
    case "inconclusive":
      return inconclusiveReason(rows, answers, minimumEffect);
    case "refused":
      return "the runs are not alike";
    default:
      return answer satisfies never;
  }
}

function inconclusiveReason(
  rows: readonly MeasuredRow[],
  answers: readonly Answer[],
  minimumEffect: number,
): string {
  const [open] = rows.filter((row, place) => row.isWhole && answers[place] === "inconclusive");
  if (open === undefined) return "too few samples in a run: make them longer, or the rate higher";
  const { endpoint, statistic, change, leftOut } = open;
  const needed = runsNeeded(change.spread, leftOut, Math.log1p(minimumEffect) / 2);
  const mend =
    needed === undefined
      ? "these runs spread too much for more of them to tell: look for what else the machine does, or make them longer"
      : `at this spread about ${needed} runs a side would tell`;
  return `${endpoint} ${statistic}: the change lies between ${signed(change.low)} and ${signed(change.high)}; ${mend}`;
}

/** A drift of the machine looks like a change of the service when one side was run after the other. */
function notesOn(before: readonly LoadRun[], after: readonly LoadRun[]): string[] {
  const starts = (side: readonly LoadRun[]) => side.map(({ startedAt }) => Date.parse(startedAt));
  const [first, second] = [starts(before), starts(after)];
  const apart = Math.max(...first) < Math.min(...second) || Math.max(...second) < Math.min(...first);
  return apart && before.length > 1 && after.length > 1
    ? [
        "one side was run after the other: what the machine did meanwhile looks like a change of the service; run the sides in turn (before, after, before, …)",
      ]
    : [];
}

/** A share as signed percent: +20.0 %. */
export function signed(share: number): string {
  const sign = share < 0 ? "−" : "+";
  return `${sign}${Math.abs(share * 100).toFixed(1)} %`;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}
