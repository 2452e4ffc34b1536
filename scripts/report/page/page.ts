import { grouped } from "../../../schemas/words/format.ts";

document.addEventListener("DOMContentLoaded", () => {
  const showAll = setUpFilter();
  setUpCopying();
  const arrive = () => reveal(decoded(location.hash.slice(1)), showAll);
  addEventListener("hashchange", arrive);
  // The browser scrolls to the address at the end of loading, and may drop the focus.
  addEventListener("load", arrive);
});

/** Shows and focuses the place of a link, and opens it and what it is in. */
function reveal(id: string, showAll: () => void): void {
  const place = document.getElementById(id);
  if (place === null) return;
  if (place.closest("[hidden]") !== null) showAll();
  for (let fold = place.closest("details"); fold !== null; fold = outer(fold)) fold.open = true;
  place.scrollIntoView({ block: "start" });
  place.querySelector<HTMLElement>(":scope > summary")?.focus({ preventScroll: true });
}

function outer(fold: Element): HTMLDetailsElement | null {
  return fold.parentElement?.closest("details") ?? null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Each command has a button that copies it. */
function setUpCopying(): void {
  for (const code of document.querySelectorAll(".command code")) {
    const text = code.textContent ?? "";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${text.slice(0, 200)}`);
    button.addEventListener("click", async () => {
      // There is no clipboard for a page that came over http.
      const copied = await navigator.clipboard?.writeText(text).then(
        () => true,
        () => false,
      );
      button.textContent = copied ? "Copied" : "Copying is blocked by the browser";
    });
    code.after(" ", button);
  }
}

/** Folds with matches are opened up to this many matches. */
const mostOpened = 100;

interface Entry {
  readonly element: HTMLDetailsElement;
  /** Lower-case text of the item, without the exchanges, which repeat it. */
  readonly text: string;
}

/** Returns a function that clears search and filters; a page with fewer than two items has none. */
function setUpFilter(): () => void {
  const form = document.querySelector<HTMLFormElement>(".filter");
  const [output, clear] = [form?.querySelector("output"), form?.querySelector("button")];
  if (!form || !output || !clear) return () => undefined;
  const entries = all(".item").map((element): Entry => ({ element, text: textOf(element) }));
  /** Folds that the filter opened and will close. */
  const opened = new Set<HTMLDetailsElement>();

  const apply = (): void => {
    const fields = new FormData(form);
    const isActive = [...fields.values()].some((value) => value !== "");
    const matching = new Set(entries.filter(wantedBy(fields)).map(({ element }) => element));
    for (const { element } of entries) element.hidden = !matching.has(element);
    for (const part of all(".suite, .suite > .more"))
      part.hidden = isActive && !all(".item", part).some((item) => matching.has(item));
    const few = isActive && matching.size <= mostOpened;
    for (const fold of all("details.suite, .suite > .more")) {
      if (few && !fold.open) opened.add(fold);
      if (few || opened.delete(fold)) fold.open = few;
    }
    const of = isActive ? `${grouped(matching.size)} of ` : "";
    output.textContent = `${of}${grouped(entries.length)} results`;
    clear.hidden = !isActive;
  };
  const showAll = (): void => {
    form.reset();
    apply();
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  clear.addEventListener("click", showAll);
  form.hidden = false;
  apply();
  return showAll;
}

/** Whether an item matches all fields; empty ones match everything. */
function wantedBy(fields: FormData): (entry: Entry) => boolean {
  const words = String(fields.get("search")).toLowerCase().split(/\s+/);
  const [section, verdicts] = [fields.get("section") ?? "", fields.getAll("verdict")];
  return ({ element: { dataset }, text }) =>
    (verdicts.length === 0 || verdicts.includes(dataset.verdict ?? "")) &&
    ["", ...(dataset.sections ?? "").split("\n")].includes(String(section)) &&
    words.every((word) => text.includes(word));
}

function textOf(item: HTMLElement): string {
  const parts = [...item.querySelectorAll(":scope > summary, :scope > .opened > :not(.evidence)")];
  return parts
    .map(({ textContent }) => textContent)
    .join(" ")
    .toLowerCase();
}

function all(selector: string, root: ParentNode = document): HTMLDetailsElement[] {
  return [...root.querySelectorAll<HTMLDetailsElement>(selector)];
}
