import { expect, test } from "vitest";
import { failed, passed } from "../engine/outcome.ts";
import { errorOf, exchangeOf } from "../testing/stub-exchange.ts";
import { hasStatus } from "./expectations.ts";

const control = exchangeOf("retailers", {});

test("the expected status, or one of several, holds and is told", () => {
  expect(hasStatus(errorOf(404, "not_found"), 404, "why")).toEqual(passed("answered 404"));
  expect(hasStatus(errorOf(403, "forbidden"), [403, 404], "why", control)).toEqual(passed("answered 403"));
});

test("any other status is broken: why, what was expected, what came with which code, and the control beside it", () => {
  const answer = errorOf(500, "internal_error");
  expect(hasStatus(answer, [403, 404], "it is not granted", control)).toEqual(
    failed("it is not granted: expected 403 or 404, got 500 (internal_error)", answer, control),
  );
  const bare = exchangeOf("other", undefined, { status: 301, text: "" });
  expect(hasStatus(bare, 200, "why")).toEqual(failed("why: expected 200, got 301", bare));
});
