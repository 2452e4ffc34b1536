import uPlot from "uplot";
import { figure } from "../../../../schemas/words/format.ts";
import type { ChartLimit } from "../embedding.ts";
import { element } from "./element.ts";
import type { ChartPlan } from "./plan-chart.ts";

const dashes = [[], [8, 4], [3, 3], [10, 3, 2, 3], [14, 4], [2, 5]] as const;
/** How many of them `page.css` has. */
const colours = 6;
const height = 210;
/** Steps of a clock, in seconds. */
const clockSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400];
/** Paper is about this many pixels wide; half of it where two charts stand beside each other. */
const paperWidth = 640;

/** The charts of a page, for the theme and the printer. */
export interface Charts {
  paint(): void;
  print(): void;
  screen(): void;
}

/** Draws every chart of the page that has a plan; each keeps to the width of its place. */
export function setUpCharts(planOf: (place: DOMStringMap) => ChartPlan | undefined): Charts {
  const drawn = [...document.querySelectorAll<HTMLElement>("[data-chart]")].flatMap((place) => {
    const plan = planOf(place.dataset);
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
    place.append(element("p", { class: "title" }, plan.title), this.#canvas);
    this.paint();
    new ResizeObserver(() => this.#fit()).observe(place);
  }

  /** Draws it anew, in the colours of the theme that is in place. */
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

/** Draws a plan into its place, in the colours of the theme that is in place. */
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
  // A limit far above what was measured would flatten the curves: then its label alone stands at the top.
  const near = (plan.limits ?? []).filter(({ at }) => at <= mostAbove * highest);
  const far = (plan.limits ?? []).filter((limit) => !near.includes(limit));
  const top = Math.max(...near.map(({ at }) => at), 0);
  const ends = plan.across === "seconds" && plan.lines.length > 1;
  const options: uPlot.Options = {
    width,
    height,
    padding: [far.length > 0 ? 20 : 12, ends ? endRoom : 12, 0, 0],
    // The runs of one load are read together: a cursor in one chart is one in all of them.
    cursor: { sync: { key: plan.across }, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: {
        time: false,
        ...(plan.drawn === "bars"
          ? { range: (_plot, low, high) => [Math.max(0, low - barWidth(plan)), high + barWidth(plan)] }
          : {}),
      },
      y: { range: (_plot, _low, high) => [0, Math.max(high ?? 1, top) * 1.08 || 1] },
    },
    axes: [
      {
        ...axis,
        values: (_plot, ticks) => ticks.map((tick) => acrossText(plan, tick)),
        ...splits(plan.across),
      },
      { ...axis, size: 56, values: (_plot, ticks) => ticks.map(figure) },
    ],
    series: [
      {
        label: acrossLabels[plan.across],
        value: (_plot, at) => (at === null ? "–" : acrossText(plan, at)),
      },
      ...plan.lines.map((line, index) =>
        seriesOf(plan, line, { index, stroke: strokes[index] ?? "", paper: colour("--card") }),
      ),
    ],
    hooks: {
      draw: [
        (plot) => {
          drawLimits(plot, { near, far, ink: colour("--bad"), paper: colour("--card") });
          if (ends) drawEndLabels(plot, plan, strokes);
        },
      ],
    },
  };
  return new uPlot(options, [[...plan.x], ...heights(plan)], place);
}

/** A limit this many times above all that was measured is out of the chart. */
const mostAbove = 3;
/** Room at the right for the names of the lines. */
const endRoom = 64;

function seriesOf(
  { across, drawn, unit, x, lines }: ChartPlan,
  { name, values, dashed = false }: ChartPlan["lines"][number],
  { index, stroke, paper }: { index: number; stroke: string; paper: string },
): uPlot.Series {
  // Beyond the colours that there are, a line is told apart by its dashes.
  const dash = dashed ? dashes[1] : dashes[Math.floor(index / colours) % dashes.length];
  const filled = drawn === "areas" || drawn === "bars";
  return {
    label: name,
    stroke,
    width: filled ? 1 : 2,
    dash: [...(dash ?? [])],
    spanGaps: across === "nines",
    ...(filled ? { fill: `color-mix(in srgb, ${stroke} 60%, ${paper})` } : {}),
    ...(drawn === "bars" && uPlot.paths.bars !== undefined
      ? { paths: uPlot.paths.bars({ size: [0.9] }) }
      : {}),
    points: {
      show: across === "runs" || (across === "seconds" && x.length <= 2 && lines.length > 0),
      size: 5,
    },
    value: (_plot, _height, _series, at) => {
      const value = at === null ? null : (values[at] ?? null);
      return value === null ? "–" : `${figure(value)} ${unit}`.trim();
    },
  };
}

/** What is drawn: the values, or of areas the sum of each with those that stand below it. */
function heights({ lines, drawn }: ChartPlan): (number | null)[][] {
  if (drawn !== "areas") return lines.map(({ values }) => [...values]);
  return lines.map(({ values }, index) =>
    values.map((value, at) =>
      value === null ? null : lines.slice(index).reduce((sum, line) => sum + (line.values[at] ?? 0), 0),
    ),
  );
}

function barWidth({ x }: ChartPlan): number {
  return ((x[1] ?? 1) - (x[0] ?? 0)) / 2;
}

interface Limits {
  readonly near: readonly ChartLimit[];
  readonly far: readonly ChartLimit[];
  readonly ink: string;
  readonly paper: string;
}

/** Each limit as a line with its label on it; one that is above the chart as a label at the top. */
function drawLimits(plot: uPlot, { near, far, ink, paper }: Limits): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.font = `600 ${12 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  ctx.strokeStyle = ink;
  ctx.lineWidth = 1.5 * scale;
  for (const { at, label } of near) {
    const y = plot.valToPos(at, "y", true);
    ctx.setLineDash([6 * scale, 4 * scale]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    write(label, bbox.left + 6 * scale, y > bbox.top + 16 * scale ? y - 2 * scale : y + 16 * scale);
  }
  if (far.length > 0)
    write(
      `${far.map(({ label }) => label).join(", ")}: above this chart`,
      bbox.left + 6 * scale,
      bbox.top - 3 * scale,
    );
  ctx.restore();

  function write(text: string, x: number, y: number): void {
    ctx.setLineDash([]);
    ctx.lineJoin = "round";
    ctx.strokeStyle = paper;
    ctx.lineWidth = 4 * scale;
    ctx.strokeText(text, x, y);
    ctx.fillStyle = ink;
    ctx.fillText(text, x, y);
    ctx.strokeStyle = ink;
    ctx.lineWidth = 1.5 * scale;
  }
}

/** The name of each line at its end, so that no legend is needed; names that would meet are moved apart. */
function drawEndLabels(plot: uPlot, plan: ChartPlan, strokes: readonly string[]): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const labels = plan.lines
    .flatMap(({ name }, index) => {
      const drawn = plot.data[index + 1] ?? [];
      const at = drawn.findLastIndex((value) => value !== null && value !== undefined);
      const value = drawn[at];
      return value === null || value === undefined
        ? []
        : [{ name, stroke: strokes[index] ?? "", y: plot.valToPos(value, "y", true) }];
    })
    .toSorted((one, other) => one.y - other.y);
  ctx.save();
  ctx.font = `600 ${12 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  let above = Number.NEGATIVE_INFINITY;
  for (const { name, stroke, y } of labels) {
    const at = Math.max(y, above + 14 * scale);
    above = at;
    ctx.fillStyle = stroke;
    ctx.fillText(name.length > 9 ? `${name.slice(0, 8)}…` : name, bbox.left + bbox.width + 6 * scale, at);
  }
  ctx.restore();
}

const acrossLabels = {
  seconds: "time",
  nines: "percentile",
  milliseconds: "around",
  runs: "run",
} as const satisfies Record<ChartPlan["across"], string>;

function acrossText({ across, runs = [] }: ChartPlan, at: number): string {
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
      return `${figure(at)} ms`;
    case "runs":
      return runs[at] ?? "";
    default:
      return across satisfies never;
  }
}

function splits(kind: ChartPlan["across"]): Pick<uPlot.Axis, "splits" | "incrs" | "space"> {
  if (kind === "seconds") return { incrs: clockSteps };
  if (kind === "milliseconds") return {};
  // A run stands at its place, and its day and hour need room.
  if (kind === "runs") return { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500], space: 90 };
  const ticks = [50, 90, 99, 99.9, 99.99, 99.999].map((percentile) => -Math.log10(1 - percentile / 100));
  return {
    splits: (_plot, _axis, low, high) => ticks.filter((tick) => tick >= low - 0.01 && tick <= high + 0.01),
  };
}

// A canvas knows no custom properties: the browser resolves them on an element.
function resolver(place: HTMLElement): (property: string) => string {
  return (property) => {
    place.style.color = `var(${property})`;
    const { color } = getComputedStyle(place);
    place.style.color = "";
    return color;
  };
}
