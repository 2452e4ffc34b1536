import { expect, test } from "vitest";
import { stubKeys } from "../testing/stub-door.ts";
import { redactionFor } from "./redaction.ts";

const { redact, redactHeaders } = redactionFor(stubKeys);

test.each([
  ["as it is", stubKeys.primary],
  ["in a URL", encodeURIComponent(stubKeys.primary)],
  ["in JSON", JSON.stringify(stubKeys.primary).slice(1, -1)],
  ["in a URL, in small letters", percent(stubKeys.primary)],
  ["in a URL, twice", encodeURIComponent(percent(stubKeys.primary))],
  ["split by JSON escapes", escapedHalf(stubKeys.primary)],
  ["split by JSON escapes, in JSON in JSON", JSON.stringify(escapedHalf(stubKeys.primary)).slice(1, -1)],
  [
    "in HTML",
    [...stubKeys.primary].map((one, place) => (place % 3 === 0 ? `&#${one.charCodeAt(0)};` : one)).join(""),
  ],
  ["in base64", Buffer.from(stubKeys.primary).toString("base64")],
  ["in base64url", Buffer.from(stubKeys.primary).toString("base64url")],
  ["in hexadecimal", Buffer.from(stubKeys.primary).toString("hex").toUpperCase()],
])("a key %s gives way to its variable, wherever and however often it stands", (_name, spelling) => {
  expect(redact(`a ${spelling}, b=${spelling}${spelling}`)).toBe(
    "a $SHELFCHECK_API_KEY, b=$SHELFCHECK_API_KEY$SHELFCHECK_API_KEY",
  );
});

// The shared characters at either end stay: they tell a bit or two.
test.each(["", "u", "us", "use"])("a key after %j in base64 leaves nothing of itself", (before) => {
  for (const after of ["", "!", "!!"]) {
    const text = Buffer.from(before + stubKeys.primary + after).toString("base64");
    const left = redact(text).replace("$SHELFCHECK_API_KEY", "");
    expect(left.length).toBeLessThanOrEqual(Math.ceil((before.length * 8) / 6) + 5);
  }
});

test("escapes of a key leave JSON that can be read", () => {
  const key = 'back\\slash"quote/+x';
  const own = redactionFor({ primary: key });
  const text = JSON.stringify({ a: `\\${key}\n`, b: JSON.stringify({ key }) });
  const read = JSON.parse(own.redact(text.replaceAll("/", "\\/")));
  expect(JSON.stringify(read)).not.toContain("slash");
  expect(read.b).toContain("$SHELFCHECK_API_KEY");
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

test("a key as short as a word is left in a report as a whole, a real one is not", () => {
  const { redactReport } = redactionFor({ primary: "test", otherOrg: stubKeys.otherOrg });
  expect(redactReport(`if (pattern.test(x)) ${stubKeys.otherOrg}`)).toBe(
    "if (pattern.test(x)) $SHELFCHECK_OTHER_ORG_API_KEY",
  );
});

test("an empty key does not stand between all letters", () => {
  expect(redactionFor({ primary: "" }).redact("abc")).toBe("abc");
});

function percent(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

function escapedHalf(text: string): string {
  return [...text]
    .map((one, place) => (place % 2 === 0 ? one : `\\u00${one.charCodeAt(0).toString(16)}`))
    .join("");
}
