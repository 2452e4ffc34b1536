import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Results } from "../../../schemas/contracts/results.ts";
import {
  findChromium,
  openSharedPage,
  overflow,
  type RuleSet,
  startChromium,
  type View,
  violations,
} from "../../../test/support/chromium.ts";
import { exampleRequirement, exampleResults } from "../../../test/support/samples/example.ts";
import { hostileMarkup, hostileResults } from "../../../test/support/samples/hostile.ts";
import { failingRun } from "../../../test/support/samples/runs.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { reportOf } from "../../core/added.ts";
import type { PageAssets } from "../writers/bundle-page.ts";
import { writeHtml } from "../writers/html.ts";
import { loadPageAssets } from "../writers/page.ts";

// The pages in Chromium, opened from files. All tests share one browser and one page, with a new document for each.
const folder = await temporaryFolder("page");
const executable = findChromium(process.env);
const ci = process.env.CI === "true" || process.env.CI === "1";

if (executable === undefined) {
  test("Chromium is installed", ({ skip }) => {
    const fix =
      "No Chromium found, so the report page was not tried: install one or set CHROMIUM_BIN to its path.";
    if (ci) throw new Error(fix);
    skip(fix);
  });
}

const wide = { viewport: { width: 1440, height: 900 } };
const narrow = { viewport: { width: 390, height: 844 } };
const huge = { viewport: { width: 2560, height: 1440 } };

/** A requirement of each verdict, with all that a page shows of one: axe takes long for each element. */
const oneOfEach = ["query.paging", "query.url", "product.same-values", "by-id.unentitled-slug"];
oneOfEach.push("errors.not-found", "errors.upstream-error", "errors.retry-after");

const expectNoOverflow = (page: Page) => expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);

// A busy machine may take long. No test depends on time.
const patience = 240_000;

