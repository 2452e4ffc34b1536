import { marked, type Token } from "marked";
import { describe, expect, test } from "vitest";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { eventfulResults, exampleEvidence } from "../../../../test/support/samples/eventful.ts";
import { exampleRequirement, exampleResults } from "../../../../test/support/samples/example.ts";
import { hostileTexts } from "../../../../test/support/samples/hostile.ts";
import { sampleLoad } from "../../../../test/support/samples/sample.ts";
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

test("verdict, failures with their exchanges, and the rest", () => {
  const shown = renderMarkdown(eventfulResults());
  expect(shown).toMatch(/^## Not conformant: gate of `staging`\n/);
  expect(shown).toMatch(/^\| target \| when \| judged \| exit code \| next \|/m);
  const headings = [...shown.matchAll(/^### (.*)$/gm)].map(([, title]) => title);
  expect(headings).toEqual([
    "Failed: 2 requirements",
    "Load",
    "Old against new",
    "Contract changes since 2026-11-01 00:00 UTC",
    "Not judged: 2 requirements",
    "Waivers",
  ]);
  expect(shown).toContain("< 410 after 3 ms");
  expect(shown).toMatch(
    /\| \*\*breaking\*\* \| Field `title`: on 40 of 40 products of .*acme.* before, on 0 of 40 now\. \|/,
  );
  expect(shown).toContain("1 harmless change.");
  expect(shown).toMatch(/\| \*\*stale\*\* \| `limits.stale` \| `2027-01-31` \| `team` \| `CAT-1` \|/);
  expect(shown).toContain("Waived until 2027-01-31, `CAT-1`.");
  expect(shown).toContain("Batch lookup, p99: 1,200 ms, limit 900 ms; waived until 2027-01-31, CAT-1");
  expect(shown).toContain("#### Lookup (own)\n");
});

test("omitted rows are stated, with the numbers shown and in total", () => {
  const shown = renderMarkdown(many(130, "short", 7));
  expect(shown).toContain("50 of 65 requirements shown: see `report.html`.");
  expect(shown).toContain("10 of 65 requests with their responses shown: see `report.html`.");
  expect(shown).toContain("5 of 7 checks shown");
  expect(shown).toContain("100 of 130 sections shown: see `report.html`.");
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

test("a load run has p50, p95, p99, found limits and endpoints", () => {
  const rateLimit = {
    mode: "probe",
    limit: { perSecond: 40, low: 36, high: 44, burst: 10, kind: "bucket" },
  } as const;
  const shown = renderMarkdown(exampleResults({ load: [{ ...sampleLoad(), rateLimit }] }));
  expect(shown).toContain(
    "| Lookup (soak) | passed | 360,000 | 100/s | 11.2 ms | 31.8 ms | 78.1 ms | 1 in 2,500 (0.04 %) | 310 |",
  );
  expect(shown).toContain("- Found: rate limit `40/s` (36 to 44).");
  expect(shown).toContain("| Lookup by id | 10 ms | 31.8 ms | 76 ms |  |  | p95 at most 1,000 ms |");
});

test("a passed run is short", () => {
  const shown = renderMarkdown(exampleResults());
  expect(shown).not.toContain("###");
  expect(shown.length).toBeLessThan(600);
});

test("a problem is shown", () => {
  const problem = { what: "Nothing answers", where: "http://127.0.0.1:9/v1", fix: "Start the service." };
  const shown = renderMarkdown(exampleResults({ verdict: "error", exitCode: 3, problem, requirements: [] }));
  expect(shown).toContain("**Nothing answers**: `http://127.0.0.1:9/v1`\n\nStart the service.");
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
