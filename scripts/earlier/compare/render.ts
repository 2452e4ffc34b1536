import type { Drift } from "../../../schemas/types.ts";
import { printable, wrap } from "../../report/lines.ts";
import type { ConsoleStyle } from "../../report/style.ts";
import type { Comparison } from "./comparison.ts";
import { renderArithmetic } from "./render-arithmetic.ts";
import { renderLoadRegression } from "./render-load.ts";
import type { VerdictChangeKind } from "./verdict-changes.ts";

/** A comparison as text for a terminal; with `explain`, the arithmetic of the load too. */
export function renderComparison(comparison: Comparison, style: ConsoleStyle, explain: boolean): string {
  const { load, notes, before, after } = comparison;
  const blocks = [
    renderVerdict(comparison, style),
    [`Before: ${before.join(", ")}`, `After:  ${after.join(", ")}`].flatMap((line) =>
      wrap(printable(line), { width: style.width }),
    ),
    notes.flatMap((note) => wrap(`Note: ${printable(note)}`, { width: style.width })),
    renderRequirements(comparison, style),
    renderDrift(comparison, style),
    ...load.map((regression) => renderLoadRegression(regression, style)),
    ...(explain ? load.map((regression) => renderArithmetic(regression, style)) : []),
    [exitLine(comparison)],
  ];
  const text = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${text.join("\n\n")}\n`;
}

function renderVerdict({ verdict, reasons }: Comparison, style: ConsoleStyle): string[] {
  const paint = { regression: style.bad, "no regression": style.good, incomplete: style.unsure }[verdict];
  return [
    paint(style.strong(verdict.toUpperCase())),
    ...reasons.flatMap((reason) => wrap(printable(reason), { width: style.width, indent: "  " })),
  ];
}

function renderRequirements({ requirements }: Comparison, style: ConsoleStyle): string[] {
  if (requirements.length === 0) return [];
  const paint: Readonly<Record<VerdictChangeKind, (text: string) => string>> = {
    "newly failing": style.bad,
    "failing, not judged before": style.bad,
    "no longer judged": style.unsure,
    "newly worth a look": style.unsure,
    fixed: style.good,
    "newly judged": style.good,
  };
  return [
    style.strong("Requirements"),
    ...requirements.flatMap(({ kind, id, before, after, statement, reason }) => [
      `  ${paint[kind](kind)}: ${printable(id)} (${before} before, ${after} after)`,
      ...wrap(printable(statement), { width: style.width, indent: "    " }),
      ...wrap(printable(reason), { width: style.width, indent: "    " }).map(style.faint),
    ]),
  ];
}

function renderDrift({ drift }: Comparison, style: ConsoleStyle): string[] {
  if (drift === undefined) return [];
  const paint: Readonly<Record<Drift["rank"], (text: string) => string>> = {
    breaking: style.bad,
    notable: style.unsure,
    harmless: style.faint,
  };
  return [
    style.strong("Contract"),
    ...(drift.length === 0 ? ["  the same"] : []),
    ...drift.flatMap(({ rank, statement, rule }) => {
      const [first = "", ...rest] = wrap(printable(`${rank}: ${statement} (${rule})`), {
        width: style.width,
        indent: "  ",
      });
      return [first.replace(rank, paint[rank](rank)), ...rest];
    }),
  ];
}

function exitLine({ verdict, exitCode }: Comparison): string {
  const meanings = {
    regression: "something got worse",
    "no regression": "nothing got worse",
    incomplete: "nothing is known to be worse, but not all could be compared",
  } as const satisfies Record<Comparison["verdict"], string>;
  return `Exit ${exitCode}: ${meanings[verdict]}.`;
}
