import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { marked, type Token } from "marked";
import { parse } from "test-results-parser";
import { describe, expect, test } from "vitest";
import { memoryPages, validateXML } from "xmllint-wasm";
import type { Results } from "../../../schemas/contracts/results.ts";
import {
  exampleCheck,
  exampleExchange,
  exampleRequirement,
  exampleResults,
} from "../../../test/support/samples/example.ts";
import { hostileResults, hostileTexts } from "../../../test/support/samples/hostile.ts";
import { failingRun } from "../../../test/support/samples/runs.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { reportOf } from "../../core/added.ts";
import { said } from "../../runs/said.ts";
import { consoleStyle, plainStyle } from "../terminal.ts";
import { writeConsole } from "./console.ts";
import { writeJunit } from "./junit.ts";
import { markdownItem, writeMarkdown } from "./markdown.ts";
import { code, prose } from "./markdown-text.ts";

const folder = await temporaryFolder("junit");
const onConsole = (results: Results, width?: number) =>
  writeConsole(reportOf(results), { style: plainStyle(width), resultsFile: "reports/a/results.json" });
const asMarkdown = (results: Results) => writeMarkdown(reportOf(results));
const asJunit = (results: Results) => writeJunit(reportOf(results));
const itemsOf = (results: Results) => reportOf(results).suites.flatMap(({ items }) => items);
const ticketOf = (results: Results, id: string) =>
  itemsOf(results)
    .filter((item) => item.id === id)
    .map((item) => markdownItem(item, "Found by a run."))
    .join("\n");

describe("a terminal", () => {
  test("only commands and long words are wider", () => {
    for (const width of [40, 72, 100]) {
      const lines = onConsole(failingRun(" y".repeat(99)), width).split("\n");
      expect(lines.filter((line) => line.length > width && !/curl |^Next: |^\s*\S+$/.test(line))).toEqual([]);
    }
  });

  test("a curl line that is too long to copy is in the report alone", () => {
    const results = failingRun();
    for (const { checks } of results.requirements)
      for (const one of checks.flatMap(({ evidence }) => evidence)) one.curl = `curl ${"x".repeat(7000)}`;
    expect(onConsole(results)).toContain("The curl line has 7,005 characters: see report.html.");
    expect(onConsole(results)).not.toContain("xxx");
  });

  test("escape sequences and bidirectional characters are shown as text, and megabytes are cut", () => {
    const text = onConsole(hostileResults());
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text).toContain("␛[31mred");
    expect(text.length).toBeLessThan(100_000);
  });

  test.each([
    ["a terminal", { isTTY: true, columns: 300 }, {}, true, 300],
    ["a narrow terminal", { isTTY: true, columns: 20 }, {}, true, 40],
    ["a terminal that does not tell its width", { isTTY: true }, {}, true, 80],
    ["a pipe", { isTTY: false, columns: 300 }, {}, false, Number.POSITIVE_INFINITY],
    ["a terminal with NO_COLOR", { isTTY: true, columns: 90 }, { NO_COLOR: "1" }, false, 90],
  ])("colour and width of %s", (_name, stdout, env, coloured, width) => {
    const style = consoleStyle({ stdout: { write: () => true, ...stdout }, env });
    expect(style.bad("x") !== "x").toBe(coloured);
    expect(style.width).toBe(width);
  });
});

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

