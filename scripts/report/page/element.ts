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

/** Lets a button copy a text, and says what came of it. */
export function copies(button: HTMLElement, text: string): void {
  button.addEventListener("click", async () => {
    button.textContent = (await copied(text)) ? "Copied" : "Copying is blocked by the browser";
  });
}

/** A button that copies a text; `name` is for screen readers. */
export function copyButton(text: string, name: string): HTMLElement {
  const button = element("button", { type: "button", class: "copy", "aria-label": name }, "Copy");
  copies(button, text);
  return button;
}

/** Without a secure origin there is no clipboard; then a selected text is copied. */
async function copied(text: string): Promise<boolean> {
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

/** The one element of the page that a selector names. */
export function need<Kind extends HTMLElement>(selector: string, kind: new () => Kind): Kind {
  const found = document.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${selector}.`);
}
