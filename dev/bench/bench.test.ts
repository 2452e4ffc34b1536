import { expect, test } from "vitest";
import { renderPromises } from "./bench.ts";

test("each promise has a line with yes or NO", () => {
  expect(
    renderPromises([
      { promise: "flat memory", measured: "1 %", holds: true },
      { promise: "cheap", measured: "3x", holds: false },
    ]),
  ).toBe("yes  flat memory  1 %\nNO   cheap        3x");
  expect(renderPromises([])).toBe("");
});
