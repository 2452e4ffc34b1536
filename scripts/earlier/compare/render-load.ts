import { printable, wrap } from "../../report/lines.ts";
import type { ConsoleStyle } from "../../report/style.ts";
import { type LoadRegression, signed } from "./load-regression.ts";
import type { Answer } from "./rule.ts";

/** The latency of one scenario, side by side, with the answer. */
export function renderLoadRegression(regression: LoadRegression, style: ConsoleStyle): string[] {
  const { scenario, profile, comparison, unmeasured, notes } = regression;
  const { answer, reason, runs, endpoints } = comparison;
  const widest = Math.max(8, ...endpoints.map(({ endpoint }) => printable(endpoint).length));
  const isPair = runs.before === 1 && runs.after === 1;
  const said = [reason, ...notes, ...unmeasuredLine(unmeasured)];
  return [
    `${style.strong(`Load ${printable(scenario)}`)} (${printable(profile)}), ${runs.before} before, ${runs.after} after: ${painted(answer, style)}`,
    ...said.flatMap((line) => wrap(printable(line), { width: style.width, indent: "  " })),
    ...(endpoints.length === 0
      ? []
      : [
          style.faint(
            `  ${"endpoint".padEnd(widest)}         before ms   after ms     change   interval${isPair ? ", by the chance of samples alone" : ""}`,
          ),
        ]),
    ...endpoints.map(
      ({ endpoint, statistic, answer: own, before, after, change, low, high }) =>
        `  ${printable(endpoint).padEnd(widest)}  ${printable(statistic)}  ${cell(before)} ${cell(after)}  ${signed(change).padStart(9)}   ${signed(low)} to ${signed(high)}  ${painted(own, style)}`,
    ),
  ];
}

function painted(answer: Answer, style: ConsoleStyle): string {
  switch (answer) {
    case "slower":
      return style.bad(answer);
    case "faster":
    case "same":
      return style.good(answer);
    case "inconclusive":
    case "refused":
      return style.unsure(answer);
    default:
      return answer satisfies never;
  }
}

function unmeasuredLine(unmeasured: LoadRegression["unmeasured"]): string[] {
  const count = unmeasured.length;
  if (count === 0) return [];
  return [
    `${count} more ${count === 1 ? "statistic has" : "statistics have"} too few samples to be judged; --explain lists them`,
  ];
}

function cell(milliseconds: number): string {
  return milliseconds.toFixed(milliseconds < 100 ? 2 : 0).padStart(10);
}
