import { expect, test } from "vitest";
import { errorCodeOf, readRetryAfter, retryAfterSeconds } from "./api.ts";

test.each([
  ["0", 0],
  ["1", 1],
  [" 30 ", 30],
  ["120", 120],
  ["007", 7],
])("a Retry-After of %j is %i seconds", (header, seconds) => {
  expect(readRetryAfter(header)).toEqual({ kind: "seconds", seconds });
  expect(retryAfterSeconds(header)).toBe(seconds);
});

test.each(["-1", "1.5", "1s", "soon", "1, 2", "0x10", "1e3", "9999999999", "Wed, 21 Oct 2026 07:28:00 GMT"])(
  "a Retry-After of %j is malformed",
  (header) => {
    expect(readRetryAfter(header)).toEqual({ kind: "malformed", text: header });
    expect(retryAfterSeconds(header)).toBeUndefined();
  },
);

test.each([undefined, "", " "])("a Retry-After of %j is missing", (header) => {
  expect(readRetryAfter(header)).toEqual({ kind: "missing" });
});

test("only the statuses of the spec have an error code", () => {
  expect(errorCodeOf(404)).toBe("not_found");
  expect([200, 418, 503].map(errorCodeOf)).toEqual([undefined, undefined, undefined]);
});
