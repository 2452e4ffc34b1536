import { expect, test } from "vitest";
import { change, counted, duration, figure, oneIn, outOf, percent, showsPercentile } from "./format.ts";

test.each([
  [counted(1, "finding"), "1 finding"],
  [counted(2, "finding"), "2 findings"],
  [counted(1204, "query", "queries"), "1,204 queries"],
  [figure(0.0000083), "0.0000083"],
  [figure(12.345), "12.3"],
  [figure(1240.4), "1,240"],
  [percent(0.0171), "1.71 %"],
  [oneIn(1 / 60), "1 in 60 (1.7 %)"],
  [oneIn(0.5), "50 %"],
  [oneIn(0), "0 %"],
  [outOf(3, 60), "3 of 60 (5 %)"],
  [outOf(3, 60, "request"), "3 of 60 requests (5 %)"],
  [outOf(0, 1, "request"), "0 of 1 request"],
  [outOf(0, 60), "0 of 60"],
  [outOf(60, 60), "60 of 60"],
  [outOf(0, 0), "0 of 0"],
  [change(0.2), "+20 %"],
  [change(-0.051), "-5.1 %"],
  [change(0), "0 %"],
  [change(249.667), "251 times"],
  [change(8.9), "+890 %"],
  [duration(24.4), "24 s"],
  [duration(200), "3 min 20 s"],
  [duration(3725), "1 h 2 min"],
])("%s", (text, expected) => {
  expect(text).toBe(expected);
});

test.each([
  [50, 2, true],
  [95, 19, false],
  [95, 20, true],
  [99, 99, false],
  [99, 100, true],
  [99.9, 8, false],
  [99.9, 1000, true],
  [100, 1, true],
])("p%d of %d samples: %s", (percentile, samples, shown) => {
  expect(showsPercentile(percentile, samples)).toBe(shown);
});