describe("in Markdown, text of a target stays text", () => {
  test.each(hostileTexts.map((text) => [text]))("%j", (text) => {
    const shown = asMarkdown(failingRun(` ${text} `));
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
    expect(skeleton(shown)).toEqual(skeleton(asMarkdown(failingRun(" harmless "))));
    expect(/[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}]/u.test(shown)).toBe(false);
  });

  test("in tickets: no link, picture or HTML", () => {
    for (const item of itemsOf(hostileResults(1000))) {
      const page = marked.parse(markdownItem(item, "Found by a run."), { async: false });
      expect(
        page.match(/<(?!\/?(h2|p|strong|blockquote|ul|li|code|pre|details|summary|em|br)\b)[a-z/][^>]*>/i),
      ).toBeNull();
    }
  });

  test.each([
    ["plain words, 12.5 of them (all good).", "plain words, 12.5 of them (all good)."],
    ["set SHELFCHECK_API_KEY to a key", "set SHELFCHECK_API_KEY to a key"],
    ["got <b> and `x` here", "got \\<b\\> and `x` here"],
    ["`a.b` is null, `` `c` `` is not", "`a.b` is null, `` `c` `` is not"],
    ["one ` alone, *two*", "one \\` alone, \\*two\\*"],
    ["by 20 % to http://x/, then.", "by 20 % to `http://x/`, then."],
    ["a|b", "a&#124;b"],
    ["1. one", "1\\. one"],
    ["- one", "\\- one"],
  ])("prose %j is %j", (text, expected) => {
    expect(prose(text)).toBe(expected);
  });

  test("code spans of backticks and of empty text", () => {
    expect(code("``")).toBe("``` `` ```");
    expect(code("")).toBe("");
  });
});

test("a job summary stays below the size limit, says what it leaves out, and closes all its blocks", () => {
  const requirements = Array.from({ length: 500 }, (_, number) =>
    exampleRequirement({
      id: `failing.${number}`,
      verdict: "fail",
      checks: [exampleCheck({ verdict: "fail", says: "|`x ".repeat(200) })],
    }),
  );
  const shownOfMany = asMarkdown(exampleResults({ requirements }));
  for (const shown of [shownOfMany, asMarkdown(hostileResults())]) {
    expect(Buffer.byteLength(shown)).toBeLessThan(900_000);
    expect(shown.split("<details>").length).toBe(shown.split("</details>").length);
  }
  expect(shownOfMany).toContain("shown to fit into a job summary");
});

