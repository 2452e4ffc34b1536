import uPlot from "uplot";
import { figure } from "../../../schemas/words/format.ts";
import type { ChartLimit, ChartPlan } from "../document.ts";
import { apart } from "../plan-chart.ts";
import { element } from "./element.ts";

const dashes = [[], [8, 4], [3, 3], [10, 3, 2, 3], [14, 4], [2, 5]] as const;
/** Number of series colours in `style/base.css`. */
const colours = 6;
const height = 210;
/** Distances between ticks of a time axis, in seconds. */
const clockSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400];
/** Width of a chart on paper, in pixels. */
const paperWidth = 640;

/** All charts of a page, to redraw them for a theme or for paper. */
export interface Charts {
  paint(): void;
  print(): void;
  screen(): void;
}

/** Draws every chart of the page, in the width of its element. */
export function setUpCharts(plans: readonly ChartPlan[]): Charts {
  const drawn = [...document.querySelectorAll<HTMLElement>("[data-chart]")].flatMap((place) => {
    const plan = plans[Number(place.dataset.chart)];
    return plan === undefined ? [] : [new Chart(place, plan)];
  });
  const each = (act: (chart: Chart) => void) => (): void => {
    for (const chart of drawn) act(chart);
  };
  return {
    paint: each((chart) => chart.paint()),
    print: each((chart) => chart.paint(paperWidth)),
    screen: each((chart) => chart.paint()),
  };
}

class Chart {
  readonly #place: HTMLElement;
  readonly #plan: ChartPlan;
  readonly #canvas: HTMLElement;
  #plot: uPlot | undefined;

  constructor(place: HTMLElement, plan: ChartPlan) {
    this.#place = place;
    this.#plan = plan;
    this.#canvas = element("div", { role: "img", "aria-label": `${plan.title}. ${plan.summary}` });
    // Many lines need room for their names.
    place.classList.toggle("wide", plan.lines.length > mostNarrow);
    place.append(element("p", { class: "title" }, plan.title), this.#canvas, tableOf(plan));
    this.paint();
    new ResizeObserver(() => this.#fit()).observe(place);
  }

  /** Redraws the chart in the colours of the current theme. */
  paint(width = this.#place.clientWidth): void {
    this.#plot?.destroy();
    this.#plot = width === 0 ? undefined : draw(this.#plan, { place: this.#canvas, width });
  }

  #fit(): void {
    const { clientWidth: width } = this.#place;
    if (this.#plot === undefined) this.paint();
    else if (width > 0 && this.#plot.width !== width)
      this.#plot.setSize({ width, height: this.#plot.height });
  }
}

const mostRows = 60;

/** A fold with the values as a table, filled when it is opened; of many values, every nth. */
function tableOf(plan: ChartPlan): HTMLElement {
  const fold = element("details", { class: "more" }, element("summary", {}, "As a table"));
  fold.addEventListener(
    "toggle",
    () => {
      const every = Math.ceil(plan.x.length / mostRows);
      const rows = plan.x.flatMap((at, nth) => (nth % every === 0 ? [{ at, nth }] : []));
      const cell = (value: number | null | undefined) =>
        value === null || value === undefined ? "–" : figure(value);
      const heads = [acrossLabels[plan.across], ...plan.lines.map(({ name }) => name)];
      const table = element(
        "table",
        {},
        element("caption", {}, `${plan.title}${every === 1 ? "" : `, every ${every}th value`}`),
        element(
          "thead",
          {},
          element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head))),
        ),
        element(
          "tbody",
          {},
          ...rows.map(({ at, nth }) =>
            element(
              "tr",
              {},
              element("th", { scope: "row" }, [acrossText(plan, at), ...clockOf(plan, at)].join(", ")),
              ...plan.lines.map(({ values }) => element("td", {}, cell(values[nth]))),
            ),
          ),
        ),
      );
      fold.append(
        element("div", { class: "table", role: "group", "aria-label": plan.title, tabindex: "0" }, table),
      );
    },
    { once: true },
  );
  return fold;
}

