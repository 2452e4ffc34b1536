import type { LoadComparison } from "../../schemas/contracts/load-result.ts";
import { comparisonLabels } from "../../schemas/verdicts.ts";
import { requestName } from "../../schemas/words/comparison.ts";
import { capitalized, change, changeBetween, milliseconds } from "../../schemas/words/format.ts";
import type { TableBlock } from "./document.ts";
import { comparisonTones, type Tone } from "./tones.ts";

/** One latency before and after, in words. */
export interface LatencyRow {
  readonly answer: LoadComparison["answer"];
  /** `lookup-by-id/p95`. */
  readonly id: string;
  readonly endpoint: string;
  readonly statistic: string;
  readonly before: string;
  readonly after: string;
  readonly change: string;
  readonly interval: string;
  readonly label: string;
  readonly tone: Tone;
  readonly text: string;
}

/** Latencies in words. `later` says when the second of two values was measured: `now`, or `after`. */
export function latencyRows(endpoints: LoadComparison["endpoints"], later: "now" | "after"): LatencyRow[] {
  return endpoints.map((one) => {
    const { answer, statistic } = one;
    const endpoint = capitalized(requestName(one.endpoint));
    const [before, after, moved] = [milliseconds(one.before), milliseconds(one.after), change(one.change)];
    const interval = changeBetween(one.low, one.high);
    const label = comparisonLabels[answer];
    return {
      answer,
      id: `${one.endpoint}/${statistic}`,
      endpoint,
      statistic,
      before,
      after,
      change: moved,
      interval,
      label,
      tone: comparisonTones[answer],
      text: `${endpoint} ${statistic}: ${before} before, ${after} ${later}, ${moved} (${interval}): ${label}`,
    };
  });
}

interface LatencyTableParts {
  readonly caption: string;
  readonly later: "now" | "after";
  /** Number of latencies in Markdown. */
  readonly shown: number;
  /** Head of the column of intervals. */
  readonly interval?: string;
}

/** Latencies before and after; the true change most likely lies within the interval. */
export function latencyTable(
  rows: readonly LatencyRow[],
  { caption, later, shown, interval = "interval" }: LatencyTableParts,
): TableBlock {
  return {
    kind: "table",
    caption,
    figures: true,
    most: { shown, one: "latency", many: "latencies" },
    columns: [
      "endpoint",
      "statistic",
      { head: "before", figure: true },
      { head: later, figure: true },
      { head: "change", figure: true },
      { head: interval },
      "verdict",
    ],
    rows: rows.map(({ endpoint, statistic, before, after, change, interval, label, tone, text }) => ({
      cells: [
        endpoint,
        statistic,
        { own: before },
        { own: after },
        tone === "bad" ? { strong: { own: change } } : { own: change },
        { own: interval },
        { tone, label },
      ],
      sentence: text,
    })),
  };
}
