import { visibleText } from "../text.ts";

type Child = Node | string | undefined;

/** Creates an element. String children become text, with marks for invisible characters. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  for (const child of children) {
    if (child !== undefined) made.append(typeof child === "string" ? visibleText(child) : child);
  }
  return made;
}

/** The elements in `root` that match, as HTML elements. */
export function all(selector: string, root: ParentNode = document): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(selector)];
}

/** Focuses any element, also one that is not a control. */
export function focusOn(wanted: HTMLElement): void {
  if (!wanted.matches("a[href], summary, button, input, select, [tabindex]")) wanted.tabIndex = -1;
  wanted.focus({ preventScroll: true });
}

/** A button that copies the text of a block. */
export function copyButton(block: HTMLElement): HTMLElement {
  const note = element("span", { "aria-live": "polite" });
  const button = element("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    note.textContent = (await copied(block)) ? "Copied" : "Selected: press Ctrl+C";
  });
  const both = document.createElement("span");
  both.append(button, " ", note);
  return both;
}

/** Copies a text; false where the browser has no clipboard for this page. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = element("textarea", { class: "unseen" }, text);
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

async function copied(block: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(block.textContent ?? "");
    return true;
  } catch {
    // Without a secure origin there is no clipboard; the text is selected instead.
    getSelection()?.selectAllChildren(block);
    return document.execCommand("copy");
  }
}

/** The one element of the page that a selector names. */
export function need<Kind extends HTMLElement>(selector: string, kind: new () => Kind): Kind {
  const found = document.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${selector}.`);
}
