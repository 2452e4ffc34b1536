import { all } from "./element.ts";

/** Something that a filter shows or hides. What stands in the page is only touched when it changes. */
export class Showable {
  readonly element: HTMLElement;
  #shown: boolean;

  constructor(element: HTMLElement) {
    this.element = element;
    this.#shown = !element.hidden;
  }

  show(shown: boolean): void {
    if (this.#shown === shown) return;
    this.#shown = shown;
    this.element.hidden = !shown;
  }
}

/** A finding, or a row of the coverage. */
export interface Item extends Showable {
  readonly verdict: string;
  readonly section: string;
  /** Its own words and those of the group it stands in, in small letters. */
  readonly text: string;
}

export interface Group {
  readonly place: Showable;
  readonly items: readonly Item[];
}

/** A section of the page with what is to be searched in it. */
export interface Part {
  readonly place: Showable;
  readonly groups: readonly Group[];
}

export function readPart(element: HTMLElement): Part {
  return { place: new Showable(element), groups: all("[data-group]", element).map(readGroup) };
}

function readGroup(element: HTMLElement): Group {
  const heading = all(":scope > h3, :scope > .about, :scope > summary > .name", element)
    .map(({ textContent }) => textContent)
    .join(" ");
  const items = all("[data-item]", element).map((item) =>
    Object.assign(new Showable(item), {
      verdict: item.dataset.verdict ?? element.dataset.verdict ?? "",
      section: item.dataset.section ?? element.dataset.section ?? "",
      text: `${heading} ${item.textContent}`.toLowerCase(),
    }),
  );
  return { place: new Showable(element), items };
}

/** What the reader asks for; empty where anything will do. */
export interface Wanted {
  /** In small letters; all of them must be found. */
  readonly words: readonly string[];
  readonly verdicts: ReadonlySet<string>;
  readonly section: string;
}

export function matches({ words, verdicts, section }: Wanted, item: Item): boolean {
  return (
    (verdicts.size === 0 || verdicts.has(item.verdict)) &&
    (section === "" || item.section === section) &&
    words.every((word) => item.text.includes(word))
  );
}
