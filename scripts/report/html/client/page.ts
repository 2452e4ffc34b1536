import type { PageData } from "../page-data.ts";
import { setUpCharts } from "./charts.ts";
import { setUpDeepLinks } from "./deep-link.ts";
import { Filter } from "./filter.ts";
import { setUpKeyboard } from "./keyboard.ts";
import { Opening } from "./opening.ts";
import { setUpPrint } from "./print.ts";
import { applyTheme, setUpTheme } from "./theme.ts";

// This script stands in the head: the theme is in place before anything is painted.
applyTheme();
document.documentElement.dataset.scripted = "";
document.addEventListener("DOMContentLoaded", () => {
  const data = JSON.parse(need("#page-data", HTMLScriptElement).text) as PageData;
  const opening = new Opening(data);
  const filter = new Filter(need(".filter", HTMLFormElement));
  const charts = setUpCharts(data.load);
  const help = need("dialog", HTMLDialogElement);
  setUpTheme(need("#theme", HTMLButtonElement), charts.paint);
  need("#keys", HTMLButtonElement).addEventListener("click", () => help.showModal());
  need(".tools", HTMLElement).hidden = false;
  need(".note", HTMLElement).hidden = true;
  setUpKeyboard({ filter, search: need("input[type=search]", HTMLInputElement), help });
  setUpPrint({ opening, filter, charts });
  setUpDeepLinks({ opening, filter });
});

function need<Kind extends HTMLElement>(selector: string, kind: new () => Kind): Kind {
  const found = document.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${selector}.`);
}
