import { marked, type Token } from "marked";
import { describe, expect, test } from "vitest";
import { sampleComparison } from "../../test/support/samples/compared.ts";
import { exampleRun } from "../../test/support/samples/example-run.ts";
import { hostileTexts } from "../../test/support/samples/hostile.ts";
import type { Report } from "../report/model.ts";
import { plainStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { writeMarkdown } from "../report/writers/markdown.ts";
import { compareRuns } from "./comparison.ts";
import { comparisonReport } from "./comparison-report.ts";

const report = sampleComparison();

/** Two runs that are alike, without load. */
function alike(): Report {
  const run = (hour: number) => ({ ...exampleRun(hour, { a: "pass", b: "fail" }), path: "" });
  const runs = { before: run(8), after: run(9) };
  return comparisonReport(compareRuns(runs), runs);
}

// As people read them, whole. Update with `vitest run -u`.
describe.each(Object.entries({ worse: report, same: alike() }))("a comparison that is %s", (name, one) => {
  test("on a console", async () => {
    await expect(writeConsole(one, { style: plainStyle(100) })).toMatchFileSnapshot(
      `faces/comparison-${name}.console.txt`,
    );
  });

  test("as Markdown", async () => {
    await expect(writeMarkdown(one)).toMatchFileSnapshot(`faces/comparison-${name}.markdown.txt`);
  });
});

test.each(hostileTexts.map((text) => [text]))("text of a target is only ever text: %j", (text) => {
  const hostile = sampleComparison(` ${text} `);
  const tokens: Token[] = [];
  marked.walkTokens(marked.lexer(writeMarkdown(hostile)), (token) => void tokens.push(token));
  const html = tokens.filter(({ type }) => type === "html").map(({ raw }) => raw.trim());
  expect(html.filter((raw) => raw !== "<br>")).toEqual([]);
  expect(tokens.filter(({ type }) => ["link", "image", "del"].includes(type))).toEqual([]);
});

test("on a narrow terminal only long words are wider", () => {
  for (const width of [40, 72, 100]) {
    const lines = writeConsole(report, { style: plainStyle(width) }).split("\n");
    expect(lines.filter((line) => line.length > width && !/^\s*\S+$/.test(line))).toEqual([]);
  }
});
