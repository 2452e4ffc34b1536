import uPlot from "uplot";
import { type ChartPlan, short } from "./plan-chart.ts";

const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3], [12, 5], [1, 4]] as const;
const height = 220;

/** Draws a plan into its place, in the colours of the theme that is in place. */
export function draw(plan: ChartPlan, { place, width }: { place: HTMLElement; width: number }): uPlot {
  const colour = colours(place);
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
      { ...axis, values: (_plot, ticks) => ticks.map(across[plan.across]), ...splits(plan.across) },
      {
        ...axis,
        size: 64,
        values: (_plot, ticks) => ticks.map((tick) => `${short(tick)} ${plan.unit}`.trim()),
      },
    ],
    series: [
      {
        label: plan.across === "seconds" ? "time" : "percentile",
        value: (_plot, at) => (at === null ? "–" : across[plan.across](at)),
      },
      ...plan.lines.map(({ name }, index) => ({
        label: name,
        stroke: colour(`--series-${(index % 6) + 1}`),
        width: 2,
        dash: [...(dashes[index % dashes.length] ?? [])],
        spanGaps: plan.across === "nines",
        points: { show: plan.x.length < 3 },
        value: (_plot: uPlot, value: number | null) =>
          value === null ? "–" : `${short(value)} ${plan.unit}`.trim(),
      })),
    ],
  };
  return new uPlot(options, [[...plan.x], ...plan.lines.map(({ values }) => [...values])], place);
}

const across = {
  seconds: (seconds: number) => {
    const whole = Math.round(seconds);
    const clock = [Math.floor((whole % 3600) / 60), whole % 60].map((part) => String(part).padStart(2, "0"));
    return whole >= 3600 ? [Math.floor(whole / 3600), ...clock].join(":") : clock.join(":");
  },
  nines: (nines: number) =>
    `${Number((100 * (1 - 10 ** -nines)).toFixed(Math.max(0, Math.ceil(nines) - 2) + 1))} %`,
} as const satisfies Record<ChartPlan["across"], (value: number) => string>;

function splits(kind: ChartPlan["across"]): Pick<uPlot.Axis, "splits"> {
  if (kind === "seconds") return {};
  const ticks = [50, 90, 99, 99.9, 99.99, 99.999].map((percentile) => -Math.log10(1 - percentile / 100));
  return {
    splits: (_plot, _axis, low, high) => ticks.filter((tick) => tick >= low - 0.01 && tick <= high + 0.01),
  };
}

// A canvas knows no custom properties: the browser resolves them on an element.
function colours(place: HTMLElement): (property: string) => string {
  return (property) => {
    place.style.color = `var(${property})`;
    const { color } = getComputedStyle(place);
    place.style.color = "";
    return color;
  };
}
