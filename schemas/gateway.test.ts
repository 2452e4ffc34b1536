import { expect, test } from "vitest";
import { isErrorShape, isOdd, isOutage, strangerOf, withKnownName } from "./gateway.ts";

const service = { headers: ["x-request-id", "x-version"], servers: ["uvicorn"] };
const own = { server: "uvicorn", "x-request-id": "7", "x-version": "2" };

test("a response that lacks a header of every other response may come from the service's framework", () => {
  const headers = { server: "uvicorn", "x-request-id": "7" };
  expect(strangerOf(headers, service)).toEqual({
    by: "unclear",
    name: "uvicorn",
    lacks: ["x-version"],
  });
});

test("one with another Server comes from something in between", () => {
  expect(strangerOf({ ...own, server: "envoy" }, service)).toEqual({
    by: "between",
    name: "envoy",
  });
});

test("one that lacks nothing may be the service's, and so may any if the service's headers are unknown", () => {
  expect(strangerOf(own, service)).toEqual({ by: "unclear", name: "uvicorn" });
  expect(strangerOf({}, undefined)).toEqual({ by: "unclear" });
});

test.each([
  ["<hr><center>nginx/1.22.1</center>", "nginx/1.22.1", "nginx/1.22.1"],
  ["<hr><center>nginx/1.22.1</center>", "envoy", "nginx"],
  ["local_rate_limited", "", "Envoy"],
  ["<address>Apache/2.4.71 (Debian) Server at h Port 80</address>", "", "Apache"],
])("%s by %s names %s, whatever the headers are", (text, server, name) => {
  const headers = server === "" ? {} : { server };
  expect(withKnownName(strangerOf(headers, undefined), { text, headers })).toEqual({ by: "between", name });
  // The name alone decides nothing.
  expect(isOdd({ headers }, undefined)).toBe(false);
});

test("outages are the statuses of something in front of a service that does not respond", () => {
  expect([400, 429, 500, 501, 502, 503, 504, 511, 522].filter(isOutage)).toEqual([502, 503, 504, 511, 522]);
});

test("the shape of errors is an object with an object under error", () => {
  expect([{ error: {} }, { error: "no" }, { message: "no" }, [], undefined].map(isErrorShape)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});
