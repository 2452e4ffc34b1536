document.addEventListener("DOMContentLoaded", () => {
  setUpCopying();
  const arrive = () => reveal(decoded(location.hash.slice(1)));
  addEventListener("hashchange", arrive);
  // The browser scrolls to the address at the end of loading, and may drop the focus.
  addEventListener("load", arrive);
});

/** Shows and focuses the place of a link, and opens it and what it is in. */
function reveal(id: string): void {
  const place = document.getElementById(id);
  if (place === null) return;
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