describe.skipIf(executable === undefined)("the pages", { timeout: patience }, () => {
  let browser: Browser;
  let shared: Awaited<ReturnType<typeof openSharedPage>>;
  let assets: PageAssets;

  beforeAll(async () => {
    assets = await loadPageAssets();
    await write("sample", failingRun());
    await write("hostile", hostileResults(3000));
    browser = await startChromium(executable ?? "");
    shared = await openSharedPage(browser);
  }, patience);

  afterEach(() => {
    expect(shared.takeForbidden()).toEqual([]);
  });

  afterAll(() => browser?.close());

  const fileOf = (name: string): string => join(folder, `${name}.html`);

  async function write(name: string, results: Results): Promise<void> {
    await writeFile(fileOf(name), writeHtml(reportOf(results), assets));
  }

  const open = (name: string, view: View = wide): Promise<Page> => shared.open(fileOf(name), view);

  const shownItems = (page: Page): Promise<string[]> =>
    page.locator(".item:visible").evaluateAll((items) => items.map(({ id }) => id));

  // One document for every state, as loading it and axe takes longer than the rules. All rules where the page
  // is narrow and open, structure where it is closed, colours in each scheme. Beyond 1,440 px only the margins grow.
  test("no axe violations at any width, closed and open, light and dark, and no horizontal overflow", async () => {
    const requirements = failingRun().requirements.filter(({ id }) => oneOfEach.includes(id));
    await write("each", failingRun("", { requirements }));
    const page = await open("each");
    const found: Record<string, string[]> = {};
    const judge = async (state: string, { viewport }: View, rules?: RuleSet): Promise<void> => {
      await page.setViewportSize(viewport);
      await expectNoOverflow(page);
      found[`${state}, ${viewport.width} px`] = rules === undefined ? [] : await violations(page, rules);
    };
    await judge("closed", narrow);
    await judge("closed", huge);
    // What is shown while all is closed is shown while all is open, too.
    await judge("closed", wide, "structure");

    await page.locator("details:not([open]) > summary").evaluateAll((summaries) => {
      for (const summary of summaries) (summary as HTMLElement).click();
    });
    await judge("open", wide);
    await judge("open", huge);
    await judge("open", narrow, "all");

    await page.emulateMedia({ colorScheme: "dark" });
    await judge("dark", narrow, "colours");
    expect(Object.entries(found).filter(([, violated]) => violated.length > 0)).toEqual([]);
    expect(Object.keys(found)).toHaveLength(7);
  });

  test("the first screen has verdict, reason, next command, counts and target, and the worst finding", async () => {
    const requirements = failingRun().requirements.filter(({ id }) => /not-found|omitted/.test(id));
    await write("requirements", exampleResults({ requirements }));
    const page = await open("requirements");
    for (const { viewport } of [wide, narrow]) {
      await page.setViewportSize(viewport);
      for (const words of [
        "Not conformant",
        "2 requirements failed.",
        "https://catalog.example/v1",
        "Exit code",
        "npx shelfcheck replay latest errors.not-found",
        "error.code is",
      ]) {
        const box = await page.getByText(words).first().boundingBox();
        const isOnScreen = box !== null && box.y + box.height <= viewport.height;
        expect({ words, isOnScreen }).toEqual({ words, isOnScreen: true });
      }
    }
  });

  test("a page with one item has no filter, and everything else works", async () => {
    await write("one", exampleResults({ requirements: [exampleRequirement()] }));
    const page = await open("one", { ...wide, hash: "#errors.unknown-product" });
    expect(await page.locator("form.filter").count()).toBe(0);
    await page.locator("[id='errors.unknown-product'][open] .opened").waitFor();
  });

  test("without JavaScript verdict and failures are shown, and no control that does nothing", async () => {
    const page = await open("sample", { ...wide, javaScript: false });
    expect(await page.locator("h1").innerText()).toContain("Not conformant");
    expect(await page.locator("#failed .item").first().innerText()).toContain("00003338");
    expect(await page.locator("form.filter, button").locator("visible=true").count()).toBe(0);
    await page.locator("#failed .evidence > summary").first().click();
    expect(await page.locator("#failed .exchange").first().innerText()).toContain("GET https://catalog");
  });

  test("search and filters show the matches and their number, and can be cleared", async () => {
    const page = await open("sample");
    const matches = page.locator("output");
    expect(await matches.innerText()).toBe("25 results");
    await page.getByRole("searchbox").fill("PLACEHOLDERS empty");
    expect(await shownItems(page)).toEqual(["page.no-placeholders"]);
    expect(await matches.innerText()).toBe("1 of 25 results");
    expect(await page.locator("#load-0, #waivers, #failed").locator("visible=true").count()).toBe(0);
    await page.getByRole("button", { name: "Clear" }).click();
    expect(await matches.innerText()).toBe("25 results");
    expect(await page.locator("#load-0").isVisible()).toBe(true);

    await page.getByRole("checkbox", { name: "Passed" }).check();
    const passed = (await shownItems(page)).filter((id) => !id.startsWith("load."));
    expect(passed.toSorted()).toEqual(["query.gtin-not-found", "query.paging"]);
    await page
      .getByRole("combobox", { name: "Section" })
      .selectOption("Endpoints: GET /v1/products (query-driven)");
    expect(await shownItems(page)).toEqual(passed);
    await page.getByRole("searchbox").fill("no such words");
    expect(await matches.innerText()).toBe("0 of 25 results");
    await page.getByRole("button", { name: "Clear" }).click();
    expect(await page.locator("[id='query.paging']").isVisible()).toBe(false);
  });

  test("each command has a button that copies it, that of an exchange too", async () => {
    const page = await open("sample");
    const item = page.locator("[id='by-id.unknown-product']");
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await item.getByRole("button", { name: /^Copy npx shelfcheck explain/ }).click();
    await item.getByText("Copied").waitFor();
    expect(await copied()).toBe("npx shelfcheck explain latest by-id.unknown-product --markdown");
    await item.locator(".evidence > summary").click();
    await item
      .getByRole("button", { name: /^Copy curl/ })
      .first()
      .click();
    await expect.poll(copied).toContain("curl 'https://catalog.example/v1/products/greenleaf/00003338' -sS");
  });

  // The browser scrolls to the fragment and fires `hashchange` later; the test waits for both.
  test("a deep link opens its item: a failed one, one in folds, one that is filtered out, by a click", async () => {
    const arrived = (page: Page, id: string) =>
      page.waitForFunction((wanted) => {
        const place = document.activeElement?.closest<HTMLDetailsElement>("details.item");
        const { top = -1 } = place?.getBoundingClientRect() ?? {};
        return place?.id === wanted && place.open && top >= 0 && top < innerHeight;
      }, id);
    await arrived(await open("sample", { ...wide, hash: "#query.paging" }), "query.paging");
    const page = await open("sample", { ...wide, hash: "#by-id.unknown-product" });
    await arrived(page, "by-id.unknown-product");

    await page.getByRole("searchbox").fill("placeholders");
    await page.evaluate(() => {
      location.hash = "#errors.not-found";
    });
    await arrived(page, "errors.not-found");
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    await page.locator("main").getByRole("link", { name: "by-id.unentitled-slug" }).click();
    await arrived(page, "by-id.unentitled-slug");
    await page.locator(".contents").getByRole("link", { name: "Endpoints: GET /v1/products (query" }).click();
    await page.locator("#section-4[open]").waitFor();
  });

  test("printing shows places and not bodies, in light colours and without controls; afterwards the page is restored", async () => {
    const page = await open("sample", { ...wide, colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("#failed .places pre").first().isVisible()).toBe(true);
    expect(await page.locator("[id='errors.retry-after'] .finding").isVisible()).toBe(true);
    expect(await page.locator(".exchange").locator("visible=true").count()).toBe(0);
    expect(await page.locator("form.filter, .contents, button").locator("visible=true").count()).toBe(0);
    expect(await page.locator("[id='query.paging']").isVisible()).toBe(false);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      "rgb(255, 255, 255)",
    );
    await page.emulateMedia({ media: "screen" });
    expect(await page.locator("form.filter").isVisible()).toBe(true);
  });

  test("hostile text is inert and shown as text everywhere", async () => {
    const page = await open("hostile");
    await page.locator("details:not([open])").evaluateAll((folds) => {
      for (const fold of folds) (fold as HTMLDetailsElement).open = true;
    });
    await page.locator(".exchange").first().waitFor();
    for (const { viewport } of [wide, narrow]) {
      await page.setViewportSize(viewport);
      expect(await page.evaluate(() => "owned" in globalThis)).toBe(false);
      const text = await page.locator("body").innerText();
      expect(text.includes(hostileMarkup.script)).toBe(true);
      expect(text.includes("price‹U+202E›gnp.exe")).toBe(true);
      expect(/[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/u.exec(text)).toBeNull();
      expect(
        await page.locator("main img, main iframe, main object, main a[href^='javascript:']").count(),
      ).toBe(0);
      await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth);
    }
  });
});
