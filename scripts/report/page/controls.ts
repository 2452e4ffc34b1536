import type { Charts } from "./charts.ts";
import { all, focusOn } from "./element.ts";
import type { Filter } from "./filter.ts";

interface KeyboardParts {
  readonly filter: Filter;
  /** Undefined on a page without a filter. */
  readonly search: HTMLInputElement | null;
  readonly help: HTMLDialogElement;
}

/** Shortcuts: `/` searches, j and k (or the arrows on a finding) move between findings, Escape closes, `?` shows help. */
export function setUpKeyboard({ filter, search, help }: KeyboardParts): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.key === "Escape") return back(event, { filter, search });
    const { target } = event;
    if (target instanceof Element && target.matches("input, select, textarea")) return;
    const atItem = target instanceof Element && target === stopOf(target.closest<HTMLElement>("[data-item]"));
    const handle: Readonly<Record<string, () => void>> = {
      ...(search === null ? {} : { "/": () => search.focus() }),
      "?": () => help.showModal(),
      j: () => go(1),
      k: () => go(-1),
      ...(atItem ? { ArrowDown: () => go(1), ArrowUp: () => go(-1) } : {}),
      ...(atItem && target.matches(".finding") ? { Enter: () => toggle(target) } : {}),
    };
    if (!Object.hasOwn(handle, event.key)) return;
    event.preventDefault();
    handle[event.key]?.();
  });
}

function back(event: KeyboardEvent, { filter, search }: Pick<KeyboardParts, "filter" | "search">): void {
  const focused = document.activeElement;
  if (search !== null && focused === search) {
    event.preventDefault();
    filter.reset();
    search.blur();
    return;
  }
  const own = focused?.matches(".finding")
    ? focused.querySelector<HTMLDetailsElement>("details.slot[open]")
    : null;
  if (own !== null && own !== undefined) {
    own.open = false;
    return;
  }
  const open = focused?.closest<HTMLDetailsElement>("details[open]");
  if (open !== null && open !== undefined) {
    open.open = false;
    open.querySelector("summary")?.focus();
  } else filter.reset();
}

function go(step: 1 | -1): void {
  const items = all("[data-item], [data-stop]");
  const from = document.activeElement?.closest<HTMLElement>("[data-item], [data-stop]") ?? null;
  let index = from === null ? (step === 1 ? -1 : items.length) : items.indexOf(from);
  // Folded and filtered items are skipped.
  do index += step;
  while (items[index]?.checkVisibility() === false);
  const stop = stopOf(items[index] ?? null);
  if (stop === null) return;
  focusOn(stop);
  stop.scrollIntoView({ block: stop.matches(".finding") ? "start" : "nearest" });
}

/** Opens or closes the exchanges of a finding, and shows them. */
function toggle(finding: Element): void {
  const slot = finding.querySelector<HTMLDetailsElement>("details.slot");
  if (slot === null) return;
  slot.open = !slot.open;
  slot.scrollIntoView({ block: slot.open ? "start" : "nearest" });
}

/** The element to focus for an item: its summary, or itself. Of a finding its head, which says what was found. */
function stopOf(item: HTMLElement | null): HTMLElement | null {
  if (item?.matches(".finding") === true) return item;
  return item?.querySelector<HTMLElement>("summary, :scope > a") ?? item;
}

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];
const place = "shelfcheck-theme";

/** Applies the stored theme, before the first paint, so that the page does not flash. */
export function applyTheme(theme: Theme = remembered()): Theme {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  return theme;
}

/** The button cycles through system, light and dark. `changed` is called for each, and when the system changes. */
export function setUpTheme(button: HTMLButtonElement, changed: () => void): void {
  let theme = remembered();
  const show = (): void => {
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    theme = applyTheme(themes[(themes.indexOf(theme) + 1) % themes.length]);
    remember(theme);
    show();
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  show();
}

// A page opened from a file may have no storage; then the theme is not remembered.
function remembered(): Theme {
  try {
    const kept = localStorage.getItem(place);
    return themes.find((theme) => theme === kept) ?? "system";
  } catch {
    return "system";
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(place, theme);
  } catch {}
}

/** Prints charts in light colours and in the width of the paper, then restores them. */
export function setUpPrint(charts: Charts): void {
  let printing = false;
  // Charts are painted before the browser applies the print style.
  const root = document.documentElement;
  let theme: string | undefined;
  const start = (): void => {
    if (printing) return;
    printing = true;
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    charts.print();
  };
  const end = (): void => {
    if (!printing) return;
    printing = false;
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
    charts.screen();
  };
  addEventListener("beforeprint", start);
  addEventListener("afterprint", end);
  // For previews and tests, which do not fire the events.
  matchMedia("print").addEventListener("change", ({ matches }) => (matches ? start() : end()));
}
