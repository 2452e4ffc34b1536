import { type Html, html } from "../../report/html/markup.ts";
import { chip, table } from "../../report/html/parts.ts";
import { counted, minute } from "../../report/html/words.ts";
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
    .map((id) => [html`<code>${id}</code>`, ...judging.map((run) => cell(run, id))]);
  const heads = ["Requirement", ...judging.map(({ startedAt }) => minute(startedAt).slice(5, 16))];
  const left = ids.length - rows.length;
  return html`<div class="cells">${table("Requirements by run, oldest first; an empty cell was not judged", heads, rows)}</div>${left > 0 ? html`<p>And ${counted(left, "more requirement")}.</p>` : undefined}`;
}

function cell({ failing, holding }: TrendRun, id: string): Html | string {
  if (failing.includes(id)) return chip("bad", "fails");
  return holding.includes(id) ? html`<span class="faint">holds</span>` : "";
}
