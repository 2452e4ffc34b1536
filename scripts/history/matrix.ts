import { type Html, html } from "../reports/html/markup.ts";
import { chip, table } from "../reports/html/parts.ts";
import { counted, minute } from "../reports/html/words.ts";
import type { TrendRun } from "./trend.ts";

const mostRows = 100;
const mostColumns = 30;

/** Each requirement that ever failed, run by run: at a glance what is new, what is old and what comes and goes. */
export function renderMatrix(runs: readonly TrendRun[]): Html {
  const judging = runs.filter(({ command }) => command !== "load").slice(-mostColumns);
  const ids = [...new Set(judging.flatMap(({ failing }) => failing))].sort();
  if (ids.length === 0) return html`<p>None in these runs.</p>`;
  const rows = ids
    .slice(0, mostRows)
    .map((id) => [
      html`<code>${id}</code>`,
      ...judging.map(({ failing }) =>
        failing.includes(id) ? chip("bad", "fails") : html`<span class="faint">–</span>`,
      ),
    ]);
  const heads = ["Requirement", ...judging.map(({ startedAt }) => minute(startedAt).slice(5, 16))];
  const left = ids.length - rows.length;
  return html`<div class="cells">${table("Requirements by run, oldest first", heads, rows)}</div>${left > 0 ? html`<p>And ${counted(left, "more requirement")}.</p>` : undefined}`;
}