describe("a ticket", () => {
  test("has what is expected, what was seen, the place as a diff, and how to send it again", () => {
    const ticket = ticketOf(failingRun(), "errors.not-found");
    expect(ticket).toMatch(/^## .*product_missing.* with status 404/);
    for (const part of [
      "**Expected** A response with status 404 has the code not_found.",
      "\n> ",
      "**Seen**",
      '-     "code": "product_missing",',
      "curl 'https://catalog.example/v1/products?gtin=4000000050025' -sS -i",
      "shelfcheck replay latest errors.not-found",
      "Found by a run.",
    ])
      expect(ticket).toContain(part);
  });

  test("has at most 60 lines for one finding, and shows nothing twice", () => {
    for (const item of itemsOf(failingRun()).filter(({ verdict }) => verdict === "fail")) {
      const lines = markdownItem(item, "Found by a run.").split("\n");
      expect(lines.length, item.id).toBeLessThanOrEqual(60);
      expect(lines.filter((line) => line.includes("curl ")).length, item.id).toBeLessThanOrEqual(2);
      const isRefusal = item.evidence.some(({ response }) => response.status === 429);
      expect(lines.some((line) => line.startsWith("A status 429 comes back only"))).toBe(isRefusal);
    }
  });

  test.each([
    ["together", "2026-11-21T08:00:01.502Z", true],
    ["one after the other", "2026-11-21T08:00:01.504Z", false],
  ])("sends requests that were under way %s in the same way", (_name, startedAt, isTogether) => {
    const finding = { code: "other-product", path: "/product_id", expected: "A", actual: "B" } as const;
    const check = exampleCheck({
      verdict: "fail",
      findings: [said({ ...finding, exchange: 0, comparedWith: 1 })],
      evidence: [exampleExchange(), { ...exampleExchange({}, "/acme/B"), startedAt }],
    });
    const failed = exampleRequirement({ id: "by-id.product", verdict: "fail", checks: [check] });
    const ticket = ticketOf(exampleResults({ requirements: [failed] }), "by-id.product");
    expect(/^Seen among requests under way together/m.test(ticket)).toBe(isTogether);
    expect(/ &\ncurl .* &\nwait\n/.test(ticket)).toBe(isTogether);
  });
});

describe("JUnit", async () => {
  const schema = await readFile(new URL("./junit.xsd", import.meta.url), "utf8");

  /** Errors of libxml2 in the documents, as XML and by the schema. */
  async function mistakes(...documents: readonly string[]): Promise<string[]> {
    const { errors } = await validateXML({
      xml: documents.map((contents, place) => ({ fileName: `${place}.xml`, contents })),
      schema: { fileName: "junit.xsd", contents: schema },
      initialMemoryPages: 64 * memoryPages.MiB,
      maxMemoryPages: 512 * memoryPages.MiB,
    });
    return errors.map(({ rawMessage }) => rawMessage);
  }

  /** A dashboard's view, which counts errors as failures. */
  function parsed(text: string) {
    const file = join(folder, "junit.xml");
    writeFileSync(file, text);
    return parse({ type: "junit", files: [file] });
  }

  test("is valid by the schema, whatever texts a target returns", async () => {
    const runs = [
      exampleResults(),
      exampleResults({ requirements: [] }),
      hostileResults(),
      ...["", ...hostileTexts].map((text) => failingRun(` ${text} `)),
    ];
    expect(await mistakes(...runs.map(asJunit))).toEqual([]);
  });

  test("counts match the cases, and a dashboard sees a case for each item", () => {
    const results = failingRun();
    const xml = asJunit(results);
    const count = (element: string) => xml.split(`<${element} `).length - 1;
    const [head = ""] = xml.match(/<testsuites[^>]*>/) ?? [];
    expect(head).toContain(`tests="${count("testcase")}"`);
    expect(head).toContain(`failures="${count("failure")}"`);
    expect(head).toContain(`errors="${count("error")}"`);
    const statuses = { fail: "FAIL", error: "FAIL", pass: "PASS", warn: "PASS" } as const;
    const cases = parsed(xml)
      .suites.flatMap((suite) => suite.cases.map(({ name, status }) => `${name}: ${status}`))
      .toSorted();
    const items = itemsOf(results).map(
      ({ title, verdict }) => `${title}: ${verdict in statuses ? statuses[verdict as "fail"] : "SKIP"}`,
    );
    expect(cases).toEqual(["run finished: PASS", ...items].toSorted());
  });

  test.each([
    [0, "none", "PASS"],
    [1, "requirement-failed", "PASS"],
    [3, "nothing-run", "FAIL"],
    [4, "not-judged", "FAIL"],
    [130, "interrupted", "FAIL"],
  ] as const)("the run as a whole, with exit code %i and the cause %s: %s", (exitCode, cause, status) => {
    const { suites } = parsed(asJunit(exampleResults({ exitCode, cause })));
    expect(suites[0]?.cases.map((one) => one.status)).toEqual([status]);
  });

  test("characters that XML forbids become marks", () => {
    const xml = asJunit(failingRun(hostileTexts[2]));
    expect(xml).not.toMatch(/[^\t\n\P{C}]/u);
    expect(xml).toContain("␀␁␛[31m␡‹U+0085›‹U+FFFE›‹U+FFFF›‹U+D800›x‹U+DC00›");
  });

  test("a target cannot name a file of the CI to attach", () => {
    const check = exampleCheck({ verdict: "warn", says: "[[ATTACHMENT|/etc/passwd]]" });
    const requirements = [exampleRequirement({ id: "a", verdict: "warn", checks: [check] })];
    const { suites } = parsed(asJunit(exampleResults({ requirements })));
    expect(suites.flatMap(({ cases }) => cases.flatMap(({ attachments }) => attachments))).toEqual([]);
  });
});
