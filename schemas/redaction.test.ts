import { describe, expect, test } from "vitest";
import { createRedaction } from "./redaction.ts";

const shownAs = "$SHELFCHECK_API_KEY";

/** Special characters of regular expressions, JSON, HTML, shells and URLs. */
const awkward = `.*+?^$(){}[]|\\/"'&<>%25;:#!=@,~\`-_`;

const keys: Record<string, string> = {
  "of 8 characters": "aZ9-_/+b",
  plain: "sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0",
  "with every awkward character": `k1${awkward}Zz9`,
  "that begins and ends awkwardly": `"\\u0041&amp;%41'${"x".repeat(20)}\\%4`,
  "of repeated characters": "aaaaaaaaaaab",
  "of 120 characters": long(120),
};

function long(length: number): string {
  const characters = `abcXYZ0189${awkward}`;
  let state = 7;
  return Array.from({ length }, () => {
    state = (state * 48271) % 2147483647;
    return characters.charAt(state % characters.length);
  }).join("");
}

const percent = (text: string, every = 1) =>
  [...text].map((one, at) => (at % every === 0 ? `%${code(one)}` : one)).join("");
const code = (one: string) => one.charCodeAt(0).toString(16).padStart(2, "0");
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const html = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
const unicode = (text: string) => [...text].map((one) => `\\u00${code(one)}`).join("");
const base64 = (text: string) => Buffer.from(text).toString("base64");

const forms: Record<string, (key: string) => string> = {
  "as it is": (key) => key,
  "in capitals": (key) => key.toUpperCase(),
  "in small letters": (key) => key.toLowerCase(),
  "with each other letter changed": (key) =>
    [...key].map((one, at) => (at % 2 === 0 ? one.toUpperCase() : one.toLowerCase())).join(""),
  "in a URL": encodeURIComponent,
  "in a URL, every character": (key) => percent(key).toUpperCase(),
  "in a URL, twice": (key) => encodeURIComponent(percent(key)),
  "in JSON": json,
  "in JSON, with escaped slashes": (key) => json(key).replaceAll("/", "\\/"),
  "in JSON in JSON": (key) => json(json(key)),
  "in JSON, by numbers": unicode,
  "in JSON in JSON, by numbers": (key) => json(unicode(key)),
  "in HTML": html,
  "in HTML, twice": (key) => html(html(key)),
  "in HTML, by numbers": (key) => [...key].map((one) => `&#${one.charCodeAt(0)};`).join(""),
  "in HTML, by hexadecimal numbers": (key) => [...key].map((one) => `&#x0${code(one)};`).join(""),
  "in a shell's quotes": (key) => key.replaceAll("'", "'\\''"),
  "in base64": base64,
  "in base64url": (key) => Buffer.from(key).toString("base64url"),
  "in base64, in a URL": (key) => encodeURIComponent(base64(key)),
  "in base64, in capitals": (key) => base64(key.toUpperCase()),
  "in base64, wrapped": (key) => base64(key).replaceAll(/.{7}/g, "$&\r\n"),
  "in hexadecimal": (key) => Buffer.from(key).toString("hex"),
  "in hexadecimal, in capitals": (key) => Buffer.from(key).toString("hex").toUpperCase(),
};

