import { marked, type Token, type Tokens } from "marked";
import { expect, test } from "vitest";
import { sampleComparison } from "../../../test/support/samples/compared.ts";
import { hostileTexts } from "../../../test/support/samples/hostile.ts";
import { visibleLines } from "../../../test/support/samples/page-text.ts";
import { plainStyle } from "../terminal.ts";
import { writeConsole } from "../writers/console.ts";
import { writeMarkdown } from "../writers/markdown.ts";
import { writePage } from "../writers/page.ts";

const report = sampleComparison();

test("limits have the values before and after, crossed ones first", async () => {
  const lines = visibleLines(await writePage(report)).split("\n");
  expect(lines.filter((line) => line.includes(", limit "))).toEqual([
    "| Lookup by id, p95 | 21.9 ms, limit 25 ms | 27.8 ms, limit 25 ms | Passed, now crossed |",
    "| Lookup by id, failed requests | 0.04 %, limit 1 % | 0.04 %, limit 1 % | Passed |",
  ]);
});

test("console, page and Markdown have the same facts", async () => {
  const [onConsole, page] = [writeConsole(report, plainStyle()), await writePage(report)];
  const tokens = marked.lexer(writeMarkdown(report));
  const tables = tokens.filter((token): token is Tokens.Table => token.type === "table");
  const of = (head: string) => tables.find(({ header }) => header[0]?.text === head)?.rows ?? [];
  const changed = of("requirement").map(([place]) => place?.text.replaceAll(/[*`]/g, "").split("<br>") ?? []);
  expect(changed.map(([label]) => label)).toEqual(["newly failing", "no longer judged", "fixed"]);
  for (const [label = "", id = "", about = ""] of changed) {
    expect(onConsole).toContain(`  ${label.toUpperCase()} ${id}: ${about}`);
    expect(page).toContain(`id="${id}" data-group`);
  }
  expect(page.split('<article class="card').length - 1).toBe(changed.length);
  const latency = of("endpoint").map((cells) => cells.map(({ text }) => text));
  expect(latency[0]).toEqual(["Lookup by id", "p99", "24 ms", "36 ms", "+50 %"]);
  expect(onConsole).toMatch(/Lookup by id +p99 +24 ms +36 ms +\+50 %/);
  expect(of("when").map(([when]) => when?.text)).toEqual(["before", "after"]);
  expect(tokens[0]?.raw).toContain("## Worse: comparison of `staging`");
  expect(onConsole).toMatch(/^WORSE\n/);
  expect(page).toContain('<span class="word">Worse</span> <bdi>Something got worse.</bdi>');
  expect(page).toContain('href="after/report.html"');
});

test.each(hostileTexts.map((text) => [text]))("text of a target is only ever text: %j", async (text) => {
  const hostile = sampleComparison(` ${text} `);
  const tokens: Token[] = [];
  marked.walkTokens(marked.lexer(writeMarkdown(hostile)), (token) => void tokens.push(token));
  const html = tokens.filter(({ type }) => type === "html").map(({ raw }) => raw.trim());
  expect(html.filter((raw) => raw !== "<br>")).toEqual([]);
  expect(tokens.filter(({ type }) => ["link", "image", "del"].includes(type))).toEqual([]);
  const page = (await writePage(hostile)).replace(/<script>.*?<\/script>/s, "");
  expect(/<img|[^\P{Cc}\n\t]|\p{Cf}/u.test(page)).toBe(false);
});

test("on a narrow terminal only long words are wider", () => {
  for (const width of [40, 72, 100]) {
    const lines = writeConsole(report, plainStyle(width)).split("\n");
    expect(lines.filter((line) => line.length > width && !/^\s*\S+$/.test(line))).toEqual([]);
  }
});
