import { all } from "./element.ts";

interface Item {
  readonly element: HTMLElement;
  readonly verdict: string;
  readonly section: string;
  /** Its own words and those of the group it stands in, in small letters. */
  readonly text: string;
}

interface Group {
  readonly element: HTMLElement;
  readonly items: readonly Item[];
}

interface Part {
  readonly element: HTMLElement;
  readonly groups: readonly Group[];
  /** Its rows are requirements; otherwise its items are findings. */
  readonly coverage: boolean;
}

/** More rows than this stay folded when a filter finds them: nobody reads them, and opening takes time. */
const mostOpened = 200;

/** Search and filters over the findings and the coverage. Only what changes is touched. */
export class Filter {
  readonly #form: HTMLFormElement;
  readonly #parts: readonly Part[];
  readonly #others: readonly HTMLElement[];
  /** Sections of the coverage that the filter opened, to be closed again with it. */
  readonly #opened = new Set<HTMLDetailsElement>();

  constructor(form: HTMLFormElement) {
    this.#form = form;
    const sections = all("main > section");
    const parts = sections.map(readPart);
    this.#parts = parts.filter(({ groups }) => groups.length > 0);
    this.#others = parts.filter(({ groups }) => groups.length === 0).map(({ element }) => element);
    form.addEventListener("input", () => this.apply());
    form.addEventListener("submit", (event) => event.preventDefault());
    // The fields are empty only after the event.
    form.addEventListener("reset", () => queueMicrotask(() => this.apply()));
    form.hidden = this.#parts.length === 0;
    this.apply();
  }

  /** Whether it hides anything. */
  get active(): boolean {
    const { words, verdicts, section } = this.#wanted();
    return words.length > 0 || verdicts.size > 0 || section !== "";
  }

  reset(): void {
    if (this.active) this.#form.reset();
    this.apply();
  }

  apply(): void {
    const { words, verdicts, section } = this.#wanted();
    const { active } = this;
    const matches = ({ text, ...item }: Item): boolean =>
      (verdicts.size === 0 || verdicts.has(item.verdict)) &&
      (section === "" || item.section === section) &&
      words.every((word) => text.includes(word));
    const found = { findings: { of: 0, all: 0 }, requirements: { of: 0, all: 0 } };
    for (const part of this.#parts) {
      const count = part.coverage ? found.requirements : found.findings;
      let inPart = 0;
      for (const { element, items } of part.groups) {
        let inGroup = 0;
        for (const item of items) {
          const match = matches(item);
          if (item.element.hidden === match) item.element.hidden = !match;
          if (match) inGroup++;
        }
        count.all += items.length;
        inPart += inGroup;
        setHidden(element, inGroup === 0);
      }
      count.of += inPart;
      setHidden(part.element, inPart === 0);
      if (part.coverage) this.#unfold(part, active && inPart <= mostOpened);
    }
    for (const element of this.#others) setHidden(element, active);
    this.#tell(found, active);
  }

  #wanted(): { words: string[]; verdicts: ReadonlySet<string>; section: string } {
    const values = new FormData(this.#form);
    const typed = String(values.get("search") ?? "").toLowerCase();
    return {
      words: typed.split(/\s+/).filter((word) => word !== ""),
      verdicts: new Set(values.getAll("verdict").map(String)),
      section: String(values.get("section") ?? ""),
    };
  }

  #unfold({ groups }: Part, open: boolean): void {
    for (const { element } of groups) {
      if (!(element instanceof HTMLDetailsElement)) continue;
      if (open && !element.open) {
        element.open = true;
        this.#opened.add(element);
      } else if (!open && this.#opened.delete(element)) element.open = false;
    }
  }

  #tell(
    { findings, requirements }: Record<"findings" | "requirements", { of: number; all: number }>,
    active: boolean,
  ): void {
    const number = (count: number): string => count.toLocaleString("en");
    const said = active
      ? `${number(findings.of)} of ${number(findings.all)} findings, ${number(requirements.of)} of ${number(requirements.all)} requirements`
      : `${number(findings.all)} findings, ${number(requirements.all)} requirements`;
    const output = this.#form.querySelector("output");
    if (output !== null && output.textContent !== said) output.textContent = said;
    const clear = this.#form.querySelector<HTMLElement>("button[type=reset]");
    if (clear !== null) clear.hidden = !active;
  }
}

function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

function readPart(element: HTMLElement): Part {
  return {
    element,
    groups: all("[data-group]", element).map(readGroup),
    coverage: element.id === "coverage",
  };
}

function readGroup(element: HTMLElement): Group {
  const heading = all(":scope > h3, :scope > .about, :scope > summary > .name", element)
    .map(({ textContent }) => textContent)
    .join(" ");
  const items = all("[data-item]", element).map((item) => ({
    element: item,
    verdict: item.dataset.verdict ?? element.dataset.verdict ?? "",
    section: item.dataset.section ?? element.dataset.section ?? "",
    text: `${heading} ${item.textContent}`.toLowerCase(),
  }));
  return { element, items };
}
