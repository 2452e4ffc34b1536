import { all, focusOn } from "./element.ts";
import type { Filter } from "./filter.ts";

interface Parts {
  readonly filter: Filter;
  readonly search: HTMLInputElement;
  readonly help: HTMLDialogElement;
}

/** `/` searches, j and k (or the arrows, once there) go through the findings, Escape goes back, `?` tells so. */
export function setUpKeyboard({ filter, search, help }: Parts): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.key === "Escape") return back(event, { filter, search });
    const { target } = event;
    if (target instanceof Element && target.matches("input, select, textarea")) return;
    const atItem = target instanceof Element && target === stopOf(target.closest<HTMLElement>("[data-item]"));
    const handle: Readonly<Record<string, () => void>> = {
      "/": () => search.focus(),
      "?": () => help.showModal(),
      j: () => go(1),
      k: () => go(-1),
      ...(atItem ? { ArrowDown: () => go(1), ArrowUp: () => go(-1) } : {}),
    };
    if (!Object.hasOwn(handle, event.key)) return;
    event.preventDefault();
    handle[event.key]?.();
  });
}

function back(event: KeyboardEvent, { filter, search }: Pick<Parts, "filter" | "search">): void {
  const focused = document.activeElement;
  if (focused === search) {
    event.preventDefault();
    filter.reset();
    search.blur();
    return;
  }
  const open = focused?.closest<HTMLDetailsElement>("details[open]");
  if (open !== null && open !== undefined) {
    open.open = false;
    open.querySelector("summary")?.focus();
  } else filter.reset();
}

function go(step: 1 | -1): void {
  const items = all("[data-item]");
  const from = document.activeElement?.closest<HTMLElement>("[data-item]") ?? null;
  let index = from === null ? (step === 1 ? -1 : items.length) : items.indexOf(from);
  // What is folded away or filtered out is passed over.
  do index += step;
  while (items[index]?.checkVisibility() === false);
  const stop = stopOf(items[index] ?? null);
  if (stop === null) return;
  focusOn(stop);
  stop.scrollIntoView({ block: "nearest" });
}

/** What is focused for an item: what opens it, else itself. */
function stopOf(item: HTMLElement | null): HTMLElement | null {
  return item?.querySelector<HTMLElement>("summary, :scope > a") ?? item;
}
