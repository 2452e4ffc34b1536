import { describe, expect, test } from "vitest";
import { exampleRun } from "../earlier/example-run.ts";
import { trendOf } from "../earlier/history.ts";
import { renderHistory, sparkline } from "./history-console.ts";
import { plainStyle } from "./terminal.ts";

test.each([
  [[], ""],
  [[0, 0], "▁▁"],
  [[0, 5, 10], "▁▅█"],
  [[1, null, 1], "█·█"],
])("sparkline of %j is %s", (values, expected) => {
  expect(sparkline(values)).toBe(expected);
});

describe("at the console", () => {
  const trend = trendOf("sta\u001bging", [
    exampleRun(1, { "errors.unknown-product": "pass", "batch.counters": "fail" }, 10),
    exampleRun(2, { "errors.unknown-product": "fail", "batch.counters": "pass" }, 12),
  ]);

  test("a line a run, what changed below it, and sparks", () => {
    const text = renderHistory(trend, plainStyle());
    expect(text).toContain(
      "2026-11-21 02:00 UTC not conformant  1       ·           1       gate         52        passed",
    );
    expect(text).toContain("  newly failing: errors.unknown-product\n  fixed: batch.counters\n");
    expect(text).toContain("  failing   ██  1");
    expect(text).toContain("Lookup by id (Lookup, smoke)\n  ▇█  12 ms, +20 %");
  });

  test("no line is wider than the terminal, and nothing of a name is taken as a command to it", () => {
    const many = trendOf(
      "staging",
      Array.from({ length: 90 }, (_, place) => exampleRun(place % 24, { ["i".repeat(150)]: "fail" }, place)),
    );
    for (const width of [40, 72, 100]) {
      for (const lines of [trend, many].map((one) => renderHistory(one, plainStyle(width)).split("\n"))) {
        expect(lines.filter((line) => line.length > width)).toEqual([]);
        expect(lines.join("")).not.toMatch(/\p{Cc}/u);
      }
    }
  });
});
