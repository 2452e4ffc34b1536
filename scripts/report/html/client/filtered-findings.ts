import { element } from "./element.ts";
import { type Group, type Item, matches, type Part, type Wanted } from "./searchable.ts";

/**
 * More findings than this are not put before a reader at once: beyond lies a button. What is not shown is out of the
 * page, so that the filter answers as quickly with 5,000 findings as with 100.
 */
const mostShown = 100;
const moreShown = 500;

/** One list of findings under the filter. */
export class FilteredFindings {
  readonly #part: Part;
  readonly #cards: Element | null;
  readonly #rest: HTMLElement;
  readonly #said: HTMLElement;
  #limit = mostShown;
  #matching: ReadonlySet<Item> = new Set();

  constructor(part: Part) {
    this.#part = part;
    this.#cards = part.place.element.querySelector(".cards");
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

  /** Puts the card or finding of an id into the page, even if it lies beyond the limit; undefined if there is none. */
  find(id: string): HTMLElement | undefined {
    for (const group of this.#part.groups) {
      const { element: card } = group.place;
      const found = card.id === id ? card : group.items.find((item) => item.element.id === id)?.element;
      if (found === undefined) continue;
      if (!card.isConnected) this.#cards?.append(card);
      for (const item of group.items.slice(0, mostShown)) item.show(true);
      group.items.find((item) => item.element === found)?.show(true);
      return found;
    }
    return undefined;
  }

  #show(): void {
    const cards: HTMLElement[] = [];
    let shown = 0;
    for (const group of this.#part.groups) {
      const inGroup = this.#showGroup(group, this.#limit - shown);
      if (inGroup > 0) cards.push(group.place.element);
      shown += inGroup;
    }
    this.#part.place.show(this.#matching.size > 0);
    // Without a match the whole section is hidden, and what is in it may stay.
    if (cards.length > 0 && !alike(cards, this.#cards?.children)) this.#cards?.replaceChildren(...cards);
    this.#said.textContent = `${shown.toLocaleString("en")} of ${this.#matching.size.toLocaleString("en")} are shown.`;
    this.#rest.hidden = shown === this.#matching.size;
  }

  #showGroup({ items }: Group, room: number): number {
    if (room <= 0 || !items.some((item) => this.#matching.has(item))) return 0;
    let shown = 0;
    for (const item of items) {
      const show = shown < room && this.#matching.has(item);
      item.show(show);
      if (show) shown++;
    }
    return shown;
  }
}

function alike(cards: readonly Element[], children: HTMLCollection | undefined): boolean {
  return children?.length === cards.length && cards.every((card, index) => children[index] === card);
}
