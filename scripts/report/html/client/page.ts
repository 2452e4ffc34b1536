import type { PageData } from "../embedding.ts";
import { setUpCharts } from "./charts.ts";
import { applyTheme, openForPrint, setUpKeyboard, setUpPrint, setUpTheme } from "./controls.ts";
import { focusOn, need } from "./element.ts";
import { Filter } from "./filter.ts";
import { Opening } from "./opening.ts";
import { planChart } from "./plan-chart.ts";

// This script stands in the head: the theme is in place before anything is painted.
applyTheme();
document.documentElement.dataset.scripted = "";
document.addEventListener("DOMContentLoaded", () => {
  const data = JSON.parse(need("#page-data", HTMLScriptElement).text) as PageData;
  const opening = new Opening(data);
  const filter = new Filter(need(".filter", HTMLFormElement));
  const charts = setUpCharts(({ load, chart = "" }) => {
    const measured = data.load[Number(load)];
    return measured === undefined ? undefined : planChart(chart, measured);
  });
  const help = need("dialog", HTMLDialogElement);
  setUpTheme(need("#theme", HTMLButtonElement), charts.paint);
  need("#keys", HTMLButtonElement).addEventListener("click", () => help.showModal());
  need(".tools", HTMLElement).hidden = false;
  need(".note", HTMLElement).hidden = true;
  setUpKeyboard({ filter, search: need("input[type=search]", HTMLInputElement), help });
  setUpPrint(charts, openForPrint({ opening, filter }));
  setUpDeepLinks({ opening, filter });
});

/** `#requirement-id` in the address, or in a link, brings it into view: opened, focused, whatever was filtered. */
export function setUpDeepLinks({ opening, filter }: { opening: Opening; filter: Filter }): void {
  const reveal = (hash: string): void => {
    const found = filter.find(decoded(hash.slice(1)));
    if (found === null) return;
    opening.open(found);
    // A card opens to the first thing that it shows, a section of the page to nothing.
    const first = found.matches("[data-group], [data-item]") ? found.querySelector("details") : null;
    if (first !== null) opening.open(first);
    found.scrollIntoView({ block: "start" });
    focusOn(found);
  };
  addEventListener("hashchange", () => reveal(location.hash));
  // A link to where the address already points changes nothing there, but should bring it into view again.
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#"]') : null;
    if (link !== null && link.hash === location.hash) reveal(link.hash);
  });
  if (location.hash !== "") reveal(location.hash);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
