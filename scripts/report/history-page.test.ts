import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exampleRun } from "../earlier/example-run.ts";
import { trendOf } from "../earlier/history.ts";
import { renderHistoryPage } from "./history-page.ts";
import { findChromium, startChromium } from "./testing/chromium.ts";

const hostile = `<script>alert(1)</script><img src=x onerror=alert(1)>"'\u0000\u202E]]>`;
const runs = Array.from({ length: 15 }, (_, hour) =>
  exampleRun(
    hour,
    { "errors.unknown-product": hour % 3 === 0 ? "fail" : "pass", [hostile]: "fail" },
    5 + hour,
  ),
);

test("text is only ever text, and nothing may be fetched", async () => {
  const page = await renderHistoryPage(trendOf(hostile, runs));
  expect(page.includes("default-src &#39;none&#39;; script-src &#39;sha256-")).toBe(true);
  const [ownScript, ...others] = page.match(/<script[\s>]/g) ?? [];
  expect([ownScript, others]).toEqual(["<script>", ["<script "]]);
  const withoutOwn = page.replace(/<script>.*?<\/script>/s, "");
  expect(/<img|[^\P{Cc}\n]|\p{Cf}/u.test(withoutOwn)).toBe(false);
  expect(page.includes("&lt;script&gt;")).toBe(true);
  expect(page.includes('href="2026-11-21T14-00-00-000Z-gate-abcdef/report.html"')).toBe(true);
});

const executable = await findChromium(process.env);

// That one is there when it must be is asked for where the report's page is tried.
describe.skipIf(executable === undefined)("in a real Chromium", () => {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "shelfcheck-history-page-"));
    await writeFile(join(folder, "history.html"), await renderHistoryPage(trendOf(hostile, runs)));
    browser = await startChromium(executable ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each([
    ["1440 px, light", 1440, "light"],
    ["1440 px, dark", 1440, "dark"],
    ["390 px, light", 390, "light"],
    ["390 px, dark", 390, "dark"],
  ] as const)(
    "axe finds nothing at %s, nothing is wider than the screen, nothing leaves",
    async (_name, width, colorScheme) => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      const trespasses: string[] = [];
      page.on("request", (request) => {
        if (!/^(file|data):/.test(request.url())) trespasses.push(request.url());
      });
      page.on("console", (message) => trespasses.push(message.text()));
      page.on("dialog", (dialog) => trespasses.push(dialog.message()));
      await page.goto(pathToFileURL(join(folder, "history.html")).href);
      await page.evaluate(axe.source);
      const violations = await page.evaluate(
        "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))",
      );
      expect(violations).toEqual([]);
      const charts = await page
        .locator("[role=img]:has(canvas)")
        .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
      expect(charts).toEqual([
        "Failing requirements. failing from 1 to 2",
        "Requests. requests from 52 to 52",
        "Lookup (smoke): p95, ms. Lookup by id from 5 to 19 ms",
      ]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      expect(trespasses).toEqual([]);
      await context.close();
    },
  );
});
