import { expect, test } from "vitest";
import { deepest, isTooDeep } from "./nesting.ts";

const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${"}]".repeat(levels / 2)}`;

test.each([
  ["as deep as allowed", nested(deepest), false],
  ["two levels deeper", nested(deepest + 2), true],
  ["many lists beside each other", `[${"[],".repeat(deepest * 3)}1]`, false],
  ["brackets in a text", JSON.stringify({ title: '[{\\"'.repeat(deepest) }), false],
  ["cut off", "[".repeat(deepest + 1), true],
])("%s", (_, text, tooDeep) => {
  expect(isTooDeep(text)).toBe(tooDeep);
});
