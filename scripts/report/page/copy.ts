/** Each command and each ticket has a button that copies it. */
export function setUpCopying(): void {
  for (const place of document.querySelectorAll(".first .command, .actions .command, .curl pre")) {
    const text = place.textContent ?? "";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${text.slice(0, 200)}`);
    copies(button, text);
    if (place.matches("pre")) place.before(button);
    else place.after(" ", button);
  }
  for (const button of document.querySelectorAll<HTMLElement>(".copy-ticket")) {
    button.hidden = false;
    copies(button, button.closest(".finding")?.querySelector(".ticket")?.textContent ?? "");
  }
}

function copies(button: HTMLElement, text: string): void {
  button.addEventListener("click", async () => {
    button.textContent = (await copied(text)) ? "Copied" : "Copying is blocked by the browser";
  });
}

/** Without a secure origin there is no clipboard; then a selected text is copied. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.className = "unseen";
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
