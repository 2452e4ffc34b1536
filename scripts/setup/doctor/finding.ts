import { wrap } from "../../report/lines.ts";
import type { ConsoleStyle } from "../../report/style.ts";

/** One thing that `doctor` looked at. A note limits what can be judged; a problem keeps a run from being made. */
export interface Finding {
  readonly about: string;
  readonly status: "ok" | "note" | "problem";
  readonly found: string;
  readonly mend?: string;
}

/** One line for each finding, and the mend below it where there is one. */
export function renderFindings(findings: readonly Finding[], style: ConsoleStyle): string {
  const paint = { ok: style.good, note: style.unsure, problem: style.bad };
  const width = Math.max(...findings.map(({ about }) => about.length));
  const lines = findings.flatMap(({ about, status, found, mend }) => [
    `${paint[status](status.padEnd(7))} ${about.padEnd(width)}  ${found}`,
    ...(mend === undefined ? [] : wrap(mend, { width: style.width, indent: " ".repeat(width + 10) })),
  ]);
  return `${lines.join("\n")}\n`;
}
