import { expect, test } from "vitest";
import { retryAfterSeconds } from "./retry-after.ts";

test.each([
  ["0", 0],
  ["1", 1],
  ["120", 120],
  [" 7 ", 7],
  ["007", 7],
])("%j is %i seconds", (header, seconds) => {
  expect(retryAfterSeconds(header)).toBe(seconds);
});

test.each([
  undefined,
  "",
  " ",
  "-1",
  "1.5",
  "1s",
  "soon",
  "1, 2",
  "0x10",
  "1e3",
  "9999999999",
  "Sat, 21 Nov 2026 08:34:22 GMT",
])("%j is no number of seconds", (header) => {
  expect(retryAfterSeconds(header)).toBeUndefined();
});
