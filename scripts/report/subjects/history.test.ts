import { describe, expect, test } from "vitest";
import type { Results } from "../../../schemas/contracts/results.ts";
import { hostileMark, sampleHistory } from "../../../test/support/samples/compared.ts";
import { exampleCheck, exampleRequirement } from "../../../test/support/samples/example.ts";
import { exampleRun } from "../../../test/support/samples/example-run.ts";
import { type NamedRun, trendOf } from "../../runs/compare/trend.ts";
import { plainStyle } from "../terminal.ts";
import { writeConsole } from "../writers/console.ts";
import { writeMarkdown } from "../writers/markdown.ts";
import { writePage } from "../writers/page.ts";
import { historyDocument, sparkline } from "./history.ts";

test.each([
  [[], ""],
  [[0, 0], "▁▁"],
  [[0, 5, 10], "▁▅█"],
  [[1, null, 1], "█·█"],
])("sparkline of %j is %s", (values, expected) => {
  expect(sparkline(values)).toBe(expected);
});

const documentOf = (target: string, runs: readonly NamedRun[]) =>
  historyDocument(trendOf(target, runs), runs);

describe("at the console", () => {
  const trend = documentOf("sta\u001bging", [
    exampleRun(1, { "errors.unknown-product": "pass", "batch.counters": "fail" }, 10),
    exampleRun(2, { "errors.unknown-product": "fail", "batch.counters": "pass" }, 12),
  ]);

  test("no line is wider than the terminal, and control characters in names are shown", () => {
    const many = documentOf(
      "staging",
      Array.from({ length: 90 }, (_, place) => exampleRun(place % 24, { ["i".repeat(150)]: "fail" }, place)),
    );
    for (const width of [40, 72, 100]) {
      for (const lines of [trend, many].map((one) => writeConsole(one, plainStyle(width)).split("\n"))) {
        expect(lines.filter((line) => line.length > width)).toEqual([]);
        expect(lines.join("")).not.toMatch(/\p{Cc}/u);
      }
    }
  });
});

test("waived requirements do not count as failed", () => {
  const waiver = { id: "a", reason: "known", owner: "team", ticket: "CAT-1", expires: "2026-12-31" };
  const checks = [exampleCheck({ id: "a/one", verdict: "warn", waiver })];
  const requirements = [exampleRequirement({ id: "a", verdict: "warn", checks })];
  const document = documentOf("staging", [
    exampleRun(1, { a: "fail" }),
    exampleRun(2, { a: "warn" }, undefined, { requirements }),
  ]);
  expect(writeConsole(document, plainStyle())).toContain("complete runs only: 0, -100 %\n    █▁\n");
  expect(document.summary).toContain("No requirement failed. Waived: 1.");
});

test("the addresses at which a target responded are named, the latest first, with the number of the others", () => {
  const run = (hour: number, change: Partial<Results> = {}) =>
    exampleRun(hour, { a: "pass" }, undefined, {
      target: { name: "staging", baseUrl: `http://127.0.0.1:${hour}/v1`, keyFingerprint: "none" },
      requests: { total: 40, byEndpoint: {} },
      ...change,
    });
  const lost = { code: "requests-lost", seen: { count: 1, total: 1, of: "requests" }, details: {} } as const;
  const silent = run(9, { requests: { total: 1, byEndpoint: {}, lost } });
  const headOf = (...runs: ReturnType<typeof run>[]) =>
    /Target: (.*)<br>/.exec(writeMarkdown(documentOf("staging", runs)))?.[1];
  expect(headOf(run(3), run(4), run(5), silent)).toBe(
    "`http://127.0.0.1:5/v1`, `http://127.0.0.1:4/v1`, `http://127.0.0.1:3/v1`",
  );
  expect(headOf(silent)).toBe("`http://127.0.0.1:9/v1`");
  expect(headOf(...[1, 2, 3, 4, 5, 6, 7].map((hour) => run(hour)))).toMatch(
    /^`http:\/\/127\.0\.0\.1:7\/v1`, .*:3\/v1` and 2 more$/,
  );
});

const history = sampleHistory(hostileMark);

test("texts stay text, and nothing is fetched", async () => {
  const page = await writePage(history);
  expect(page.includes("default-src &#39;none&#39;; script-src &#39;sha256-")).toBe(true);
  const [ownScript, ...others] = page.match(/<script[\s>]/g) ?? [];
  expect([ownScript, others]).toEqual(["<script>", ["<script "]]);
  const withoutOwn = page.replace(/<script>.*?<\/script>/s, "");
  expect(/<img|[^\P{Cc}\n]|\p{Cf}/u.test(withoutOwn)).toBe(false);
  expect(page.includes("&lt;script&gt;")).toBe(true);
  expect(page.includes('href="2026-11-21T14-00-00-000Z-gate-abcdef/report.html"')).toBe(true);
});

test("columns have time, commit and machine; partial runs are listed separately", async () => {
  const page = await writePage(history);
  const [, matrix = ""] = page.split('id="requirements"');
  const heads = [...matrix.matchAll(/<th scope="col">(11-21.*?)<\/th>/g)].map(([, head]) => head);
  expect(heads.length).toBe(14);
  expect(heads.at(-1)).toBe("11-21 00:00<br><code>0a8c2f0</code><br>4 cores, 16 GiB");
  expect(heads[0]).toBe("11-21 14:00<br><code>14a8c2f</code><br>2 cores, 8 GiB");
  expect(page).toContain("2 of 74 requirements");
});
