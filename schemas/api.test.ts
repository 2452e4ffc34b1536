import { expect, test } from "vitest";
import { errorCodeOf, retryAfterSeconds } from "./api.ts";

test.each([
  ["0", 0],
  ["1", 1],
  [" 30 ", 30],
  ["120", 120],
  ["007", 7],
])("a Retry-After of %j is %i seconds", (header, seconds) => {
  expect(retryAfterSeconds(header)).toBe(seconds);
});

const dates = ["Wed, 21 Oct 2026 07:28:00 GMT"];
const malformed = ["-1", "1.5", "1s", "soon", "1, 2", "0x10", "1e3", "9999999999", ...dates];
test.each([...malformed, undefined, "", " "])("a Retry-After of %j gives no seconds", (header) => {
  expect(retryAfterSeconds(header)).toBeUndefined();
});

test("only the statuses of the spec have an error code", () => {
  expect(errorCodeOf(404)).toBe("not_found");
  expect([200, 418, 503].map(errorCodeOf)).toEqual([undefined, undefined, undefined]);
});
