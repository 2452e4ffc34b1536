import { counted, grouped } from "../../../schemas/words/format.ts";

/** What the reader looks for; empty fields match everything. */
interface Wanted {
  /** In lower case; all of them must match. */
  readonly words: readonly string[];
  readonly verdicts: ReadonlySet<string>;
  readonly section: string;
}

/** A finding, or a row of the list of requirements. */
interface FilteredItem {
  readonly element: HTMLElement;
  readonly verdict: string;
  readonly section: string;
  /** Lower-case text of the item and the heading of its group. */
  readonly text: string;
}

interface Group {
  readonly element: HTMLElement;
  readonly items: readonly FilteredItem[];
}

/** A section of the page with its searchable items. */
interface FilteredPart {
  readonly element: HTMLElement;
  readonly groups: readonly Group[];
}

/** Folds of a part with up to this many matches are opened. */
const mostOpened = 100;

/** Search and filters over findings and requirements. */
export class Filter {
  readonly #form: HTMLFormElement;
  readonly #clear: HTMLElement | null;
  readonly #parts: readonly FilteredPart[];
  /** Folds that the filter opened and will close. */
  readonly #opened = new Set<HTMLDetailsElement>();

  constructor(form: HTMLFormElement) {
    this.#form = form;
    this.#parts = all("main > section").map((element) => ({
      element,
      groups: all("[data-group]", element).map(readGroup),
    }));
    form.addEventListener("input", () => this.apply());
    form.addEventListener("submit", (event) => event.preventDefault());
    this.#clear = form.querySelector("button");
    this.#clear?.addEventListener("click", () => this.reset());
    form.hidden = false;
    this.apply();
  }

  /** Clears all fields and shows everything. */
  reset(): void {
    this.#form.reset();
    this.apply();
  }

  apply(): void {
    const wanted = this.#wanted();
    const isActive = wanted.words.length > 0 || wanted.verdicts.size > 0 || wanted.section !== "";
    const counts = { findings: { of: 0, all: 0 }, requirements: { of: 0, all: 0 } };
    for (const { element, groups } of this.#parts) {
      const matching = new Set(groups.flatMap(({ items }) => items.filter((item) => matches(wanted, item))));
      const total = groups.reduce((sum, { items }) => sum + items.length, 0);
      for (const group of groups) this.#showGroup(group, matching, isActive);
      const few = isActive && matching.size > 0 && matching.size <= mostOpened;
      for (const outer of all(":scope > details:has([data-group])", element)) this.#openIf(few, outer);
      show(element, total === 0 ? !isActive : matching.size > 0);
      const count = element.id === "requirements" ? counts.requirements : counts.findings;
      count.of += matching.size;
      count.all += total;
    }
    const told = [
      countText(counts.findings, "finding", isActive),
      countText(counts.requirements, "requirement", isActive),
    ].join(", ");
    const output = this.#form.querySelector("output");
    if (output !== null && output.textContent !== told) output.textContent = told;
    if (this.#clear !== null) this.#clear.hidden = !isActive;
  }

  #showGroup({ element, items }: Group, matching: ReadonlySet<FilteredItem>, isActive: boolean): void {
    for (const item of items) show(item.element, matching.has(item));
    const any = items.length === 0 ? !isActive : items.some((item) => matching.has(item));
    show(element, any);
    this.#openIf(isActive && any && matching.size <= mostOpened, element);
  }

  #openIf(few: boolean, element: HTMLElement): void {
    if (!(element instanceof HTMLDetailsElement)) return;
    if (few && !element.open) {
      element.open = true;
      this.#opened.add(element);
    } else if (!few && this.#opened.delete(element)) element.open = false;
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
}

function countText({ of, all: every }: { of: number; all: number }, noun: string, isActive: boolean): string {
  return `${isActive ? `${grouped(of)} of ` : ""}${counted(every, noun)}`;
}

/** The page is only touched on a change. */
function show(element: HTMLElement, shown: boolean): void {
  if (element.hidden === shown) element.hidden = !shown;
}

function readGroup(element: HTMLElement): Group {
  const heading = all(":scope > .about, :scope > .finding > .rule, :scope > summary > .name", element)
    .map(({ textContent }) => textContent)
    .join(" ");
  const items = all("[data-item]", element).map((item) => ({
    element: item,
    verdict: item.dataset.verdict ?? element.dataset.verdict ?? "",
    section: item.dataset.section ?? element.dataset.section ?? "",
    text: `${heading} ${textOf(item)}`.toLowerCase(),
  }));
  return { element, items };
}

/** What was found, without the exchanges and the ticket, which repeat it. */
function textOf(item: HTMLElement): string {
  const parts = item.matches(".finding") ? all(":scope > :not(.slot, .ticket)", item) : [item];
  return parts.map(({ textContent }) => textContent).join(" ");
}

function all(selector: string, root: ParentNode = document): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(selector)];
}

function matches({ words, verdicts, section }: Wanted, item: FilteredItem): boolean {
  return (
    (verdicts.size === 0 || verdicts.has(item.verdict)) &&
    (section === "" || item.section === section) &&
    words.every((word) => item.text.includes(word))
  );
}
