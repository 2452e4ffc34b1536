import { figure, milliseconds, percent } from "../../schemas/words/format.ts";
import { type Curve, quantile, shareBelow } from "../runs/compare/curve.ts";
import type { Distributions } from "./comparison.ts";
import { type ChartPlan, niceStep } from "./html/client/plan-chart.ts";
import { visibleText } from "./text.ts";

const mostBars = 40;
/** The histogram ends at p99: the slowest 1 % can be as far out as all others together. */
const endOfHistogram = 0.99;

/** Two latency distributions overlaid: by percentile, and as a histogram. */
export function planOverlays(distributions: Distributions): ChartPlan[] {
  return [planPercentiles(distributions), planHistogram(distributions)];
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
