/** Each command has a button that copies it. */
export function setUpCopying(): void {
  for (const code of document.querySelectorAll(".command code")) {
    const text = code.textContent ?? "";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${text.slice(0, 200)}`);
    button.addEventListener("click", async () => {
      button.textContent = (await copied(text)) ? "Copied" : "Copying is blocked by the browser";
    });
    code.after(" ", button);
  }
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
