const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];
const place = "shelfcheck-theme";

/** Puts the remembered theme in place; early, so that the page does not flash in the other one. */
export function applyTheme(theme: Theme = remembered()): Theme {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  return theme;
}

/** The button goes from the system's theme to light to dark; `changed` hears of each, the system's own included. */
export function setUpTheme(button: HTMLButtonElement, changed: () => void): void {
  let theme = remembered();
  const show = (): void => {
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    theme = applyTheme(themes[(themes.indexOf(theme) + 1) % themes.length]);
    remember(theme);
    show();
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  show();
}

// A page opened from a file may have no storage: then the theme lasts as long as the page.
function remembered(): Theme {
  try {
    const kept = localStorage.getItem(place);
    return themes.find((theme) => theme === kept) ?? "system";
  } catch {
    return "system";
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(place, theme);
  } catch {}
}
