import { setUpCharts } from "./charts.ts";
import { applyTheme, setUpPrint, setUpTheme } from "./controls.ts";
import { need } from "./element.ts";
import type { ComparisonData } from "./plan-chart.ts";

// The script is in the head, so that the theme is applied before the first paint.
applyTheme();
document.documentElement.dataset.scripted = "";
document.addEventListener("DOMContentLoaded", () => {
  const { charts } = JSON.parse(need("#page-data", HTMLScriptElement).text) as ComparisonData;
  const drawn = setUpCharts(({ chart }) => charts[Number(chart)]);
  setUpTheme(need("#theme", HTMLButtonElement), drawn.paint);
  need(".tools", HTMLElement).hidden = false;
  need(".note", HTMLElement).hidden = true;
  setUpPrint(drawn);
});
