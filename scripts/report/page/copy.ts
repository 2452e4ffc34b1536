/** Each command has a button that copies it. */
export function setUpCopying(): void {
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
