import { expect, test } from "vitest";
import { errorOf, exchangeOf } from "../../../test/support/stub-exchange.ts";
import { failed, passed } from "../../requirements/outcome.ts";
import { hasStatus } from "./expectations.ts";

const control = exchangeOf("retailers", {});

test("the expected status, or one of several, passes", () => {
  const notFound = errorOf(404, "not_found");
  expect(hasStatus(notFound, 404, { condition: "unknown-product" })).toEqual(
    passed({ code: "answered", endpoint: "lookup-by-id", expected: [404], actual: 404 }, notFound),
  );
  const forbidden = errorOf(403, "forbidden");
  expect(hasStatus(forbidden, [403, 404, 403], { condition: "known-url" }, control)).toEqual(
    passed(
      { code: "answered", endpoint: "lookup-by-id", expected: [403, 404], actual: 403 },
      forbidden,
      control,
    ),
  );
});

test("any other status fails, with its error code and the control", () => {
  const answer = errorOf(500, "internal_error");
  const circumstances = {
    condition: "retailer-not-granted",
    subject: "zeta",
    details: { items: 2 },
  } as const;
  expect(hasStatus(answer, [403, 404], circumstances, control)).toEqual(
    failed(
      {
        code: "wrong-status",
        endpoint: "lookup-by-id",
        condition: "retailer-not-granted",
        subject: "zeta",
        expected: [403, 404],
        actual: 500,
        details: { items: 2, errorCode: "internal_error" },
      },
      answer,
      control,
    ),
  );
  const bare = exchangeOf("other", undefined, { status: 301, text: "" });
  expect(hasStatus(bare, 200, { condition: "good-key" })).toMatchObject({
    kind: "fail",
    findings: [{ code: "wrong-status", expected: [200], actual: 301, details: {}, exchange: 0 }],
    evidence: [bare],
  });
});
