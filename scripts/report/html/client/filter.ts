import { counted, grouped } from "../../../../schemas/words/format.ts";
import { all, element } from "./element.ts";

interface Count {
  readonly of: number;
  readonly all: number;
}

/** Search and filters over findings and coverage. */
export class Filter {
  readonly #form: HTMLFormElement;
  readonly #clear: HTMLElement | null;
  readonly #findings: readonly FilteredFindings[];
  readonly #coverage: FilteredCoverage | undefined;
  readonly #others: readonly Showable[];
  #changed: (way: "pushState" | "replaceState") => void = () => {};

  constructor(form: HTMLFormElement) {
    this.#form = form;
    const parts = all("main > section").map(readPart);
    const searched = parts.filter(({ groups }) => groups.length > 0);
    const isCoverage = ({ place }: { place: Showable }): boolean => place.element.id === "coverage";
    this.#findings = searched.filter((part) => !isCoverage(part)).map((part) => new FilteredFindings(part));
    const coverage = searched.find(isCoverage);
    this.#coverage = coverage === undefined ? undefined : new FilteredCoverage(coverage);
    this.#others = parts.filter(({ groups }) => groups.length === 0).map(({ place }) => place);
    form.addEventListener("input", ({ target }) => {
      this.apply();
      // A choice is a step in the history; a typed letter is not.
      this.#changed(
        target instanceof HTMLInputElement && target.type === "search" ? "replaceState" : "pushState",
      );
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    this.#clear = form.querySelector("button");
    this.#clear?.addEventListener("click", () => this.reset());
    form.hidden = false;
    this.apply();
  }

  /** Calls `changed` when the reader changes the filter; `pushState` for a step that `back` undoes. */
  onChange(changed: (way: "pushState" | "replaceState") => void): void {
    this.#changed = changed;
  }

  /** The fields for the address, without empty ones. */
  fields(): URLSearchParams {
    const values = [...new FormData(this.#form)].map(([name, value]) => [name, String(value)]);
    return new URLSearchParams(values.filter(([, value]) => value !== ""));
  }

  /** Sets the fields from the address. */
  restore(fields: URLSearchParams): void {
    if (fields.toString() === this.fields().toString()) return;
    for (const field of this.#form.elements) {
      if (field instanceof HTMLInputElement && field.type === "checkbox")
        field.checked = fields.getAll(field.name).includes(field.value);
      else if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement)
        field.value = fields.get(field.name) ?? "";
    }
    this.apply();
  }

  /** Clears all fields and shows everything. */
  reset(): void {
    if (this.fields().size === 0) return;
    this.#form.reset();
    this.apply();
    this.#changed("pushState");
  }

  /** The element with an id, even if it is filtered out or beyond the limit. */
  find(id: string): HTMLElement | null {
    const found = document.getElementById(id);
    if (found !== null && found.closest("[hidden]") === null) return found;
    this.#form.reset();
    this.apply();
    for (const findings of this.#findings) {
      const finding = findings.find(id);
      if (finding !== undefined) return finding;
    }
    return document.getElementById(id);
  }

  /** For printing: everything that matches the filter, without the limit. */
  showAll(): void {
    for (const findings of this.#findings) findings.showMore(Number.POSITIVE_INFINITY);
  }

  apply(): void {
    const wanted = this.#wanted();
    const active = isActive(wanted);
    const found = this.#findings.map((findings) => findings.apply(wanted));
    const covered = this.#coverage?.apply(wanted, active) ?? { of: 0, all: 0 };
    for (const other of this.#others) other.show(!active);
    this.#tell(sum(found), covered, active);
  }

  #wanted(): Wanted {
    const values = new FormData(this.#form);
    const typed = String(values.get("search") ?? "").toLowerCase();
    return {
      words: typed.split(/\s+/).filter((word) => word !== ""),
      verdicts: new Set(values.getAll("verdict").map(String)),
      section: String(values.get("section") ?? ""),
    };
  }

  #tell(findings: Count, requirements: Count, active: boolean): void {
    const text = `${countText(findings, "finding", active)}, ${countText(requirements, "requirement", active)}`;
    const output = this.#form.querySelector("output");
    if (output !== null && output.textContent !== text) output.textContent = text;
    if (this.#clear !== null) this.#clear.hidden = !active;
  }
}

function isActive({ words, verdicts, section }: Wanted): boolean {
  return words.length > 0 || verdicts.size > 0 || section !== "";
}

function sum(counts: readonly Count[]): Count {
  return counts.reduce((one, other) => ({ of: one.of + other.of, all: one.all + other.all }), {
    of: 0,
    all: 0,
  });
}

function countText({ of, all: every }: Count, noun: string, active: boolean): string {
  return `${active ? `${grouped(of)} of ` : ""}${counted(every, noun)}`;
}

/**
 * Maximum number of findings that are shown before a button for the rest. Hidden findings are removed from the page, so
 * that the filter is as fast with 5,000 findings as with 100.
 */
const mostShown = 100;
const moreShown = 500;

/** One list of findings under the filter. */
export class FilteredFindings {
  readonly #part: Part;
  readonly #cards: Element | null;
  readonly #rest: HTMLElement;
  readonly #note: HTMLElement;
  #limit = mostShown;
  #matching: ReadonlySet<Item> = new Set();

  constructor(part: Part) {
    this.#part = part;
    this.#cards = part.place.element.querySelector(".cards");
    this.#note = element("span", {});
    const button = element("button", { type: "button" }, "Show more");
    this.#rest = element("p", { class: "rest" }, this.#note, " ", button);
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

  /** Inserts the card or finding with an id, even beyond the limit; undefined if there is none. */
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
    // Without a match the whole section is hidden; its contents need no change.
    if (cards.length > 0 && !alike(cards, this.#cards?.children)) this.#cards?.replaceChildren(...cards);
    this.#note.textContent = `${grouped(shown)} of ${grouped(this.#matching.size)} are shown.`;
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

/** Sections with more matches than this stay folded. */
const mostOpened = 100;

/** The coverage: sections without a match are hidden, sections with a few matches are opened. */
export class FilteredCoverage {
  readonly #part: Part;
  /** Sections that the filter opened and will close. */
  readonly #opened = new Set<HTMLDetailsElement>();
  #matching: ReadonlySet<Item> = new Set();

  constructor(part: Part) {
    this.#part = part;
    // Folded sections are updated when they open.
    for (const group of part.groups)
      group.place.element.addEventListener("toggle", () => this.#update(group));
  }

  apply(wanted: Wanted, active: boolean): { of: number; all: number } {
    const items = this.#part.groups.flatMap((group) => group.items);
    this.#matching = new Set(items.filter((item) => matches(wanted, item)));
    const few = active && this.#matching.size <= mostOpened;
    this.#part.place.element.toggleAttribute("data-filtered", active);
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

/** Something that a filter shows or hides. The page is only touched on a change. */
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
  /** Lower-case text of the item and its group. */
  readonly text: string;
}

export interface Group {
  readonly place: Showable;
  readonly items: readonly Item[];
}

/** A section of the page with its searchable items. */
export interface Part {
  readonly place: Showable;
  readonly groups: readonly Group[];
}

function readPart(element: HTMLElement): Part {
  return { place: new Showable(element), groups: all("[data-group]", element).map(readGroup) };
}

function readGroup(element: HTMLElement): Group {
  const heading = all(":scope > h3, :scope > .about, :scope > blockquote, :scope > summary > .name", element)
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

/** The current query; empty fields match everything. */
export interface Wanted {
  /** In lower case; all of them must match. */
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
