import uPlot from "uplot";
import { figure } from "../../../../schemas/words/format.ts";
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
  const axis: uPlot.Axis = {
    stroke: colour("--faint"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line"), width: 1 },
    font: "12px system-ui, sans-serif",
  };
  const options: uPlot.Options = {
    width,
    height,
    // The runs of one load are read together: a cursor in one chart is one in all of them.
    cursor: { sync: { key: plan.across }, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, (high ?? 1) * 1.08 || 1] } },
    axes: [
      {
        ...axis,
        values: (_plot, ticks) => ticks.map((tick) => acrossText(plan, tick)),
        ...splits(plan.across),
      },
      {
        ...axis,
        size: 56,
        values: (_plot, ticks) => ticks.map(figure),
      },
    ],
    series: [
      {
        label: acrossLabels[plan.across],
        value: (_plot, at) => (at === null ? "–" : acrossText(plan, at)),
      },
      ...plan.lines.map(({ name, dashed = plan.across === "nines" }, index) => ({
        label: name,
        stroke: colour(`--series-${(index % colours) + 1}`),
        width: 2,
        dash: [
          ...((dashed ? dashes[(index + Math.floor(index / colours)) % dashes.length] : undefined) ?? []),
        ],
        spanGaps: plan.across === "nines",
        ...(plan.across === "nines" ? { points: { show: false } } : {}),
        value: (_plot: uPlot, value: number | null) =>
          value === null ? "–" : `${figure(value)} ${plan.unit}`.trim(),
      })),
    ],
  };
  return new uPlot(options, [[...plan.x], ...plan.lines.map(({ values }) => [...values])], place);
}

const acrossLabels = {
  seconds: "time",
  nines: "percentile",
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
    case "runs":
      return runs[at] ?? "";
    default:
      return across satisfies never;
  }
}

function splits(kind: ChartPlan["across"]): Pick<uPlot.Axis, "splits" | "incrs" | "space"> {
  if (kind === "seconds") return { incrs: clockSteps };
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
