import { marked, type Token } from "marked";
import { describe, expect, test } from "vitest";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { eventfulResults, exampleEvidence } from "../../../../test/support/samples/eventful.ts";
import { exampleRequirement, exampleResults } from "../../../../test/support/samples/example.ts";
import { hostileTexts } from "../../../../test/support/samples/hostile.ts";
import { code, prose } from "../../writers/markdown-text.ts";
import { formats } from "./formats.ts";
import { reportOf } from "./run-report.ts";

const renderMarkdown = (results: Results) => formats.markdown.render(reportOf(results));

/** All tokens of GitHub Markdown outside code. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  marked.walkTokens(marked.lexer(text), (token) => void tokens.push(token));
  return tokens;
}

/** Structure of the text: headings, size of tables, folds and fences. */
function skeleton(text: string): string[] {
  return tokensOf(text).flatMap((token) => {
    if (token.type === "table") {
      const rows = token.rows.map((row: unknown[]) => row.length).join(",");
      return [`table of ${token.header.length}: ${rows}`];
    }
    return ["heading", "code", "list", "hr", "blockquote", "def"].includes(token.type) ? [token.type] : [];
  });
}

describe("text of a target stays text", () => {
  test.each(hostileTexts.map((text) => [text]))("%j", (text) => {
    const shown = renderMarkdown(eventfulResults(` ${text} `));
    const tokens = tokensOf(shown);
    expect(tokens.filter(({ type }) => type === "link" || type === "image" || type === "del")).toEqual([]);
    const ours = /^<\/?details>(<summary>[\w ,]+<\/summary>)?\s*$|^<br>$/;
    const html = tokens.filter(({ type }) => type === "html").map(({ raw }) => raw.trim());
    expect(html.filter((raw) => !ours.test(raw))).toEqual([]);
    // GitHub makes mentions and issue references of text outside code.
    const plain = tokens
      .filter(({ type }) => type === "text")
      .map((token) => ("tokens" in token ? "" : token.raw));
    expect(plain.join("\n").replaceAll("&#124;", "")).not.toMatch(/@|#\d|https?:|www\./);
    expect(skeleton(shown)).toEqual(skeleton(renderMarkdown(eventfulResults(" harmless "))));
    expect(/[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}]/u.test(shown)).toBe(false);
  });

  test("the tokens show text that breaks out", () => {
    const types = tokensOf("| a |\n| - |\n| <b> https://evil.example ![x](y) |").map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["table", "html", "link", "image"]));
  });
});

test.each([
  ["plain words, 12.5 of them (all good).", "plain words, 12.5 of them (all good)."],
  ["set SHELFCHECK_API_KEY to a key", "set `SHELFCHECK_API_KEY` to a key"],
  ["got <b> and `x` here", "got `<b>` and `x` here"],
  ["`a.b` is null, `` `c` `` is not", "`a.b` is null, `` `c` `` is not"],
  ["one ` alone", "one `` ` `` alone"],
  ["`a`: 1 (`b`), c=`d`.", "`a`: 1 (`b`), `c=` `d`."],
  ["by 20 % to http://x/, then.", "by 20 % to `http://x/`, then."],
  ["a|b", "`a`&#124;`b`"],
])("prose %j is %j", (text, expected) => {
  expect(prose(text)).toBe(expected);
});

test("code spans of backticks and of empty text", () => {
  expect(code("``")).toBe("``` `` ```");
  expect(code("")).toBe("");
});

test("omitted rows are stated, with the numbers shown and in total", () => {
  const shown = renderMarkdown(many(130, "short", 7));
  expect(shown).toContain("50 of 65 requirements shown: see `report.html`.");
  expect(shown).toContain("10 of 65 requests with their responses shown: see `report.html`.");
  expect(shown).toContain("5 of 7 checks shown");
});

test("parts that do not fit into a job summary are named", () => {
  const last = renderMarkdown(many(120, "\u202E".repeat(4000), 5))
    .trim()
    .split("\n")
    .at(-1);
  expect(last).toMatch(
    /^\d+ of \d+ paragraphs shown to fit into a job summary. Omitted: .*Not judged.* See `report.html`\.$/,
  );
});

test("the summary stays far below the size limit and closes all its blocks", () => {
  for (const results of [
    many(5000, "x ".repeat(200)),
    many(120, "|`".repeat(1_000_000)),
    many(200, "z".repeat(1000), 200),
  ]) {
    const shown = renderMarkdown(results);
    expect(Buffer.byteLength(shown)).toBeLessThan(900_000);
    expect(shown.split("<details>").length).toBe(shown.split("</details>").length);
    expect(shown.includes("see `report.html`")).toBe(true);
  }
});

function many(count: number, text: string, checks = 1): Results {
  const requirements = Array.from({ length: count }, (_, number) =>
    exampleRequirement({
      id: `failing.${number}.${"i".repeat(100)}`,
      section: `section ${number}`,
      verdict: number % 2 === 0 ? "fail" : "inconclusive",
      checks: Array.from({ length: checks }, (_, place) => ({
        id: `${number}/${place}`,
        title: text,
        verdict: "fail" as const,
        findings: [{ code: "recorded" as const, subject: `${number} ${text}` }],
        evidence: [exampleEvidence(text)],
      })),
    }),
  );
  return exampleResults({ requirements });
}