/** Whether all values are whole, as counts are: the axis then has no fractions. */
function isWhole({ lines }: ChartPlan): boolean {
  return lines.every(({ values }) => values.every((value) => value === null || Number.isInteger(value)));
}

const wholeSteps = Array.from({ length: 10 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

/** Draws a plan in the colours of the current theme. */
function draw(plan: ChartPlan, { place, width }: { place: HTMLElement; width: number }): uPlot {
  const colour = resolver(place);
  const strokes = plan.lines.map(({ tone }, index) =>
    colour(tone === undefined ? `--series-${(index % colours) + 1}` : `--${tone}`),
  );
  const axis: uPlot.Axis = {
    stroke: colour("--faint"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line"), width: 1 },
    font: "12px system-ui, sans-serif",
  };
  const highest = Math.max(0, ...plan.lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  // A limit far above the values would flatten the curves: only its label is drawn, at the top.
  const near = (plan.limits ?? []).filter(({ at }) => at <= mostAbove * highest);
  const far = (plan.limits ?? []).filter((limit) => !near.includes(limit));
  const top = Math.max(...near.map(({ at }) => at), 0);
  const endRoom = endRoomOf(plan, width);
  const ends = endRoom > 0;
  // With names at the lines, or a title for the only line, a legend is needed only for the values under the cursor.
  place.classList.toggle("labelled", ends || plan.lines.length === 1);
  const room = tickRoom[plan.across];
  const options: uPlot.Options = {
    width,
    height,
    padding: [far.length > 0 ? 20 : 12, ends ? endRoom : room.last, 0, room.first],
    // A cursor in one chart shows in all charts with the same axis.
    // Dragging zooms in; a double click shows everything again.
    cursor: { sync: { key: plan.across }, drag: { x: true, y: false, uni: 20 }, points: { size: 6 } },
    legend: {
      markers: {
        width: 2,
        dash: (_plot, index) => (dashOf(plan.lines[index - 1], index - 1).length === 0 ? "solid" : "dashed"),
      },
    },
    scales: {
      x: {
        time: false,
        ...(plan.drawn === "bars"
          ? { range: (_plot, low, high) => [low - barWidth(plan), high + barWidth(plan)] }
          : {}),
      },
      y:
        plan.isLogarithmic === true
          ? { distr: 3, range: (_plot, low, high) => logarithmicRange(low, Math.max(high ?? 1, top)) }
          : { range: (_plot, _low, high) => [0, Math.max(high ?? 1, top) * 1.08 || 1] },
    },
    axes: [
      {
        ...axis,
        // The clock stands below the elapsed time.
        size: plan.startedAt === undefined ? 36 : 50,
        values: (_plot, ticks) =>
          ticks.map((tick) => [acrossText(plan, tick), ...clockOf(plan, tick)].join("\n")),
        ...splits(plan.across),
      },
      {
        ...axis,
        size: 56,
        ...(isWhole(plan) ? { incrs: wholeSteps } : {}),
        // Of a logarithmic axis, uPlot leaves out those without room.
        values: (_plot, ticks) => ticks.map((tick) => (tick === null ? "" : figure(tick))),
      },
    ],
    series: [
      {
        label: acrossLabels[plan.across],
        value: (_plot, at) => (at === null ? "" : [acrossText(plan, at), ...clockOf(plan, at)].join(", ")),
      },
      ...plan.lines.map((line, index) =>
        seriesOf(plan, line, { index, stroke: strokes[index] ?? "", paper: colour("--card") }),
      ),
    ],
    hooks: {
      draw: [
        (plot) => {
          drawLimits(plot, { near, far }, { ink: colour("--bad"), paper: colour("--card") });
          drawMarks(plot, plan.marks ?? [], { ink: colour("--ink"), paper: colour("--card") });
          if (ends) drawEndLabels(plot, plan, strokes);
        },
      ],
    },
  };
  return new uPlot(options, [[...plan.x], ...heights(plan)], place);
}

/**
 * Width for half of the first tick of the x axis, at the left beside the width of the y axis, and of the last one, at the
 * right, in pixels.
 */
const tickRoom = {
  seconds: { first: 0, last: 24 },
  nines: { first: 0, last: 24 },
  milliseconds: { first: 0, last: 24 },
} as const satisfies Record<ChartPlan["across"], object>;

/** A limit above this many times the highest value is not drawn as a line. */
const mostAbove = 3;
/** Minimum width of the plot beside the names of its lines, in pixels. */
const leastLines = 300;
const longestName = 30;
/** Characters of `successful`, the longest name beside a chart over time. */
const longestOfTime = 10;
/** Charts with more lines than this take the whole width. */
const mostNarrow = 3;

/** Width at the right for the names of the lines, in pixels; 0 if the chart is too narrow, has bars, or one line that is no course. */
function endRoomOf({ across, drawn, lines }: ChartPlan, width: number): number {
  if (drawn === "bars" || (lines.length < 2 && across !== "seconds")) return 0;
  // Charts over time have plots of one width, so that their cursors stand below each other.
  const usual = across === "seconds" ? longestOfTime : 0;
  const longest = Math.max(usual, ...lines.map(({ name }) => shortName(name).length));
  const room = 20 + 7.8 * longest;
  return width - room >= leastLines ? room : 0;
}

function shortName(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
}

function seriesOf(
  { across, drawn, unit, x, lines }: ChartPlan,
  { name, values, dashed = false, tone }: ChartPlan["lines"][number],
  { index, stroke, paper }: { index: number; stroke: string; paper: string },
): uPlot.Series {
  const dash = dashOf({ dashed }, index);
  const filled = drawn === "areas" || drawn === "bars";
  return {
    label: name,
    stroke,
    width: filled ? 1 : 2,
    dash: [...dash],
    spanGaps: across === "nines",
    ...(filled
      ? {
          fill:
            tone === "bad"
              ? () => hatching(stroke, paper)
              : `color-mix(in srgb, ${stroke} ${tone === "notice" ? 75 : 35}%, ${paper})`,
        }
      : {}),
    ...(drawn === "bars" && uPlot.paths.bars !== undefined
      ? { paths: uPlot.paths.bars({ size: [0.9] }) }
      : {}),
    points: {
      show: across === "seconds" && x.length <= 2 && lines.length > 0,
      size: 5,
    },
    value: (_plot, _height, _series, at) => {
      const value = at === null ? null : (values[at] ?? null);
      if (at === null) return "";
      return value === null ? "–" : `${figure(value)} ${unit}`.trim();
    },
  };
}

/** When the colours run out, dashes distinguish the lines. */
function dashOf(
  line: { readonly dashed?: boolean | undefined } | undefined,
  index: number,
): readonly number[] {
  return (line?.dashed ? dashes[1] : dashes[Math.floor(Math.max(0, index) / colours) % dashes.length]) ?? [];
}

/** Whole powers of ten around the values; a value of zero has no place on a logarithmic axis. */
function logarithmicRange(low: number | null, high: number): [number, number] {
  const least = low === null || low <= 0 ? high / 1000 : low;
  const bottom = 10 ** Math.floor(Math.log10(Math.max(least, high / 1e5) || 1));
  return [bottom, Math.max(high * 1.2, bottom * 10)];
}

/** Failures are hatched, so that no colour is needed to see them. */
function hatching(stroke: string, paper: string): CanvasPattern | string {
  const size = 8;
  const tile = element("canvas", { width: `${size}`, height: `${size}` });
  const ctx = tile.getContext("2d");
  if (ctx === null) return stroke;
  ctx.fillStyle = paper;
  ctx.fillRect(0, 0, size, size);
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 2.5;
  ctx.beginPath();
  for (const from of [-size, 0, size]) {
    ctx.moveTo(from, size);
    ctx.lineTo(from + size, 0);
  }
  ctx.stroke();
  return ctx.createPattern(tile, "repeat") ?? stroke;
}

/** `08:01:12 UTC` at a second of a run whose start is known. */
function clockOf({ startedAt, across }: ChartPlan, at: number): string[] {
  if (startedAt === undefined || across !== "seconds") return [];
  return [`${new Date(Date.parse(startedAt) + 1000 * at).toISOString().slice(11, 19)} UTC`];
}

/** Lines with words across a chart, in canvas pixels; the paper around the words keeps them readable. */
function annotator({ ctx }: uPlot, { ink, paper }: Inks) {
  const scale = devicePixelRatio;
  return {
    line(from: readonly [number, number], to: readonly [number, number]): void {
      ctx.save();
      ctx.strokeStyle = ink;
      ctx.lineWidth = 1.5 * scale;
      ctx.setLineDash([6 * scale, 4 * scale]);
      ctx.beginPath();
      ctx.moveTo(...from);
      ctx.lineTo(...to);
      ctx.stroke();
      ctx.restore();
    },
    text(words: string, [x, y]: readonly [number, number], align: CanvasTextAlign = "left"): void {
      ctx.save();
      ctx.font = `600 ${12 * scale}px system-ui, sans-serif`;
      ctx.textBaseline = "bottom";
      ctx.textAlign = align;
      ctx.lineJoin = "round";
      ctx.strokeStyle = paper;
      ctx.lineWidth = 4 * scale;
      ctx.strokeText(words, x, y);
      ctx.fillStyle = ink;
      ctx.fillText(words, x, y);
      ctx.restore();
    },
  };
}

interface Inks {
  readonly ink: string;
  readonly paper: string;
}

/** Draws what happened as vertical lines with their words. */
function drawMarks(plot: uPlot, marks: readonly ChartLimit[], inks: Inks): void {
  const { left, top, width, height: tall } = plot.bbox;
  const scale = devicePixelRatio;
  const draw = annotator(plot, inks);
  for (const [nth, { at, label }] of marks.entries()) {
    const x = plot.valToPos(at, "x", true);
    if (x < left || x > left + width) continue;
    draw.line([x, top], [x, top + tall]);
    const isRight = x > left + width / 2;
    draw.text(
      label,
      [x + (isRight ? -4 : 4) * scale, top + tall - (4 + 14 * nth) * scale],
      isRight ? "right" : "left",
    );
  }
}

/** The values; of stacked areas, the sum of each with those below it. */
function heights({ lines, drawn, isLogarithmic }: ChartPlan): (number | null)[][] {
  if (drawn !== "areas")
    return lines.map(({ values }) =>
      values.map((value) => (isLogarithmic === true && (value ?? 0) <= 0 ? null : value)),
    );
  return lines.map(({ values }, index) =>
    values.map((value, at) =>
      value === null ? null : lines.slice(index).reduce((sum, line) => sum + (line.values[at] ?? 0), 0),
    ),
  );
}

function barWidth({ x }: ChartPlan): number {
  return ((x[1] ?? 1) - (x[0] ?? 0)) / 2;
}

/** Draws each limit as a line with its label; limits above the chart get a label at the top. */
function drawLimits(
  plot: uPlot,
  { near, far }: Readonly<Record<"near" | "far", readonly ChartLimit[]>>,
  inks: Inks,
): void {
  const { left, top, width } = plot.bbox;
  const scale = devicePixelRatio;
  const draw = annotator(plot, inks);
  for (const { at, label } of near) {
    const y = plot.valToPos(at, "y", true);
    draw.line([left, y], [left + width, y]);
    // Off the line: the halo of the text and the tails of its letters would cover it.
    draw.text(label, [left + 6 * scale, y > top + 19 * scale ? y - 5 * scale : y + 19 * scale]);
  }
  const names = far.map(({ label }) => label).join(", ");
  if (far.length > 0) draw.text(`${names}: above this chart`, [left + 6 * scale, top - 3 * scale]);
}

interface EndLabel {
  readonly name: string;
  readonly stroke: string;
  /** End of the line in canvas pixels. */
  readonly x: number;
  readonly y: number;
}

/** Writes the name of each line at its end. */
function drawEndLabels(plot: uPlot, plan: ChartPlan, strokes: readonly string[]): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const labels = plan.lines
    .flatMap(({ name }, index): EndLabel[] => {
      const drawn = plot.data[index + 1] ?? [];
      const at = drawn.findLastIndex((value) => value !== null && value !== undefined);
      const [across, value] = [plot.data[0]?.[at], drawn[at]];
      if (across === undefined || value === null || value === undefined) return [];
      const end = { x: plot.valToPos(across, "x", true), y: plot.valToPos(value, "y", true) };
      return [{ name: shortName(name), stroke: strokes[index] ?? "", ...end }];
    })
    .toSorted((one, other) => one.y - other.y);
  const heights = apart(
    labels.map(({ y }) => y),
    { gap: 14 * scale, bottom: bbox.top + bbox.height },
  );
  const right = bbox.left + bbox.width;
  ctx.save();
  ctx.font = `600 ${12 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.lineWidth = scale;
  for (const [index, { name, stroke, x, y }] of labels.entries()) {
    const at = heights[index] ?? y;
    // A thin line connects a name with the end of its line.
    if (right - x > 4 * scale || Math.abs(at - y) > 4 * scale) {
      ctx.globalAlpha = 0.5;
      ctx.strokeStyle = stroke;
      ctx.setLineDash([2 * scale, 2 * scale]);
      ctx.beginPath();
      ctx.moveTo(x, y);
      ctx.lineTo(right, at);
      ctx.lineTo(right + 4 * scale, at);
      ctx.stroke();
      ctx.globalAlpha = 1;
    }
    ctx.fillStyle = stroke;
    ctx.fillText(name, right + 6 * scale, at);
  }
  ctx.restore();
}

const acrossLabels = {
  seconds: "time",
  nines: "percentile",
  milliseconds: "latency",
} as const satisfies Record<ChartPlan["across"], string>;

function acrossText({ across }: ChartPlan, at: number): string {
  switch (across) {
    case "seconds": {
      const whole = Math.round(at);
      const clock = [Math.floor((whole % 3600) / 60), whole % 60].map((part) =>
        String(part).padStart(2, "0"),
      );
      return whole >= 3600 ? [Math.floor(whole / 3600), ...clock].join(":") : clock.join(":");
    }
    case "nines":
      return `${Number((100 * (1 - 10 ** -at)).toFixed(Math.max(0, Math.ceil(at) - 2) + 1))} %`;
    case "milliseconds":
      return `${figure(10 ** at)} ms`;
    default:
      return across satisfies never;
  }
}

function splits(kind: ChartPlan["across"]): Pick<uPlot.Axis, "splits" | "incrs" | "space"> {
  if (kind === "seconds") return { incrs: clockSteps };
  // Powers of ten; where there is room, their doubles and fives.
  if (kind === "milliseconds")
    return {
      splits: (_plot, _axis, low, high) => {
        const steps = high - low > 2.5 ? [1] : [1, 2, 5];
        const powers = Array.from({ length: Math.ceil(high - low) + 1 }, (_, nth) => Math.floor(low) + nth);
        const ticks = powers.flatMap((power) => steps.map((step) => power + Math.log10(step)));
        return ticks.filter((tick) => tick >= low && tick <= high);
      },
    };
  const nines = (percentile: number) => -Math.log10(1 - percentile / 100);
  const ticks = [50, 90, 99, 99.9, 99.99, 99.999].map(nines);
  const within = (tick: number, low: number, high: number) => tick >= low - 0.01 && tick <= high + 0.01;
  return {
    splits: (_plot, _axis, low, high) => {
      // A short axis has room for p95.
      const all = high <= 3.1 ? [...ticks, nines(95)].toSorted((one, other) => one - other) : ticks;
      return all.filter((tick) => within(tick, low, high));
    },
  };
}

// A canvas cannot use custom properties; the browser resolves them on an element.
function resolver(place: HTMLElement): (property: string) => string {
  return (property) => {
    place.style.color = `var(${property})`;
    const { color } = getComputedStyle(place);
    place.style.color = "";
    return color;
  };
}