describe.each(Object.entries(keys))("a key %s", (_name, key) => {
  const { redact, excerpt } = createRedaction([{ key, shownAs }]);

  test.each(Object.entries(forms))(
    "%s is replaced by the name of its variable, everywhere",
    (_form, spell) => {
      const spelling = spell(key);
      expect(redact(`(${spelling} , ${spelling})`)).toBe(`(${shownAs} , ${shownAs})`);
      expect(redact(`${spelling}${spelling}`)).toBe(`${shownAs}${shownAs}`);
    },
  );

  test.each(Object.entries(forms))(
    "%s leaves nothing before a cut at any of its characters",
    (_form, spell) => {
      const spelling = spell(key);
      const text = `( ${spelling} ${"~".repeat(9 * spelling.length)}`;
      const left: string[] = [];
      for (let length = 1; length < spelling.length + 2; length += 1) {
        const mark = `… (${text.length} characters)`;
        // Once cut by another program that appends the mark, and once by `excerpt`.
        const before = redact(text.slice(0, length) + mark);
        if (before !== "( ".slice(0, length) + mark) left.push(before);
        const own = excerpt(text, length);
        if (!`( ${shownAs} ~~~`.startsWith(own.slice(0, -mark.length).slice(0, 10))) left.push(own);
      }
      expect(left.slice(0, 3)).toEqual([]);
    },
  );

  test("between other bytes in base64, only characters shared with those bytes remain", () => {
    for (const before of ["", "u", "us", "use"]) {
      for (const after of ["", "!", "!!"]) {
        const left = redact(base64(before + key + after)).replace(shownAs, "");
        expect(left.length).toBeLessThanOrEqual(Math.ceil((before.length * 8) / 6) + 5);
      }
    }
  });

  test("redacting twice gives the same as redacting once", () => {
    expect(redact(redact(`x ${key} y`))).toBe(redact(`x ${key} y`));
  });
});

test.each([5000, 7000])("a key of %i characters is redacted like any other", (length) => {
  const key = long(length);
  const { redact, excerpt } = createRedaction([{ key, shownAs }]);
  for (const spell of [json, percent, base64]) {
    const spelling = spell(key);
    expect(redact(`( ${spelling} )`)).toBe(`( ${shownAs} )`);
    for (let cut = 1; cut < spelling.length; cut += 97) {
      expect(redact(`( ${spelling.slice(0, cut)}… (1 characters)`)).toBe("( … (1 characters)");
    }
    expect(excerpt(`( ${spelling} ${"~".repeat(3 * spelling.length)}`, 1000)).toContain(`( ${shownAs} ~~~`);
  }
});

test("each key is replaced by its own name, even if one is a prefix of another", () => {
  const { redact } = createRedaction([
    { key: "12345678", shownAs: "$A" },
    { key: "12345678-b", shownAs: "$B" },
  ]);
  expect(redact("12345678 12345678-b 12345678-")).toBe("$A $B $A-");
  expect(redact("12345678-… (9 characters)")).toBe("… (9 characters)");
});

test("JSON stays valid after redaction of escaped keys", () => {
  const key = '"back\\slash"quote/+x';
  const { redact } = createRedaction([{ key, shownAs }]);
  const text = JSON.stringify({ a: `\\${key}\n`, b: JSON.stringify({ key }) });
  const read = JSON.parse(redact(text.replaceAll("/", "\\/")));
  expect(JSON.stringify(read)).not.toContain("slash");
  expect(read.b).toContain(shownAs);
});

test("a text without keys is unchanged", () => {
  const { redact, excerpt } = createRedaction([
    { key: "some-api-key", shownAs },
    { key: "", shownAs: "$NONE" },
  ]);
  const text = "nothing here: $SHELFCHECK $1 $& %20 \\ &amp; some-api-ke… and so";
  expect(redact(text)).toBe(text);
  expect(excerpt(text, text.length)).toBe(text);
  expect(excerpt("nothing here", 7)).toBe("nothing… (12 characters)");
  expect(excerpt("12345\u{1F4A5}", 6)).toBe("12345… (7 characters)");
  expect(createRedaction([]).redact("some-api-key")).toBe("some-api-key");
});

test("hostile texts take linear time", () => {
  const { redact } = createRedaction([{ key: `\\%&'${long(40)}`, shownAs }]);
  for (const part of ["\\", "%25", "&amp;", "'\\''", "&#0", "\\%&'", "%2", "\r\n"]) {
    redact(`${part.repeat(30_000)}… (1 characters)`);
  }
});
