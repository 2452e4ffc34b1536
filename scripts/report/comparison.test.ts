import { marked, type Token, type Tokens } from "marked";
import { describe, expect, test } from "vitest";
import { sampleComparison } from "../../test/support/samples/compared.ts";
import { hostileTexts } from "../../test/support/samples/hostile.ts";
import { worstFirst } from "./comparison.ts";
import { renderComparison } from "./comparison-console.ts";
import { renderComparisonMarkdown } from "./comparison-markdown.ts";
import { renderComparisonPage } from "./comparison-page.ts";
import { plainStyle } from "./terminal.ts";

const row = (answer: "slower" | "inconclusive" | "same" | "faster", change: number) => ({
  endpoint: "batch",
  statistic: `${answer} ${change}`,
  answer,
  before: 1,
  after: 1,
  change,
  low: change,
  high: change,
});

test("latency is sorted: slower, not judged, same, faster, each by size", () => {
  const rows = [
    row("faster", -0.3),
    row("same", 0.01),
    row("inconclusive", 0.4),
    row("slower", 0.2),
    row("slower", 0.5),
  ];
  expect(worstFirst(rows).map(({ statistic }) => statistic)).toEqual([
    "slower 0.5",
    "slower 0.2",
    "inconclusive 0.4",
    "same 0.01",
    "faster -0.3",
  ]);
});

const report = sampleComparison();

test("limits have the values before and after, crossed ones first", () => {
  expect(report.load[0]?.thresholds).toEqual([
    {
      name: "Lookup by id, p95",
      before: "21.9 ms, limit 25 ms",
      after: "27.8 ms, limit 25 ms",
      label: "passed, now crossed",
      tone: "bad",
    },
    {
      name: "Lookup by id, failed requests",
      before: "0.04 %, limit 1 %",
      after: "0.04 %, limit 1 %",
      label: "passed",
      tone: "good",
    },
  ]);
});

describe("console, page and Markdown have the same facts", () => {
  const console = renderComparison(report.comparison, plainStyle());

  test("in Markdown, read by marked", () => {
    const tokens = marked.lexer(renderComparisonMarkdown(report));
    const tables = tokens.filter((token): token is Tokens.Table => token.type === "table");
    const of = (head: string) => tables.find(({ header }) => header[0]?.text === head)?.rows ?? [];
    expect(of("endpoint").map((cells) => cells[6]?.text.replaceAll("*", ""))).toEqual(
      report.load[0]?.rows.map(({ label }) => label),
    );
    expect(of("requirement").length).toBe(report.requirements.length);
    expect(of("when").map(([when]) => when?.text)).toEqual([
      ...["before", "before", "before"],
      ...["after", "after", "after"],
    ]);
    expect(tokens[0]?.raw).toContain("## Regression: comparison of `staging`");
    expect(console).toMatch(/^REGRESSION\n/);
    for (const { id, kind } of report.requirements) expect(console).toContain(`  ${kind}: ${id} (`);
  });

  test("in the page", async () => {
    const page = await renderComparisonPage(report);
    expect(page).toContain('<span class="word">Regression</span> Something got worse.');
    expect(page.split('<article class="card').length - 1).toBe(report.requirements.length);
    expect(page.split('class="chip bad">Slower<').length - 1).toBe(
      1 + (report.load[0]?.rows.filter(({ label }) => label === "slower").length ?? 0),
    );
    expect(page).toContain('href="after-1/report.html"');
  });
});

test.each(hostileTexts.map((text) => [text]))("text of a target is only ever text: %j", async (text) => {
  const hostile = sampleComparison(` ${text} `);
  const tokens: Token[] = [];
  marked.walkTokens(marked.lexer(renderComparisonMarkdown(hostile)), (token) => void tokens.push(token));
  const html = tokens.filter(({ type }) => type === "html").map(({ raw }) => raw.trim());
  expect(html.filter((raw) => raw !== "<br>")).toEqual([]);
  expect(tokens.filter(({ type }) => ["link", "image", "del"].includes(type))).toEqual([]);
  const page = (await renderComparisonPage(hostile)).replace(/<script>.*?<\/script>/s, "");
  expect(/<img|[^\P{Cc}\n\t]|\p{Cf}/u.test(page)).toBe(false);
});

test("on a narrow terminal only long words are wider", () => {
  for (const width of [40, 72, 100]) {
    const lines = renderComparison(report.comparison, plainStyle(width)).split("\n");
    expect(lines.filter((line) => line.length > width && !/^\s*\S+$/.test(line))).toEqual([]);
  }
});
