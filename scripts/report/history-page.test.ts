import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { marked, type Token, type Tokens } from "marked";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exampleRun } from "../earlier/example-run.ts";
import { trendOf } from "../earlier/history.ts";
import { exampleThreshold } from "../run/example.ts";
import { renderComparisonPage } from "./comparison-page.ts";
import { historyReport } from "./history.ts";
import { renderHistoryMarkdown } from "./history-markdown.ts";
import { renderHistoryPage } from "./history-page.ts";
import {
  findChromium,
  overflow,
  type RuleSet,
  SharedPage,
  startChromium,
  violations,
} from "./testing/chromium.ts";
import { sampleComparison } from "./testing/compared.ts";

const hostile = `<script>alert(1)</script><img src=x onerror=alert(1)>"'\u0000\u202E]]>`;
const machines = [
  "AMD EPYC 7763, 4 cores, 16 GiB, linux x64",
  "Intel Xeon, 2 cores, 8 GiB, linux x64",
] as const;
const runs = Array.from({ length: 15 }, (_, hour) => {
  const run = exampleRun(
    hour,
    { "errors.unknown-product": hour % 3 === 0 ? "fail" : "pass", [hostile]: "fail" },
    5 + hour,
    {
      environment: {
        host: machines[hour < 9 ? 0 : 1],
        node: "26.10.0",
        commit: `${hour}a8c2f0de`,
        branch: hostile,
      },
      ...(hour === 7 ? { scope: { requirements: 2, of: 74 } } : {}),
    },
  );
  for (const load of run.results.load) load.thresholds = [exampleThreshold({ limit: 18, value: 5 + hour })];
  return run;
});
const history = historyReport(trendOf(hostile, runs), runs);

test("texts stay text, and nothing is fetched", async () => {
  const page = await renderHistoryPage(history);
  expect(page.includes("default-src &#39;none&#39;; script-src &#39;sha256-")).toBe(true);
  const [ownScript, ...others] = page.match(/<script[\s>]/g) ?? [];
  expect([ownScript, others]).toEqual(["<script>", ["<script "]]);
  const withoutOwn = page.replace(/<script>.*?<\/script>/s, "");
  expect(/<img|[^\P{Cc}\n]|\p{Cf}/u.test(withoutOwn)).toBe(false);
  expect(page.includes("&lt;script&gt;")).toBe(true);
  expect(page.includes('href="2026-11-21T14-00-00-000Z-gate-abcdef/report.html"')).toBe(true);
});

test("columns have time, commit and machine; partial runs are listed separately", async () => {
  const page = await renderHistoryPage(history);
  const [, matrix = ""] = page.split('id="requirements"');
  const heads = [...matrix.matchAll(/<th scope="col">(11-21.*?)<\/th>/g)].map(([, head]) => head);
  expect(heads.length).toBe(14);
  expect(heads.at(-1)).toBe("11-21 00:00<br><code>0a8c2f0</code><br>4 cores, 16 GiB");
  expect(heads[0]).toBe("11-21 14:00<br><code>14a8c2f</code><br>2 cores, 8 GiB");
  expect(matrix.split('id="partial"')[1]).toContain("2 of 74 requirements");
});

test("Markdown has the same content, as marked renders it", () => {
  const tokens = marked.lexer(renderHistoryMarkdown(history));
  const tables = tokens.filter((token): token is Tokens.Table => token.type === "table");
  const [latency, whole, partial] = tables;
  expect(latency?.rows.map((cells) => cells.map(({ text }) => text))).toEqual([
    [
      "Lookup by id<br>Lookup (smoke)",
      "**19 ms**",
      "+5.6 %",
      "18 ms (**above**)",
      "5 ms",
      "19 ms<br>11-21 14:00 14a8c2f",
    ],
  ]);
  expect([whole?.rows.length, partial?.rows.length]).toEqual([14, 1]);
  const all: Token[] = [];
  marked.walkTokens(tokens, (token) => void all.push(token));
  const html = all.filter(({ type }) => type === "html").map(({ raw }) => raw.trim());
  expect(html.filter((raw) => raw !== "<br>")).toEqual([]);
  expect(all.filter(({ type }) => type === "image" || type === "link")).toEqual([]);
});

const executable = await findChromium(process.env);

const expectedCharts: Readonly<Record<string, readonly string[]>> = {
  history: [
    "Failed requirements, complete runs only: at most 2, on 11-21 12:00 12a8c2f. failed from 1 to 2",
    "Requests of each run: at most 52, on 11-21 14:00 14a8c2f. requests from 52 to 52",
    "Lookup (smoke): p95 of successful responses, ms. Lookup by id from 5 to 19 ms, limit of Lookup by id from 18 to 18 ms",
  ],
  compare: [
    expect.stringMatching(/^Latency by percentile, ms\. Lookup by id: p50 .* before, .* after; p95 /),
    expect.stringMatching(
      /^Responses by latency, % in steps of 1 ms\. Lookup by id: beyond the right end lie /,
    ),
    expect.stringMatching(/^Latency by percentile, ms\. Lookup by URL: /),
  ],
};

// The test of the report page fails in CI without Chromium.
describe.skipIf(executable === undefined)("in a real Chromium", () => {
  let browser: Browser;
  let shared: SharedPage;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "shelfcheck-history-page-"));
    await writeFile(join(folder, "history.html"), await renderHistoryPage(history));
    await writeFile(
      join(folder, "compare.html"),
      await renderComparisonPage(sampleComparison(` ${hostile}`)),
    );
    browser = await startChromium(executable ?? "");
    shared = await SharedPage.in(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  // One document for every width, as loading it and axe takes longer than the rules.
  test.each(["history", "compare"])(
    "%s: no axe violations, no overflow and no request, at any width, light and dark",
    async (name) => {
      const page = await shared.open(join(folder, `${name}.html`), {
        viewport: { width: 1440, height: 900 },
      });
      const judge = async (width: number, rules: RuleSet, colorScheme: "light" | "dark" = "light") => {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        // Charts follow the width a moment later.
        await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
        expect({ width, colorScheme, found: await violations(page, rules) }).toMatchObject({ found: [] });
        const charts = await page
          .locator("[role=img]:has(canvas)")
          .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
        expect(charts.slice(0, 3)).toEqual(expectedCharts[name]);
      };
      await judge(1440, "all");
      await judge(1440, "colours", "dark");
      await judge(2560, "layout");
      await judge(390, "all");
      await judge(390, "colours", "dark");
      expect(shared.takeForbidden()).toEqual([]);
    },
  );
});
