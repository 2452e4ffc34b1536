import { all } from "./element.ts";
import { FilteredCoverage } from "./filtered-coverage.ts";
import { FilteredFindings } from "./filtered-findings.ts";
import { readPart, type Showable, type Wanted } from "./searchable.ts";

interface Count {
  readonly of: number;
  readonly all: number;
}

/** Search and filters over the findings and the coverage; the rest of the page gives way to what they find. */
export class Filter {
  readonly #form: HTMLFormElement;
  readonly #clear: HTMLElement | null;
  readonly #findings: readonly FilteredFindings[];
  readonly #coverage: FilteredCoverage | undefined;
  readonly #others: readonly Showable[];

  constructor(form: HTMLFormElement) {
    this.#form = form;
    const parts = all("main > section").map(readPart);
    const searched = parts.filter(({ groups }) => groups.length > 0);
    const isCoverage = ({ place }: { place: Showable }): boolean => place.element.id === "coverage";
    this.#findings = searched.filter((part) => !isCoverage(part)).map((part) => new FilteredFindings(part));
    const coverage = searched.find(isCoverage);
    this.#coverage = coverage === undefined ? undefined : new FilteredCoverage(coverage);
    this.#others = parts.filter(({ groups }) => groups.length === 0).map(({ place }) => place);
    form.addEventListener("input", () => this.apply());
    form.addEventListener("submit", (event) => event.preventDefault());
    this.#clear = form.querySelector("button");
    this.#clear?.addEventListener("click", () => this.reset());
    form.hidden = searched.length === 0;
    this.apply();
  }

  /** Shows everything again, and puts the fields back. */
  reset(): void {
    this.#form.reset();
    this.apply();
  }

  /** The element of an id, even where the filter or the number of findings keeps it out of the page. */
  find(id: string): HTMLElement | null {
    const found = document.getElementById(id);
    if (found !== null && found.closest("[hidden]") === null) return found;
    this.reset();
    for (const findings of this.#findings) {
      const finding = findings.find(id);
      if (finding !== undefined) return finding;
    }
    return document.getElementById(id);
  }

  /** For paper: everything that the filter lets through, however much it is. */
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
    const said = `${told(findings, active)} findings, ${told(requirements, active)} requirements`;
    const output = this.#form.querySelector("output");
    if (output !== null && output.textContent !== said) output.textContent = said;
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

function told({ of, all: every }: Count, active: boolean): string {
  return active ? `${of.toLocaleString("en")} of ${every.toLocaleString("en")}` : every.toLocaleString("en");
}
