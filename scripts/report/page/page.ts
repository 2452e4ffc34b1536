import { setUpCopying } from "./copy.ts";
import { Filter } from "./filter.ts";

document.addEventListener("DOMContentLoaded", () => {
  // A page with fewer than two findings has no filter.
  const form = document.querySelector<HTMLFormElement>(".filter");
  const filter = form === null ? undefined : new Filter(form);
  setUpCopying();
  const arrive = () => reveal(decoded(location.hash.slice(1)), filter);
  addEventListener("hashchange", arrive);
  // The browser scrolls to the address at the end of loading, and may drop the focus.
  addEventListener("load", arrive);
});

/** Shows and focuses the place of a link, opens what it is in, and its own first fold: its exchanges, or its checks. */
function reveal(id: string, filter: Filter | undefined): void {
  const place = document.getElementById(id);
  if (place === null) return;
  if (place.closest("[hidden]") !== null) filter?.reset();
  for (let one: Element | null = place; one !== null; one = one.parentElement)
    if (one instanceof HTMLDetailsElement) one.open = true;
  const own =
    place.tagName === "SECTION"
      ? ":scope > details:has(> [data-group])"
      : place.matches(".row")
        ? ":scope > details"
        : "details.slot";
  const fold = place.querySelector<HTMLDetailsElement>(own);
  if (fold !== null) fold.open = true;
  if (!place.matches("a[href], summary, button, input, select, [tabindex]")) place.tabIndex = -1;
  place.scrollIntoView({ block: "start" });
  place.focus({ preventScroll: true });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
