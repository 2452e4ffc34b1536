import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { stubKeys } from "../../test/support/stub-client.ts";
import { cutKey, redactionFor } from "./redaction.ts";

const { redact, redactHeaders } = redactionFor({ keys: stubKeys });

test("each key has its own variable, also when one is a prefix of another", () => {
  expect(redact(Object.values(stubKeys).join(" "))).toBe(
    "$SHELFCHECK_API_KEY $SHELFCHECK_SAME_ORG_API_KEY $SHELFCHECK_OTHER_ORG_API_KEY",
  );
});

test("the first key without its last characters has its own form, which a shell expands, the whole key its name", () => {
  const key = "sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0abcde";
  const cut = key.slice(0, -4);
  const keys = { primary: key, sameOrg: `${cut}other` };
  const { redact, placeholders } = redactionFor({ keys });
  const shown = `\${SHELFCHECK_API_KEY%????}`;
  expect(placeholders).toContain(shown);
  const text = redact(`${key} ${cut}! ${cut}other`);
  expect(text).toBe(`$SHELFCHECK_API_KEY ${shown}! $SHELFCHECK_SAME_ORG_API_KEY`);
  const env = { SHELFCHECK_API_KEY: key, SHELFCHECK_SAME_ORG_API_KEY: keys.sameOrg };
  const printed = execFileSync("/bin/sh", ["-c", `printf %s "${text}"`], { env });
  expect(printed.toString()).toBe(`${key} ${cut}! ${cut}other`);
});

test("the values of headers are redacted, their names stay", () => {
  expect(redactHeaders({ Authorization: `Bearer ${stubKeys.otherOrg}`, accept: "x" })).toEqual({
    Authorization: "Bearer $SHELFCHECK_OTHER_ORG_API_KEY",
    accept: "x",
  });
});

test("the password of a proxy is hidden as it is and as its URL has it", () => {
  const connection = { proxy: "http://u:s3cr%C3%A9t-3@127.0.0.1:1/" };
  const { redact } = redactionFor({ keys: {}, connection });
  expect(redact("s3crét-3 s3cr%C3%A9t-3")).toBe("$PROXY_PASSWORD $PROXY_PASSWORD");
});

test("a short word that is a key stays in a complete report, a real key does not", () => {
  const { redactReport } = redactionFor({ keys: { primary: "function", otherOrg: stubKeys.otherOrg } });
  expect(redactReport(`function x() {} ${stubKeys.otherOrg}`)).toBe(
    "function x() {} $SHELFCHECK_OTHER_ORG_API_KEY",
  );
});

test.each([
  ["sk_live_4eC39HqLyjWDarjt", "sk_live_4eC39HqLyjWD"],
  ["0123456789ab", "01234567"],
  ["0123456789", "01234567"],
  ["012345678", "01234567"],
  ["01234567", undefined],
  ["", undefined],
])("of %s, %j is left", (key, left) => expect(cutKey(key)).toBe(left));
