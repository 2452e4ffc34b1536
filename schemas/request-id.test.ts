import { expect, test } from "vitest";
import { requestId } from "./request-id.ts";

test("a request's id consists of run and number, in the format of the header", () => {
  const run = "0123456789abcdef";
  expect(requestId("traceparent", run, 1, true)).toBe(
    "00-0123456789abcdef1000000000000001-1000000000000001-01",
  );
  expect(requestId("Traceparent", run, 255, false)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect(requestId("X-Request-Id", run, 255, true)).toBe("0123456789abcdef-255");
});
