import { type Group, type Item, matches, type Part, type Wanted } from "./searchable.ts";

/** More rows than this stay folded when the filter finds them. */
const mostOpened = 100;

/** The coverage under the filter: sections without a match go, those with a few open. */
export class FilteredCoverage {
  readonly #part: Part;
  /** Sections that the filter opened, to be closed again with it. */
  readonly #opened = new Set<HTMLDetailsElement>();
  #matching: ReadonlySet<Item> = new Set();

  constructor(part: Part) {
    this.#part = part;
    // What is folded is brought up to date when it opens.
    for (const group of part.groups)
      group.place.element.addEventListener("toggle", () => this.#update(group));
  }

  apply(wanted: Wanted, active: boolean): { of: number; all: number } {
    const items = this.#part.groups.flatMap((group) => group.items);
    this.#matching = new Set(items.filter((item) => matches(wanted, item)));
    const few = active && this.#matching.size <= mostOpened;
    for (const group of this.#part.groups) {
      const any = group.items.some((item) => this.#matching.has(item));
      group.place.show(any);
      if (any) this.#fold(group, few);
      this.#update(group);
    }
    this.#part.place.show(this.#matching.size > 0);
    return { of: this.#matching.size, all: items.length };
  }

  #fold({ place: { element } }: Group, few: boolean): void {
    if (!(element instanceof HTMLDetailsElement)) return;
    if (few && !element.open) {
      element.open = true;
      this.#opened.add(element);
    } else if (!few && this.#opened.delete(element)) element.open = false;
  }

  #update({ place: { element }, items }: Group): void {
    if (element instanceof HTMLDetailsElement && !element.open) return;
    for (const item of items) item.show(this.#matching.has(item));
  }
}
