import { all } from "./element.ts";
import type { Filter } from "./filter.ts";
import type { Opening } from "./opening.ts";

/** More exchanges than this are no reading matter on paper. */
const mostPrinted = 300;

interface Printed {
  readonly opening: Opening;
  readonly filter: Filter;
  readonly charts: { print(): void; screen(): void };
}

/** On paper everything is open, charts light and as wide as the paper; afterwards all is as it was. */
export function setUpPrint({ opening, filter, charts }: Printed): void {
  let opened: HTMLDetailsElement[] = [];
  let printing = false;
  // Charts are painted before the browser turns to the style of paper.
  const root = document.documentElement;
  let theme: string | undefined;
  const start = (): void => {
    if (printing) return;
    printing = true;
    filter.showAll();
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    const closed = all("details:not([open])").filter((one) => one instanceof HTMLDetailsElement);
    const visible = closed.filter((one) => one.closest("[hidden]") === null);
    const exchanges = visible.filter(({ dataset }) => dataset.slot !== undefined).slice(0, mostPrinted);
    const passed = (one: HTMLDetailsElement): boolean => one.closest(".row") !== null;
    opened = [...visible.filter((one) => one.dataset.slot === undefined && !passed(one)), ...exchanges];
    for (const one of opened) {
      opening.fill(one);
      one.open = true;
    }
    charts.print();
  };
  const end = (): void => {
    if (!printing) return;
    printing = false;
    for (const one of opened) one.open = false;
    filter.apply();
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
    charts.screen();
  };
  addEventListener("beforeprint", start);
  addEventListener("afterprint", end);
  // Where the events do not come: a browser's own preview, a test.
  matchMedia("print").addEventListener("change", ({ matches }) => (matches ? start() : end()));
}
