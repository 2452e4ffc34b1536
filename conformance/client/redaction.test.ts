import { expect, test } from "vitest";
import { stubKeys } from "../../test/support/stub-client.ts";
import { redactionFor } from "./redaction.ts";

const { redact, redactHeaders } = redactionFor({ keys: stubKeys });

test("each key has its own variable, also when one is a prefix of another", () => {
  expect(redact(Object.values(stubKeys).join(" "))).toBe(
    "$SHELFCHECK_API_KEY $SHELFCHECK_SAME_ORG_API_KEY $SHELFCHECK_OTHER_ORG_API_KEY",
  );
});

test("the first key without its last characters has its own form, the whole key its name", () => {
  const key = "sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0abcde";
  const cut = key.slice(0, -4);
  const { redact, placeholders } = redactionFor({ keys: { primary: key, sameOrg: `${cut}other` } });
  const shown = `\${SHELFCHECK_API_KEY%????}`;
  expect(redact(`${key} ${cut}! ${cut}other`)).toBe(
    `$SHELFCHECK_API_KEY ${shown}! $SHELFCHECK_SAME_ORG_API_KEY`,
  );
  expect(placeholders).toContain(shown);
});

test("the values of headers are redacted, their names stay", () => {
  expect(redactHeaders({ Authorization: `Bearer ${stubKeys.otherOrg}`, accept: "x" })).toEqual({
    Authorization: "Bearer $SHELFCHECK_OTHER_ORG_API_KEY",
    accept: "x",
  });
});

test("a short word that is a key stays in a complete report, a real key does not", () => {
  const { redactReport } = redactionFor({ keys: { primary: "function", otherOrg: stubKeys.otherOrg } });
  expect(redactReport(`function x() {} ${stubKeys.otherOrg}`)).toBe(
    "function x() {} $SHELFCHECK_OTHER_ORG_API_KEY",
  );
});
