import type { HistoryData } from "../embedding.ts";
import { setUpCharts } from "./charts.ts";
import { applyTheme, setUpPrint, setUpTheme } from "./controls.ts";
import { need } from "./element.ts";
import { planTrend } from "./plan-chart.ts";

// The script is in the head, so that the theme is applied before the first paint.
applyTheme();
document.documentElement.dataset.scripted = "";
document.addEventListener("DOMContentLoaded", () => {
  const { runs, charts } = JSON.parse(need("#page-data", HTMLScriptElement).text) as HistoryData;
  const drawn = setUpCharts(({ chart }) => {
    const data = charts[Number(chart)];
    return data === undefined ? undefined : planTrend(data, runs);
  });
  setUpTheme(need("#theme", HTMLButtonElement), drawn.paint);
  need(".tools", HTMLElement).hidden = false;
  need(".note", HTMLElement).hidden = true;
  setUpPrint(drawn);
});
