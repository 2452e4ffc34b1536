import { element } from "./element.ts";
import { type Item, matches, type Part, type Wanted } from "./searchable.ts";

/**
 * More findings than this are not put before a reader at once: beyond lies a button. It keeps every answer of the
 * filter as quick with 5,000 findings as with 200, since so few elements change.
 */
const mostShown = 200;
const moreShown = 500;

/** One list of findings under the filter. */
export class FilteredFindings {
  readonly #part: Part;
  readonly #rest: HTMLElement;
  readonly #said: HTMLElement;
  #limit = mostShown;
  #matching: ReadonlySet<Item> = new Set();

  constructor(part: Part) {
    this.#part = part;
    this.#said = element("span", {});
    const button = element("button", { type: "button" }, "Show more");
    this.#rest = element("p", { class: "rest" }, this.#said, " ", button);
    this.#rest.hidden = true;
    part.place.element.append(this.#rest);
    button.addEventListener("click", () => this.showMore(this.#limit + moreShown));
  }

  apply(wanted: Wanted): { of: number; all: number } {
    const items = this.#part.groups.flatMap((group) => group.items);
    this.#matching = new Set(items.filter((item) => matches(wanted, item)));
    this.#limit = mostShown;
    this.#show();
    return { of: this.#matching.size, all: items.length };
  }

  showMore(limit: number): void {
    this.#limit = limit;
    this.#show();
  }

  /** Shows the card or finding even if it lies beyond the limit. */
  reveal(wanted: Element): void {
    for (const { place, items } of this.#part.groups) {
      if (!place.element.contains(wanted)) continue;
      place.show(true);
      for (const item of items.slice(0, mostShown)) item.show(true);
      items.find((item) => item.element.contains(wanted))?.show(true);
    }
  }

  #show(): void {
    let shown = 0;
    for (const { place, items } of this.#part.groups) {
      let inGroup = 0;
      // Nothing changes within a group that goes as a whole.
      const fits = shown < this.#limit && items.some((item) => this.#matching.has(item));
      if (fits) {
        for (const item of items) {
          const show = shown < this.#limit && this.#matching.has(item);
          item.show(show);
          if (show) {
            shown++;
            inGroup++;
          }
        }
      }
      place.show(inGroup > 0);
    }
    this.#part.place.show(this.#matching.size > 0);
    this.#said.textContent = `${shown.toLocaleString("en")} of ${this.#matching.size.toLocaleString("en")} are shown.`;
    this.#rest.hidden = shown === this.#matching.size;
  }
}
