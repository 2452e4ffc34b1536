import { printable, wrap } from "../../report/lines.ts";
import type { ConsoleStyle } from "../../report/style.ts";
import type { RunValue } from "./interval.ts";
import { type LoadRegression, signed } from "./load-regression.ts";
import type { MeasuredRow } from "./rows.ts";

/** How each answer of `compare` came about: `--explain`. */
export function renderArithmetic(regression: LoadRegression, style: ConsoleStyle): string[] {
  const { scenario, rows, rule, comparison } = regression;
  if (rows.length + regression.unmeasured.length === 0) return [];
  const { minimumEffect, minimumMilliseconds, resamples, seed } = rule;
  const share = (value: number) => `${Number((value * 100).toPrecision(3))} %`;
  const method = [
    `Each run is resampled ${resamples} times (seed ${seed}): the samples within it, by its own distribution. The logarithms of the runs' values are compared: their difference is the change, and the interval is the larger of t × spread between runs and z × spread by sampling, times the root of 1/runs before + 1/runs after.`,
    `All intervals of the comparison together leave out ${share(rule.falseAlarms)}: of ${share(rows.reduce((sum, row) => sum + row.leftOut, 0))} for this scenario, the rows of the whole have half.`,
    `Slower: the interval lies above 0, and the change is ${share(minimumEffect)} or more and ${minimumMilliseconds} ms or more. Same: nothing in the interval is as much. Faster: as slower, on the other side. Else inconclusive.`,
  ];
  return [
    style.strong(`Arithmetic of ${scenario}`),
    ...method.flatMap((line) => wrap(line, { width: style.width, indent: "  " })),
    ...regression.unmeasured.map(
      ({ endpoint, statistic, reason }) => `  ${printable(endpoint)} ${statistic}: not judged, ${reason}`,
    ),
    ...rows.flatMap((row, place) => renderRow(row, comparison.endpoints[place]?.answer ?? "", style)),
  ];
}

function renderRow(row: MeasuredRow, answer: string, style: ConsoleStyle): string[] {
  const { endpoint, statistic, before, after, samples, leftOut, change, isWhole } = row;
  const { spread } = change;
  const percent = (value: number) => `${(value * 100).toFixed(2)} %`;
  const sampling = spread.normalQuantile * spread.withinRuns;
  const between = spread.studentQuantile * spread.betweenRuns;
  const lines = [
    `before ${values(before)}`,
    `after ${values(after)}`,
    `change ${signed(change.change)}: ${change.before.toFixed(3)} to ${change.after.toFixed(3)} ms, geometric means`,
    `between runs: t ${spread.studentQuantile.toFixed(3)} (${spread.degreesOfFreedom} degrees of freedom) × ${percent(spread.betweenRuns)} = ${percent(between)}`,
    `by sampling: z ${spread.normalQuantile.toFixed(3)} × ${percent(spread.withinRuns)} = ${percent(sampling)}`,
    `× √(1/${before.length} + 1/${after.length}) = ${percent(spread.halfWidth)} each way: ${signed(change.low)} to ${signed(change.high)}, ${answer}`,
  ];
  return [
    `  ${printable(endpoint)} ${statistic}, ${samples} samples, interval of ${percent(1 - leftOut)}${isWhole ? ", speaks for the whole" : ""}`,
    ...lines.flatMap((line) => wrap(line, { width: style.width, indent: "    " })),
  ];
}

function values(side: readonly RunValue[]): string {
  return side
    .map(
      ({ milliseconds, samplingError }) =>
        `${milliseconds.toFixed(3)} ms ±${(samplingError * 100).toFixed(1)} %`,
    )
    .join(", ");
}
