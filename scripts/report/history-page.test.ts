import { marked, type Token, type Tokens } from "marked";
import { expect, test } from "vitest";
import { hostileMark, sampleHistory } from "../../test/support/samples/compared.ts";
import { renderHistoryMarkdown } from "./history-markdown.ts";
import { renderHistoryPage } from "./history-page.ts";

const history = sampleHistory(hostileMark);

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
