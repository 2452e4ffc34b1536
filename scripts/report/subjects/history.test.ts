import { marked, type Token, type Tokens } from "marked";
import { describe, expect, test } from "vitest";
import { hostileMark, sampleHistory } from "../../../test/support/samples/compared.ts";
import { exampleCheck, exampleRequirement, exampleThreshold } from "../../../test/support/samples/example.ts";
import { exampleRun } from "../../../test/support/samples/example-run.ts";
import { type NamedRun, trendOf } from "../../runs/compare/trend.ts";
import { plainStyle } from "../terminal.ts";
import { sparkline, writeConsole } from "../writers/console.ts";
import { writeMarkdown } from "../writers/markdown.ts";
import { writePage } from "../writers/page.ts";
import { historyDocument } from "./history.ts";

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

  test("a line for each run with its changes, and sparklines", () => {
    const text = writeConsole(trend, plainStyle());
    expect(text).toContain(
      "2026-11-21 02:00  not conformant  1       ·           1       ·       gate     52        passed",
    );
    expect(text).toContain("  newly failing: errors.unknown-product\n  fixed: batch.counters\n");
    expect(text).toContain("  failed    ██  1\n    1\n");
    expect(text).toContain(
      "Lookup by id, Lookup (smoke)\n  ▇█  12 ms, +20 %\n    10 ms to 12 ms, highest on 11-21 02:00\n",
    );
  });

  test("the limit follows the range, and partial runs are listed separately", () => {
    const limited = exampleRun(3, { a: "pass" }, 700);
    for (const load of limited.results.load) load.thresholds = [exampleThreshold({ value: 700, met: false })];
    const partial = exampleRun(4, { a: "fail" }, undefined, { scope: { requirements: 1, of: 74 } });
    const text = writeConsole(documentOf("staging", [limited, partial]), plainStyle());
    expect(text).toContain("    700 ms; limit 500 ms\n");
    const [whole = "", apart = ""] = text.split(
      "Partial and unfinished runs: not counted in the requirement figures",
    );
    expect(whole).not.toContain("04:00");
    expect(apart).toMatch(/2026-11-21 04:00 .*\n {4}part: 1 of 74 requirements\n/);
    expect(apart).toContain("  failed    ▁·  0\n");
  });

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
  expect(writeConsole(document, plainStyle())).toContain("  failed    █▁  0\n");
  expect(document.summary).toContain("No requirement failed. Waived: 1.");
});

test("for a target with a new address in each run, the last two are named", () => {
  const runs = [1, 2, 3, 4].map((hour) =>
    exampleRun(hour, { a: "pass" }, undefined, {
      target: { name: "embedded", baseUrl: `http://127.0.0.1:${hour}/v1`, keyFingerprint: "none" },
    }),
  );
  expect(writeMarkdown(documentOf("embedded", runs))).toContain(
    "- Target: `http://127.0.0.1:3/v1`, `http://127.0.0.1:4/v1`\n",
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
  expect(matrix.split('id="partial"')[1]).toContain("2 of 74 requirements");
});

test("Markdown has the same content, as marked renders it", () => {
  const tokens = marked.lexer(writeMarkdown(history));
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
