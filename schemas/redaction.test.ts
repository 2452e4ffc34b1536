import { describe, expect, test } from "vitest";
import {
  base64,
  forms,
  json,
  keys,
  partShownAs,
  shownAs,
  unicode,
} from "../test/support/redaction-examples.ts";
import { createRedaction, markOf, secretsOfHeader } from "./redaction.ts";

// A redaction builds its tables at its first use, so every test creates its own.
const redactionOf = (key: string) => createRedaction([{ key, shownAs }]);

describe.each(Object.entries(keys))("a key %s", (_name, key) => {
  test.each(Object.entries(forms))(
    "%s is replaced by the name of its variable, everywhere",
    (_form, spell) => {
      const { redact } = redactionOf(key);
      const spelling = spell(key);
      expect(redact(`(${spelling} , ${spelling})`)).toBe(`(${shownAs} , ${shownAs})`);
      expect(redact(`${spelling}${spelling}`)).toBe(`${shownAs}${shownAs}`);
    },
  );

  test("between other bytes in base64, only characters shared with those bytes remain", () => {
    const { redact } = redactionOf(key);
    for (const before of ["", "u", "us", "use"]) {
      for (const after of ["", "!", "!!"]) {
        const left = redact(base64(before + key + after))
          .replace(shownAs, "")
          .replaceAll(partShownAs, "");
        expect(left.length).toBeLessThanOrEqual(Math.ceil((before.length * 8) / 6) + 5);
      }
    }
  });
});

test("each key is replaced by its own name, even if one is a prefix of another", () => {
  const secrets = [
    { key: "12345678", shownAs: "$A" },
    { key: "12345678-b", shownAs: "$B" },
  ];
  for (const { redact } of [createRedaction(secrets), createRedaction(secrets.toReversed())]) {
    expect(redact("12345678 12345678-b 12345678+")).toBe("$A $B $A");
  }
});

test("a key of a single character is replaced, also before the beginning of a longer one", () => {
  const { redact } = createRedaction([
    { key: "~", shownAs: "$A" },
    { key: "~1234567", shownAs: "$B" },
  ]);
  expect(redact("~ ~~1234567 ~:")).toBe("$A $A$B $A:");
  const alone = createRedaction([{ key: "~", shownAs: "$A" }]);
  expect(alone.redact("~ ~~:")).toBe("$A $A$A:");
  expect(alone.redact("a~")).toBe("a$A");
});

test("a key that is given twice has its first name", () => {
  const { redact } = createRedaction([
    { key: "12345678", shownAs: "$A" },
    { key: "12345678", shownAs: "$B" },
  ]);
  expect(redact("12345678")).toBe("$A");
});

test("a key with bytes of two hexadecimal digits or one, or outside ASCII, is found in each encoding", () => {
  const key = "\t\u00fcber\u000eschl\u00fcssel";
  const { redact } = createRedaction([{ key, shownAs }]);
  const bytes = Buffer.from(key, "latin1");
  expect(redact(`<${bytes.toString("hex")}>`)).toBe(`<${shownAs}>`);
  expect(redact(`<${bytes.toString("base64")}>`)).toBe(`<${shownAs}>`);
});

/** A key, a text, and the text without the key. */
type Row = readonly [key: string, text: string, redacted: string];
const usual = "sk_live_4eC39HqL";
const begun = (first: string) => `${first}-a-longer-key`;
const spellingsOf = (own: string) => [own, encodeURIComponent(own), own.replace("&", "&amp;"), json(own)];

test.each<Row>([
  // What surrounds a key stays.
  ...["\\", "\n", "\r\n", "%", "&amp;", "'", "\\\\\\", '\\"'].map(
    (around): Row => [usual, `a${around}${usual}${around}b`, `a${around}${shownAs}${around}b`],
  ),
  // A backslash before it, unless it escapes the first character.
  ...[..."09azZ"].map((first): Row => [begun(first), `\\${begun(first)}`, `\\${shownAs}`]),
  ...[..."/:{'"].map((first): Row => [begun(first), `(\\${begun(first)})`, `(${shownAs})`]),
  ['"a-longer-key"', '\\"\n"a-longer-key" \\"a-longer-key\\"', `\\"\n${shownAs} ${shownAs}`],
  // Not the rest of an escape of its last character.
  ...["a-longer-key-%", "a-longer-key-&"].flatMap((own) =>
    spellingsOf(own).map((spelling): Row => [own, `(${spelling})`, `(${shownAs})`]),
  ),
  // A single line break inside does not hide it.
  [usual, "(sk_live_\n4eC39HqL) (sk_live_\r4eC39HqL)", `(${shownAs}) (${shownAs})`],
  [usual, "(sk_live_ 4eC39H-L)", "(sk_live_ 4eC39H-L)"],
  // A JSON Pointer.
  ["k3y/with~odd.marks_7", "/data/k3y~1with~0odd.marks_7/x", `/data/${shownAs}/x`],
  // What looks like an escape is part of the key.
  ["4eC39HqL-1", "%4eC39HqL-1", `%${shownAs}`],
  ["nightly-key-1", "line\\nightly-key-1", `line\\${shownAs}`],
  ["12345678", "100%2512345678", `100%25${shownAs}`],
  [";bcdefgh-7", "&#65;bcdefgh-7", `&#65${shownAs}`],
  // Fewer of a character that the key repeats.
  ["%%%b", "%%%b %%b", `${shownAs} %%b`],
])("the key %j in %j", (key, text, redacted) => {
  expect(redactionOf(key).redact(text)).toBe(redacted);
});

