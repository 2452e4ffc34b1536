import { marked, type Token } from "marked";
import { expect, test } from "vitest";
import { sampleComparison } from "../../../test/support/samples/compared.ts";
import { hostileTexts } from "../../../test/support/samples/hostile.ts";
import { plainStyle } from "../terminal.ts";
import { writeConsole } from "../writers/console.ts";
import { writeMarkdown } from "../writers/markdown.ts";

const report = sampleComparison();

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
    const lines = writeConsole(report, plainStyle(width)).split("\n");
    expect(lines.filter((line) => line.length > width && !/^\s*\S+$/.test(line))).toEqual([]);
  }
});
