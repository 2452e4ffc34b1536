import { duration, figure } from "../../../schemas/words/format.ts";
import type { Chart, ChartLine } from "../model.ts";
import { type Html, html } from "./markup.ts";

// Places are percentages, so that text keeps its size at every width. Only lines are stretched.

/** Heights of the plot within the drawing, in percent. */
const [top, bottom] = [6, 90];
/** Units of the stretched drawing of the lines. */
const wide = 1000;

/** Lines over the seconds of a run, as an image with a text alternative. */
export function lineChart({ title, summary, unit, isLogarithmic, x, lines, limits }: Chart): Html {
  const values = [
    ...lines.flatMap((line) => line.values.filter((value) => value !== null)),
    ...limits.map(({ at }) => at),
  ];
  const ticks = isLogarithmic ? powersOfTen(values) : roundSteps(values);
  const scale = (value: number) => (isLogarithmic ? Math.log10(Math.max(value, ticks.low)) : value);
  const share = (value: number) => (scale(value) - scale(ticks.low)) / (scale(ticks.high) - scale(ticks.low));
  const percent = (value: number) => `${(bottom - share(value) * (bottom - top)).toFixed(2)}%`;
  const last = x.at(-1) ?? 1;
  const times = [0, last / 2, last];
  return html`<figure class="chart"><figcaption><b>${title}</b></figcaption>
<svg role="img" aria-label="${title}. ${summary}">${ticks.at.map((at) => html`<line class="tick" x1="0" x2="100%" y1="${percent(at)}" y2="${percent(at)}"></line><text x="0" y="${percent(at)}" dy="-3">${figure(at)} ${unit}</text>`)}${limits.map(({ at, label }) => html`<line class="limit bad" x1="0" x2="100%" y1="${percent(at)}" y2="${percent(at)}"></line><text class="limit bad" x="100%" y="${percent(at)}" dy="-3" text-anchor="end">${label}</text>`)}<svg y="${top}%" height="${bottom - top}%" viewBox="0 0 ${wide} ${wide}" preserveAspectRatio="none">${lines.map((line) => html`<path class="${line.tone}" d="${pathOf(line, x, share)}"></path>`)}</svg>${times.map((second, at) => html`<text x="${at * 50}%" y="100%" dy="-4" text-anchor="${["start", "middle", "end"][at]}">${duration(second)}</text>`)}</svg>
<p class="legend">${lines.map(({ name, tone }) => html`<span class="${tone}">${name}</span> `)}</p></figure>`;
}

/** A line with a gap where nothing was measured. */
function pathOf({ values }: ChartLine, x: readonly number[], share: (value: number) => number): string {
  const last = x.at(-1) ?? 1;
  return values
    .map((value, at) => {
      if (value === null) return "";
      const isStart = (values[at - 1] ?? null) === null;
      const across = (wide * (x[at] ?? 0)) / last;
      return `${isStart ? "M" : "L"}${across.toFixed(1)} ${(wide * (1 - share(value))).toFixed(1)}`;
    })
    .join("");
}

function powersOfTen(values: readonly number[]) {
  const known = values.filter((value) => value > 0);
  const from = Math.floor(Math.log10(Math.min(...known)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...known))));
  const at = Array.from({ length: to - from + 1 }, (_, power) => 10 ** (from + power));
  return { low: 10 ** from, high: 10 ** to, at };
}

/** Two to six steps from zero. */
function roundSteps(values: readonly number[]) {
  const most = Math.max(...values);
  const rough = 10 ** Math.floor(Math.log10(most));
  const step = most / rough > 5 ? 2 * rough : most / rough > 2 ? rough : rough / 2;
  const steps = Math.ceil(most / step);
  const at = Array.from({ length: steps + 1 }, (_, place) => place * step);
  return { low: 0, high: steps * step, at };
}
