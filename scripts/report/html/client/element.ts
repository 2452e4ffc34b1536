import { visibleText } from "../visible-text.ts";

type Child = Node | string | undefined;

/** An element with attributes and children; a string is text, with unseen characters marked. */
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

/** Puts the focus on anything, also on what is no control. */
export function focusOn(wanted: HTMLElement): void {
  if (!wanted.matches("a[href], summary, button, input, select, [tabindex]")) wanted.tabIndex = -1;
  wanted.focus({ preventScroll: true });
}
