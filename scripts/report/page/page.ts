import type { PageData } from "../document.ts";
import { setUpCharts } from "./charts.ts";
import { applyTheme, setUpKeyboard, setUpPrint, setUpTheme } from "./controls.ts";
import { all, copies, copyButton, focusOn, need } from "./element.ts";
import { Filter } from "./filter.ts";
import { Opening } from "./opening.ts";

// The script is in the head, so that the theme is applied before the first paint.
applyTheme();
document.documentElement.dataset.scripted = "";
document.addEventListener("DOMContentLoaded", () => {
  const data = JSON.parse(need("#page-data", HTMLScriptElement).text) as PageData;
  const opening = new Opening(data);
  // A page with fewer than two findings has no filter.
  const form = document.querySelector<HTMLFormElement>(".filter") ?? document.createElement("form");
  const filter = new Filter(form);
  const charts = setUpCharts(data.charts);
  const help = need("dialog", HTMLDialogElement);
  setUpTheme(need("#theme", HTMLButtonElement), charts.paint);
  need("#keys", HTMLButtonElement).addEventListener("click", () => help.showModal());
  need(".tools", HTMLElement).hidden = false;
  need(".note", HTMLElement).hidden = true;
  setUpKeyboard({ filter, search: form.querySelector<HTMLInputElement>("input[type=search]"), help });
  setUpPrint(charts);
  setUpCopying(data.tickets);
  setUpAddress({ opening, filter });
});

/** Each command of the head and of a finding has a button that copies it, and each finding one for its ticket. */
function setUpCopying(tickets: readonly string[]): void {
  for (const command of all(".first .command, .actions .command")) {
    const text = command.textContent ?? "";
    command.after(" ", copyButton(text, `Copy ${text}`));
  }
  for (const button of all("button[data-ticket]")) {
    button.hidden = false;
    copies(button, tickets[Number(button.dataset.ticket)] ?? "");
  }
}

/**
 * The address has the place and the filter: `#requirement-id?search=null&verdict=fail`. A link to a requirement scrolls to
 * it, opens and focuses it. Back, forward and reload restore the filter.
 */
function setUpAddress({ opening, filter }: { opening: Opening; filter: Filter }): void {
  const read = (): { id: string; fields: URLSearchParams } => {
    const [id = "", ...fields] = location.hash.slice(1).split("?");
    return { id: decoded(id), fields: new URLSearchParams(fields.join("?")) };
  };
  const write = (id: string, way: "pushState" | "replaceState"): void => {
    const fields = filter.fields().toString();
    const hash = `${encodeURI(id).replaceAll("?", "%3F")}${fields === "" ? "" : `?${fields}`}`;
    // The state distinguishes entries written here from followed links.
    const address = hash === "" ? location.href.replace(/#.*$/s, "") : `#${hash}`;
    history[way]("written", "", address);
  };
  const reveal = (id: string): void => {
    if (id === "") return;
    const found = filter.find(id);
    if (found === null) return;
    opening.open(found);
    // A card opens to its first exchange, a row to its checks, the coverage to its sections; other parts of the page stay as they are.
    const first = found.querySelector<HTMLElement>(
      !found.matches("[data-group], [data-item]")
        ? ":scope > details:has(> [data-group])"
        : found.matches(".row")
          ? ":scope > details"
          : "details.slot",
    );
    if (first !== null) opening.open(first);
    found.scrollIntoView({ block: "start" });
    focusOn(found);
  };
  const arrive = (): void => {
    const { id, fields } = read();
    const isLink = history.state !== "written";
    if (!isLink || fields.size > 0) filter.restore(fields);
    reveal(id);
    if (isLink) write(id, "replaceState");
  };
  addEventListener("hashchange", arrive);
  // A link to the current place should scroll to it again. Followed by the browser, it would take the filter out of the
  // address, and add a step to the history that `back` undoes without a visible change.
  document.addEventListener("click", (event) => {
    const { target, ctrlKey, metaKey, shiftKey } = event;
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#"]') : null;
    const elsewhere = ctrlKey || metaKey || shiftKey;
    if (link === null || elsewhere || decoded(link.hash.slice(1)) !== read().id) return;
    event.preventDefault();
    reveal(read().id);
    write(read().id, "replaceState");
  });
  filter.onChange((way) => write(read().id, way));
  const { id, fields } = read();
  filter.restore(fields);
  reveal(id);
  write(id, "replaceState");
  // At the end of loading the browser scrolls to the address itself, and may drop the focus.
  addEventListener("load", () => {
    if (document.activeElement === document.body) reveal(read().id);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
