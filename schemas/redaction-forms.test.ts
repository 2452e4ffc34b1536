import { describe, expect, test } from "vitest";
import { beginsEscape, isLongRun, isSpecial } from "./redaction-escapes.ts";
import { fold, formsBeginning, formsOf, isEndedByQuotation, mayBegin } from "./redaction-forms.ts";

const characters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const pairs = characters.flatMap((first) => characters.map((second) => `${first}${second}`));
const formsOfKeys = (...keys: string[]) => formsOf(keys.map((key) => ({ key, shownAs: "$KEY" })));
const folded = (text: string) => text.toLowerCase().replaceAll("-", "+").replaceAll("_", "/");
const codes = (pair: string) => [pair.charCodeAt(0), pair.charCodeAt(1)] as const;

// As in redaction.test.ts, every test builds its own forms.
describe("pairs of characters with which a key may begin", () => {
  const ofKey = () => {
    const forms = formsOfKeys("sk_live_4eC39HqL");
    return { forms, texts: forms.byFirst.flatMap((ofFirst) => ofFirst?.all ?? []).map(({ text }) => text) };
  };

  test("are those of its forms, whatever escapes or breaks them, and a few escapes", () => {
    const { forms, texts } = ofKey();
    const expected = pairs.filter((pair) => {
      const [first = "", second = ""] = pair;
      if ("%&'\\".includes(first)) return pair !== '\\"';
      const ofFirst = texts.filter((text) => text.startsWith(folded(first)));
      return ofFirst.some((text) => "%&'\\\r\n".includes(second) || text[1] === folded(second));
    });
    const found = () => pairs.filter((pair) => mayBegin(forms, ...codes(pair)));
    expect(found()).toEqual(expected);
    expect(found(), "once more, from the table").toEqual(expected);
    expect(expected.length / pairs.length).toBeLessThan(0.06);
  });

  test("name the forms that they may begin", () => {
    const { forms, texts } = ofKey();
    for (const pair of pairs) {
      const [first = "", second = ""] = pair;
      const ofFirst = texts.filter((text) => text.startsWith(folded(first)));
      const plain = ofFirst.filter((text) => text[1] === folded(second));
      const expected = "%&'\\\r\n".includes(second) ? ofFirst : plain;
      const found = formsBeginning(forms.byFirst, ...codes(pair));
      expect(found?.map(({ text }) => text) ?? [], JSON.stringify(pair)).toEqual(expected);
    }
  });

  test.each(["ss", "xa", "  ", "{}", '"{', '\\"'])("are not %j", (pair) => {
    const { forms } = ofKey();
    expect(mayBegin(forms, ...codes(pair))).toBe(false);
    expect(formsBeginning(forms.byFirst, ...codes(pair))).toBeUndefined();
  });

  test.each(["sé", "és", "日本", "…x", "\u0080a", "a\u0080"])("are all above ASCII, such as %s", (pair) => {
    expect(mayBegin(ofKey().forms, ...codes(pair))).toBe(true);
  });

  test.each(['"quoted-key', "\\escaped-key"])('are \\" for the key %s', (key) => {
    expect(mayBegin(formsOfKeys(key), ...codes('\\"'))).toBe(true);
  });

  test("are all that begin with a key of one character", () => {
    const alone = formsOfKeys("~", "~1234567");
    for (const second of characters) expect(mayBegin(alone, ...codes(`~${second}`)), second).toBe(true);
    expect(mayBegin(alone, ...codes("}~"))).toBe(false);
    expect(formsBeginning(alone.byFirst, ...codes("~x"))?.map(({ text }) => text)).toContain("~");
  });
});

describe('a form ends before \\"', () => {
  const formOf = (key: string) => {
    const form = formsOfKeys(key).byFirst[fold(key.charCodeAt(0))]?.all.find(({ text }) => text === key);
    if (form === undefined) throw new Error(`no form of ${key}`);
    return form;
  };

  test.each([
    ["a-key", 'ab\\"', 2, true],
    ["a-key", '\\"', 0, true],
    ["a-key", "ab\\n", 2, false],
    ["a-key", 'ab""', 2, false],
    ["a-key", '\\"x', 1, false],
    ["a-key", "ab\\", 2, false],
    ['a"key', 'ab\\"', 2, false],
    ["a\\key", 'ab\\"', 2, false],
  ])("of the key %s in %j at %i: %j", (key, text, at, expected) => {
    const form = formOf(folded(key));
    expect(isEndedByQuotation(form, text, at)).toBe(expected);
  });
});

describe("characters", () => {
  const all = Array.from({ length: 0x3000 }, (_, code) => code);
  const named = (chosen: number[]) => String.fromCharCode(...chosen);

  test("that begin an escape", () => expect(named(all.filter(beginsEscape))).toBe("%&'\\"));

  test("after which a form may go on elsewhere", () => {
    expect(named(all.filter(isSpecial))).toBe("\n\r%&'\\…");
  });

  test("that are equal to others", () => {
    expect(named(all.slice(0, 128).map(fold))).toBe(named(all.slice(0, 128)).replaceAll(/[A-Z_-]/g, folded));
    expect(all.slice(128).map(fold)).toEqual(all.slice(128));
  });
});

test("a run of backslashes is long from the 65th on", () => {
  const run = "\\".repeat(65);
  expect(isLongRun(`x${run}`, 1)).toBe(true);
  expect(isLongRun(`x${run}`, 2)).toBe(false);
  expect(isLongRun(`${run}x`, 1)).toBe(false);
});
