import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type axe from "axe-core";
import { type Browser, chromium, type Page, type ViewportSize } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** Path of Chromium, from CHROMIUM_BIN or PATH; undefined if there is none. */
export function findChromium({ CHROMIUM_BIN, PATH = "" }: NodeJS.ProcessEnv): string | undefined {
  if (CHROMIUM_BIN) return CHROMIUM_BIN;
  const folders = PATH.split(delimiter).filter((folder) => folder !== "");
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** Starts Chromium with a temporary profile and without background requests. */
export function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** How a document is shown. */
export interface View {
  readonly viewport: ViewportSize;
  /** Light unless set. */
  readonly colorScheme?: "light" | "dark";
  /** The fragment of the address, with its `#`. */
  readonly hash?: string;
  /** Whether scripts run, as they do unless set. */
  readonly javaScript?: boolean;
}

/** A page that shows one file after the other, which costs a fraction of a new page for each. It may use the clipboard. */
export async function openSharedPage(browser: Browser) {
  const permissions = ["clipboard-read", "clipboard-write"];
  const context = await browser.newContext({ reducedMotion: "reduce", permissions });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const protocol = await context.newCDPSession(page);
  let documents = 0;
  const forbidden: string[] = [];
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) forbidden.push(`request ${request.url()}`);
  });
  page.on("console", (message) => forbidden.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => forbidden.push(`error ${error.message}`));
  page.on("dialog", (dialog) => forbidden.push(`dialog ${dialog.message()}`));
  return {
    /** Loads a file as a new document. */
    async open(file: string, { viewport, colorScheme = "light", hash = "", javaScript = true }: View) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ media: null, colorScheme });
      await protocol.send("Emulation.setScriptExecutionDisabled", { value: !javaScript });
      // With the query of the document before it, a new fragment alone would load nothing.
      await page.goto(`${pathToFileURL(file).href}?${++documents}${hash}`);
      return page;
    },
    /** The forbidden events since the last call: requests, errors, dialogs and messages on the console. */
    takeForbidden: () => forbidden.splice(0),
  };
}

/** Sets of accessibility rules, as options of axe. */
const ruleSets = {
  /** The size of targets (WCAG 2.2) is off in axe unless named. */
  all: { rules: { "target-size": { enabled: true } } },
  /** All but the colours, which take longest. */
  structure: {
    rules: {
      "target-size": { enabled: true },
      "color-contrast": { enabled: false },
      "link-in-text-block": { enabled: false },
    },
  },
  /** What the colour scheme can change. */
  colours: { runOnly: ["color-contrast", "link-in-text-block"] },
} satisfies Record<string, axe.RunOptions>;

export type RuleSet = keyof typeof ruleSets;

/** Violations of accessibility rules, by axe. Of a page with a modal dialog, axe checks only the dialog. */
export async function violations(page: Page, rules: RuleSet): Promise<string[]> {
  // The page's policy would block a script element; the driver bypasses it.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(await axeSource());
  return page.evaluate(
    async (options) => {
      const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run(options);
      return found.map(
        ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`,
      );
    },
    // Selectors of the elements and details of passed rules take axe time, and nothing reads them.
    { ...ruleSets[rules], resultTypes: ["violations" as const], selectors: false },
  );
}

/** The script that defines `axe`, minified: the browser compiles it in a third of the time. */
function axeSource(): Promise<string> {
  return readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
}

/** By how many pixels the document is wider than the viewport; not above 0 unless it scrolls horizontally. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
}
