import { expect, test } from "vitest";
import { redactionFor } from "./redaction.ts";
import { stubKeys } from "./stub-door.ts";

const { redact, redactHeaders } = redactionFor(stubKeys);

test.each([
  ["as it is", stubKeys.primary],
  ["in a URL", encodeURIComponent(stubKeys.primary)],
  ["in JSON", JSON.stringify(stubKeys.primary).slice(1, -1)],
  ["in base64", Buffer.from(stubKeys.primary).toString("base64")],
])("a key %s gives way to its variable, wherever and however often it stands", (_name, spelling) => {
  expect(redact(`a ${spelling}, b=${spelling}${spelling}`)).toBe(
    "a $SHELFCHECK_API_KEY, b=$SHELFCHECK_API_KEY$SHELFCHECK_API_KEY",
  );
});

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

test("redacting twice is redacting once, and no key changes nothing", () => {
  const text = `x ${stubKeys.primary} y`;
  expect(redact(redact(text))).toBe(redact(text));
  expect(redact("nothing here: $SHELFCHECK $1 $& %20")).toBe("nothing here: $SHELFCHECK $1 $& %20");
  expect(redactionFor({}).redact(text)).toBe(text);
});

test("an empty key does not stand between all letters", () => {
  expect(redactionFor({ primary: "" }).redact("abc")).toBe("abc");
});
