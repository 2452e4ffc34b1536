import type { PageData } from "../page-data.ts";
import { verdictMarks, verdictWords } from "../words.ts";
import { element } from "./element.ts";
import { exchangeElement } from "./exchange.ts";

/** Builds what an element opens to, the first time that it is opened. */
export class Opening {
  readonly #data: PageData;
  readonly #filled = new WeakSet<Element>();

  constructor(data: PageData) {
    this.#data = data;
    // `toggle` does not bubble.
    document.addEventListener(
      "toggle",
      ({ target }) => target instanceof HTMLDetailsElement && this.fill(target),
      true,
    );
  }

  /** Opens an element and all that it stands in; at once, so that it can be scrolled to. */
  open(start: Element): void {
    for (let one: Element | null = start; one !== null; one = one.parentElement) {
      if (!(one instanceof HTMLDetailsElement)) continue;
      this.fill(one);
      one.open = true;
    }
  }

  fill(details: HTMLDetailsElement): void {
    const { slot, row } = details.dataset;
    if (this.#filled.has(details)) return;
    this.#filled.add(details);
    if (slot !== undefined) details.append(...this.#exchanges(Number(slot)));
    if (row !== undefined) details.append(...this.#checks(row));
  }

  #exchanges(slot: number): HTMLElement[] {
    const exchanges = (this.#data.slots[slot] ?? []).flatMap((place) => this.#data.exchanges[place] ?? []);
    if (exchanges.length > 0) return exchanges.map(exchangeElement);
    return [element("p", { class: "faint" }, "Left out here to keep the page small; results.json has it.")];
  }

  #checks(row: string): HTMLElement[] {
    const checks = this.#data.rows[row] ?? [];
    if (checks.length === 0) return [element("p", { class: "faint" }, "It has no checks.")];
    return checks.map(({ id, title, verdict, reason, slot }) => {
      const check = element(
        "div",
        { class: "check" },
        element(
          "p",
          {},
          element("span", { class: `chip ${verdictMarks[verdict]}` }, verdictWords[verdict]),
          " ",
          element("bdi", {}, title),
        ),
        reason === "" ? undefined : element("p", { class: "reason" }, element("bdi", {}, reason)),
        element("p", { class: "faint" }, element("code", {}, id)),
      );
      if (slot !== undefined)
        check.append(
          element(
            "details",
            { class: "slot", "data-slot": String(slot) },
            element("summary", {}, "Request, answer, curl"),
          ),
        );
      return check;
    });
  }
}
