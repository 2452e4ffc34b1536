import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Results } from "../../../schemas/contracts/results.ts";
import {
  findChromium,
  overflow,
  type RuleSet,
  SharedPage,
  startChromium,
  type View,
  violations,
} from "../../../test/support/chromium.ts";
import { exampleResults } from "../../../test/support/samples/example.ts";
import { hostileMarkup, hostileResults } from "../../../test/support/samples/hostile.ts";
import { manyFindings, sampleFinding, sampleResults } from "../../../test/support/samples/sample.ts";
import { renderHtml as renderReport } from "../subjects/run/formats.ts";
import { reportOf } from "../subjects/run/run-report.ts";
import { renderTicket } from "../subjects/run/ticket.ts";
import type { PageAssets } from "../writers/bundle-page.ts";
import { loadPageAssets } from "../writers/page.ts";

const renderHtml = (results: Results, assets?: PageAssets) => renderReport(reportOf(results), assets);

// The pages in Chromium, opened from files. All tests share one browser and one page, with a new document for each.
const executable = await findChromium(process.env);
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

const expectNoOverflow = (page: Page) => expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);

// A busy machine may take long for a page of 10 MB. No test depends on time.
const patience = 240_000;

describe.skipIf(executable === undefined)("the pages", { timeout: patience }, () => {
  let browser: Browser;
  let shared: SharedPage;
  let folder: string;
  let assets: PageAssets;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "shelfcheck-page-"));
    assets = await loadPageAssets();
    await write("sample", sampleResults());
    await write("good", exampleResults());
    await write("hostile", hostileResults());
    browser = await startChromium(executable ?? "");
    shared = await SharedPage.in(browser);
  }, patience);

  afterEach(() => {
    expect(shared.takeForbidden()).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const fileOf = (name: string): string => join(folder, `${name}.html`);

  async function write(name: string, results: Results): Promise<void> {
    await writeFile(fileOf(name), await renderHtml(results, assets));
  }

  const open = (name: string, view: View = wide): Promise<Page> => shared.open(fileOf(name), view);

  const shownCards = (page: Page): Promise<string[]> =>
    page.locator(".card:visible").evaluateAll((cards) => cards.map(({ id }) => id).filter((id) => id !== ""));

  // One document for every state, as loading it and axe takes longer than the rules. All rules where elements are
  // hidden or shown, sizes at each width, colours in each scheme. Beyond 1,440 px only the margins grow.
  test("no axe violations at any width, closed and open, light and dark, and no horizontal overflow", async () => {
    const page = await open("sample");
    const found: Record<string, string[]> = {};
    const judge = async (state: string, { viewport }: View, rules?: RuleSet): Promise<void> => {
      await page.setViewportSize(viewport);
      await expectNoOverflow(page);
      found[`${state}, ${viewport.width} px`] = rules === undefined ? [] : await violations(page, rules);
    };
    await judge("closed", narrow, "sizes");
    await judge("closed", huge);
    await judge("closed", wide, "all");

    await page.locator("details:not([open]) > summary").evaluateAll((summaries) => {
      for (const summary of summaries) (summary as HTMLElement).click();
    });
    await judge("open", wide, "sizes");
    await judge("open", huge);
    await judge("open", narrow, "all");

    await page.emulateMedia({ colorScheme: "dark" });
    await judge("dark", narrow, "colours");
    expect(Object.entries(found).filter(([, violated]) => violated.length > 0)).toEqual([]);
    expect(Object.keys(found)).toHaveLength(7);
  });

  test("the first screen has verdict, reason, worst finding, next steps and target, before any button", async () => {
    const page = await open("sample");
    const header = page.locator("header");
    for (const options of [wide, narrow]) {
      await page.setViewportSize(options.viewport);
      for (const words of [
        "Not conformant",
        "1 requirement failed.",
        "https://catalog.example/v1",
        "Exit code",
        "expected status 404, got 410",
        "shelfcheck replay latest errors.unknown-product",
      ]) {
        const box = await header.getByText(words).first().boundingBox();
        const isOnScreen = box !== null && box.y + box.height <= options.viewport.height;
        expect({ words, isOnScreen }).toEqual({ words, isOnScreen: true });
      }
      const verdict = await header.locator("h1").boundingBox();
      const button = await header.locator("button").first().boundingBox();
      expect((button?.y ?? 0) + (options === wide ? 200 : 0)).toBeGreaterThan(verdict?.y ?? 0);
    }
  });

  test("a page without findings has no filter, and everything else works", async () => {
    const page = await open("good", { ...wide, hash: "#errors.unknown-product" });
    expect(await page.locator("form.filter").count()).toBe(0);
    await page.waitForFunction(() => document.activeElement?.id === "errors.unknown-product");
  });

  test("without JavaScript verdict and failures are shown, and no control that does nothing", async () => {
    const page = await open("sample", { ...wide, javaScript: false });
    expect(await page.locator("h1").innerText()).toContain("Not conformant");
    expect(await page.locator("#failed .card").first().innerText()).toContain("expected status 404, got 410");
    expect(await page.locator("form.filter, button").locator("visible=true").count()).toBe(0);
    await page.locator("#failed .slot > summary").first().click();
    expect(await page.locator("#failed .exchange").first().innerText()).toContain("GET https://catalog");
  });

  test("search and filters show the matches and their number, and can be cleared", async () => {
    const page = await open("sample");
    const matches = page.locator("output");
    expect(await matches.innerText()).toBe("5 findings, 6 requirements");
    await page.getByRole("searchbox").fill("IMAGES links");
    expect(await shownCards(page)).toEqual(["product.images"]);
    expect(await matches.innerText()).toBe("1 of 5 findings, 1 of 6 requirements");
    expect(await page.locator("#load, #run, #failed").locator("visible=true").count()).toBe(0);
    await page.getByRole("button", { name: "Clear" }).click();
    expect(await matches.innerText()).toBe("5 findings, 6 requirements");
    expect(await page.locator("#load").isVisible()).toBe(true);

    await page.getByRole("checkbox", { name: "Warning" }).check();
    expect(await shownCards(page)).toEqual(["product.images", "errors.waived"]);
    await page.getByRole("combobox", { name: "Section" }).selectOption("Errors");
    expect(await shownCards(page)).toEqual(["errors.waived"]);
    await page.getByRole("searchbox").fill("no such words");
    expect(await matches.innerText()).toBe("0 of 5 findings, 0 of 6 requirements");
  });

  test("the button of a finding copies its ticket; an exchange shows request and response, and copies its curl line", async () => {
    const page = await open("sample");
    const failed = page.locator("#failed");
    await failed.getByRole("button", { name: "Copy as ticket" }).click();
    await failed.getByRole("button", { name: "Copied" }).waitFor();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    expect(await copied()).toBe(renderTicket(reportOf(sampleResults()), "errors.unknown-product/by-id"));
    await failed.locator("summary").first().click();
    const exchange = failed.locator(".exchange");
    expect(await exchange.locator("pre").first().innerText()).toContain(
      "GET https://catalog.example/v1/products/acme/none",
    );
    expect(await exchange.locator("pre").nth(1).innerText()).toContain('"code": "gone"');
    await exchange.getByRole("button", { name: "Copy" }).click();
    await exchange.getByText("Copied").waitFor();
    expect(await copied()).toBe(
      `curl -sS -i -H "X-Api-Key: $SHELFCHECK_API_KEY" 'https://catalog.example/v1/products/acme/none'`,
    );
  });

  // The browser scrolls to the fragment and fires `hashchange` later; the test waits for both.
  test("a deep link opens and focuses its requirement: with a card, without one, filtered out, by a click", async () => {
    const arrived = (page: Page, id: string) =>
      page.waitForFunction((wanted) => {
        const place = document.activeElement;
        const { top = -1 } = place?.getBoundingClientRect() ?? {};
        return place?.id === wanted && top >= 0 && top < innerHeight;
      }, id);
    const passed = await open("sample", { ...wide, hash: "#retailers.listed" });
    await arrived(passed, "retailers.listed");
    const row = passed.locator("[id='retailers.listed']");
    expect(await row.locator(".opened").innerText()).toContain("The same list twice");

    const page = await open("sample", { ...wide, hash: "#errors.unknown-product" });
    await arrived(page, "errors.unknown-product");
    expect(await page.locator("#failed .exchange").isVisible()).toBe(true);

    await page.getByRole("searchbox").fill("images");
    await page.evaluate(() => {
      location.hash = "#entitlement.other";
    });
    await arrived(page, "entitlement.other");
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    await page.locator("#waivers").getByRole("link", { name: "errors.waived" }).first().click();
    await arrived(page, "errors.waived");
  });

  test("the charts of a load run have text alternatives, a link to those of k6, and follow the width", async () => {
    const page = await open("sample", narrow);
    await page.getByText("Endpoints and charts").first().click();
    const charts = page.locator("#load-0 [role=img]");
    const labels = await charts.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    expect(labels).toEqual([
      expect.stringMatching(/^Requests a second\. Lookup \(soak\): accepted from .*429 from .*planned from/),
      expect.stringMatching(/^Latency of successful responses\. Lookup \(soak\): p50 from .*p99 from/),
    ]);
    const dashboard = page.locator("#load-0").getByRole("link", { name: "its own dashboard" });
    expect(await dashboard.getAttribute("href")).toBe("load/lookup/dashboard.html");
    const { width = 0 } = (await charts.first().boundingBox()) ?? {};
    expect(width).toBeGreaterThan(250);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });

  test("printing shows excerpts and not bodies, in light colours and without controls; afterwards the page is restored", async () => {
    const page = await open("sample", { ...wide, colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    await page.locator("#requirements .fold summary").first().waitFor();
    expect(await page.locator("#failed .excerpt").first().isVisible()).toBe(true);
    expect(await page.locator(".exchange").locator("visible=true").count()).toBe(0);
    expect(await page.locator("form.filter, .contents, button").locator("visible=true").count()).toBe(0);
    expect(await page.locator("#requirements .row").locator("visible=true").count()).toBe(0);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      "rgb(255, 255, 255)",
    );
    await page.emulateMedia({ media: "screen" });
    await page.locator("form.filter").waitFor();
    expect(await page.locator("form.filter").isVisible()).toBe(true);
  });

  test("hostile text is inert and shown as text everywhere", async () => {
    const page = await open("hostile");
    await page.locator("details > summary").evaluateAll((summaries) => {
      for (const summary of summaries) (summary as HTMLElement).click();
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
        await page.locator("main img, main iframe, main object, main a[href^='javascript']").count(),
      ).toBe(0);
      await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth);
    }
  });

  test("with 200 findings the filter finds each, and every finding can be reached", async () => {
    await write("many", manyFindings(200, 40));
    const page = await open("many");
    expect(await page.locator("output").innerText()).toBe("200 findings, 200 requirements");
    await page.getByRole("searchbox").fill("number 121 ");
    expect(await shownCards(page)).toEqual(["generated.finding-121"]);
    await page.evaluate(() => {
      location.hash = "#generated.finding-199";
    });
    await page.waitForFunction(() => document.activeElement?.id === "generated.finding-199");
    expect(await page.locator("[id='generated.finding-199'] .exchange").first().isVisible()).toBe(true);
  });

  test("one requirement with many failing checks is filtered check by check", async () => {
    const finding = sampleFinding();
    const [check] = finding.checks;
    if (check !== undefined)
      finding.checks = Array.from({ length: 150 }, (_, nth) => ({
        ...check,
        id: `one/check-${nth}`,
        title: `Check ${nth}.`,
      }));
    await write("checks", exampleResults({ requirements: [finding] }));
    const page = await open("checks");
    expect(await page.locator(".finding:visible").count()).toBe(150);
    await page.getByRole("searchbox").fill("check 127.");
    expect(await page.locator(".finding:visible").count()).toBe(1);
  });
});
