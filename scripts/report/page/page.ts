import { setUpCopying } from "./copy.ts";
import { setUpFilter } from "./filter.ts";

document.addEventListener("DOMContentLoaded", () => {
  const showAll = setUpFilter();
  setUpCopying();
  const arrive = () => reveal(decoded(location.hash.slice(1)), showAll);
  addEventListener("hashchange", arrive);
  // The browser scrolls to the address at the end of loading, and may drop the focus.
  addEventListener("load", arrive);
});

/** Shows and focuses the place of a link, and opens it and what it is in. */
function reveal(id: string, showAll: () => void): void {
  const place = document.getElementById(id);
  if (place === null) return;
  if (place.closest("[hidden]") !== null) showAll();
  for (let fold = place.closest("details"); fold !== null; fold = outer(fold)) fold.open = true;
  place.scrollIntoView({ block: "start" });
  place.querySelector<HTMLElement>(":scope > summary")?.focus({ preventScroll: true });
}

function outer(fold: Element): HTMLDetailsElement | null {
  return fold.parentElement?.closest("details") ?? null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
