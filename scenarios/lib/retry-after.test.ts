import { expect, test } from "vitest";
import { readRetryAfter } from "./retry-after.ts";

test.each([
  ["1", { kind: "seconds", seconds: 1 }],
  [" 30 ", { kind: "seconds", seconds: 30 }],
  ["007", { kind: "seconds", seconds: 7 }],
  ["0", { kind: "malformed", text: "0" }],
  ["-1", { kind: "malformed", text: "-1" }],
  ["1.5", { kind: "malformed", text: "1.5" }],
  ["1e3", { kind: "malformed", text: "1e3" }],
  ["soon", { kind: "malformed", text: "soon" }],
  ["Wed, 21 Oct 2026 07:28:00 GMT", { kind: "malformed", text: "Wed, 21 Oct 2026 07:28:00 GMT" }],
  ["", { kind: "missing" }],
  [undefined, { kind: "missing" }],
] as const)("reads %j", (header, expected) => {
  expect(readRetryAfter(header)).toEqual(expected);
});
