import { type Html, html } from "../../report/html/markup.ts";

/** One figure over the runs. */
export interface ChartLine {
  readonly title: string;
  /** One for each run, oldest first; null where there is none. */
  readonly values: readonly (number | null)[];
  /** The value with its unit. */
  readonly show: (value: number) => string;
}

const width = 320;
const height = 96;
const edge = 6;

/** A line over the runs as an SVG: what it shows is said in words beside it, each point in its title. */
export function renderChart({ title, values, show }: ChartLine, names: readonly string[]): Html {
  const highest = Math.max(0, ...values.map((value) => value ?? 0)) || 1;
  const step = (width - 2 * edge) / Math.max(1, values.length - 1);
  const points = values.flatMap((value, place) =>
    value === null
      ? []
      : [
          {
            value,
            place,
            x: edge + place * step,
            y: height - edge - (value / highest) * (height - 2 * edge),
          },
        ],
  );
  const last = points.at(-1);
  const line = points.map(({ x, y }) => `${round(x)},${round(y)}`).join(" ");
  const dots = points.map(
    ({ x, y, place, value }) =>
      html`<circle cx="${round(x)}" cy="${round(y)}" r="3"><title>${names[place] ?? ""}: ${show(value)}</title></circle>`,
  );
  return html`<figure class="trend"><figcaption><bdi>${title}</bdi> <b>${last === undefined ? "–" : show(last.value)}</b></figcaption>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${summary(
    points.map(({ value }) => value),
    show,
  )}"><line x1="0" y1="${height - edge}" x2="${width}" y2="${height - edge}"></line><polyline points="${line}"></polyline>${dots}</svg>
</figure>`;
}

function summary(values: readonly number[], show: (value: number) => string): string {
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return "not measured";
  return `from ${show(first)} to ${show(last)}, lowest ${show(Math.min(...values))}, highest ${show(Math.max(...values))}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
