import type uPlot from "uplot";
import type { ChartData } from "../page-data.ts";
import { draw } from "./chart.ts";
import { element } from "./element.ts";
import { type ChartPlan, planChart } from "./plan-chart.ts";

/** Paper is about this many pixels wide; half of it where two charts stand beside each other. */
const paperWidth = 640;

/** Draws every chart of the page; each keeps to the width of its place. */
export function setUpCharts(load: readonly ChartData[]): { paint(): void; print(): void; screen(): void } {
  const drawn = [...document.querySelectorAll<HTMLElement>("[data-chart]")].flatMap((place) => {
    const data = load[Number(place.dataset.load)];
    const plan = data === undefined ? undefined : planChart(place.dataset.chart ?? "", data);
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
    place.append(element("h4", {}, plan.title), this.#canvas);
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
