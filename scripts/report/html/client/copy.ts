import { element } from "./element.ts";

/** A button that copies what the block shows, exactly as it shows it. */
export function copyButton(block: HTMLElement): HTMLElement {
  const said = element("span", { "aria-live": "polite" });
  const button = element("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    said.textContent = (await copied(block)) ? "Copied" : "Selected: press Ctrl+C";
  });
  const both = document.createElement("span");
  both.append(button, " ", said);
  return both;
}

async function copied(block: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(block.textContent ?? "");
    return true;
  } catch {
    // Pages without a secure origin have no clipboard: what is left is the selection.
    getSelection()?.selectAllChildren(block);
    return document.execCommand("copy");
  }
}
