import { focusOn } from "./element.ts";
import type { Filter } from "./filter.ts";
import type { Opening } from "./opening.ts";

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