describe("parts of a key", () => {
  const key = "sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0";

  test.each([
    ["as it is", key.slice(5), 8],
    ["in base64", base64(key), 12],
    ["in hexadecimal", Buffer.from(key).toString("hex"), 12],
  ])("%s are hidden from a number of characters on", (_form, spelling, least) => {
    const { redact } = redactionOf(key);
    for (let from = 0; from + least < spelling.length; from += 1) {
      const shown = redact(
        `<${spelling.slice(from, from + least)}> <${spelling.slice(from, from + least - 1)}>`,
      );
      expect(shown).toBe(`<${partShownAs}> <${spelling.slice(from, from + least - 1)}>`);
    }
  });

  test.each(Object.entries(forms))("%s: neither half is left at two places", (_form, spell) => {
    const { redact } = redactionOf(key);
    const halves = [key.slice(0, 17), key.slice(17)].map(spell);
    const shown = redact(`{"${halves[0]}":"x","y":"${halves[1]}"}`);
    expect(shown).toMatch(
      /^\{"\S{0,4}\[part of SHELFCHECK_API_KEY\]\S{0,4}":"x","y":"\S{0,4}\[part of SHELFCHECK_API_KEY\]\S{0,4}"\}$/,
    );
  });

  test("a whole key next to one keeps its name", () => {
    const { redact } = redactionOf(key);
    expect(redact(`${key.slice(20)}${key}${key.slice(9, 20)}`)).toBe(
      `${partShownAs}${shownAs}${partShownAs}`,
    );
  });

  test.each([
    [
      "catalog-staging-1",
      "catalog catalog-staging catalog-service https://catalog-staging.example.com staging-1",
    ],
    ["acme42_live_7f3a9c21d0be", "acme42_live_, acme42_live_key"],
    ["otherOrg-staging-7f3a", "otherOrg, otherOrg-staging"],
    ["k3y-0123456789abcdef", "abcdefghijklmnopqrstuvwxyz0123456789+/ 0123456789abcde"],
  ])("of %s that are words or short numbers are no secret", (ofWords, text) => {
    const { redact } = redactionOf(ofWords);
    expect(redact(text)).toBe(text);
    expect(redact(`(${ofWords})`)).toBe(`(${shownAs})`);
  });

  test.each([
    ["catalog-staging-x7Yq", "ging-x7Yq"],
    ["acme42_live_7f3a9c21d0be", "live_7f3a"],
    ["qwhtkzpbmvxrqwhtkzpbmvxr", "qwhtkzpbmvxrq"],
    ["1234-5678-9012-3456", "1234-567"],
  ])("of %s such as %s are", (ofWords, part) => {
    expect(redactionOf(ofWords).redact(`(${part})`)).toBe(`(${partShownAs})`);
  });

  test("of a short key are no part, nor where only whole keys are searched for", () => {
    expect(redactionOf("aZ9-_/+").redact("aZ9-_/ aZ9-_/+")).toBe(`aZ9-_/ ${shownAs}`);
    const { redact } = createRedaction([{ key, shownAs }], { parts: false });
    expect(redact(`${key.slice(1)} ${key}`)).toBe(`${key.slice(1)} ${shownAs}`);
  });
});

describe("an excerpt", () => {
  const key = "sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0";
  const excerpt = (text: string, length: number) => redactionOf(key).excerpt(text, length);

  test("names a key that begins before its end, in the longest spelling", () => {
    const text = `123456789${unicode(key)}${"~".repeat(1000)}`;
    expect(excerpt(text, 10)).toBe(`123456789$${markOf(text)}`);
    expect(excerpt(text, 28)).toBe(`123456789${shownAs}${markOf(text)}`);
  });

  test("of a text of many keys has the mark although it is short", () => {
    const text = unicode(key).repeat(50);
    expect(excerpt(text, 19)).toBe(`${shownAs}${markOf(text)}`);
  });

  test("is cut after the redaction, also where the whole text is shorter than twice its length", () => {
    expect(excerpt(`${key} and more`, 25)).toBe(`${shownAs} and m${markOf(`${key} and more`)}`);
    expect(excerpt(`${key} and more`, 28)).toBe(`${shownAs} and more`);
  });

  test.each(["\u{10000}", "\u{1F4A5}", "\u{10FFFF}"])("does not divide %s", (character) => {
    expect(excerpt(`1234${character}567`, 5)).toBe(`1234${markOf("123456789")}`);
    expect(excerpt(`1234${character}567`, 6)).toBe(`1234${character}${markOf("123456789")}`);
  });
});

test.each([
  ["Basic dXNlcjpwYXNz", ["Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"]],
  ["sid=abcdefgh; theme=dark,1234567", ["sid=abcdefgh; theme=dark,1234567", "abcdefgh"]],
  ["one,12345678 and;abcdefgh", ["one,12345678 and;abcdefgh", "12345678", "abcdefgh"]],
  ["abcdefgh", ["abcdefgh"]],
])("of the header value %j, its words of 8 characters and more are secrets too", (value, expected) => {
  expect(secretsOfHeader(value, "$TOKEN")).toEqual(expected.map((key) => ({ key, shownAs: "$TOKEN" })));
});

test("a text without keys is unchanged", () => {
  const { redact, excerpt } = createRedaction([
    { key: "some-api-key", shownAs },
    { key: "", shownAs: "$NONE" },
  ]);
  const text = "nothing here: $SHELFCHECK $1 $& %20 \\ &amp; == \0 some-ap… and so";
  expect(redact(text)).toBe(text);
  expect(excerpt(text, text.length)).toBe(text);
  expect(excerpt("nothing here", 7)).toBe("nothing… (12 characters)");
  expect(createRedaction([]).redact("some-api-key")).toBe("some-api-key");
});
