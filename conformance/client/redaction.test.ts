import { expect, test } from "vitest";
import { stubKeys } from "../testing/stub-client.ts";
import { redactionFor } from "./redaction.ts";

const { redact, redactHeaders } = redactionFor({ keys: stubKeys });

test("each key has its own variable, also where one begins like another", () => {
  expect(redact(Object.values(stubKeys).join(" "))).toBe(
    "$SHELFCHECK_API_KEY $SHELFCHECK_SAME_ORG_API_KEY $SHELFCHECK_OTHER_ORG_API_KEY",
  );
});

test("in headers the values are redacted, and the rest stays", () => {
  expect(redactHeaders({ Authorization: `Bearer ${stubKeys.otherOrg}`, accept: "x" })).toEqual({
    Authorization: "Bearer $SHELFCHECK_OTHER_ORG_API_KEY",
    accept: "x",
  });
});

test("a key that may be a word is left in a report as a whole, a real one is not", () => {
  const { redactReport } = redactionFor({ keys: { primary: "function", otherOrg: stubKeys.otherOrg } });
  expect(redactReport(`function x() {} ${stubKeys.otherOrg}`)).toBe(
    "function x() {} $SHELFCHECK_OTHER_ORG_API_KEY",
  );
});
