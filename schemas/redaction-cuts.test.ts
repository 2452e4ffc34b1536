import { describe, expect, test } from "vitest";
import { base64, forms, json, keys, long, percent, shownAs } from "../test/support/redaction-examples.ts";
import { createRedaction } from "./redaction.ts";

// Every spelling of every key, cut at every character. The telling cases of each are in redaction.test.ts.
describe.each(Object.entries(keys))("a key %s", (_name, key) => {
  const { redact, excerpt } = createRedaction([{ key, shownAs }]);

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
});

test.each([5000, 7000])("a key of %i characters is redacted like any other", (length) => {
  const key = long(length);
  const { redact, excerpt } = createRedaction([{ key, shownAs }]);
  for (const spell of [json, percent, base64]) {
    const spelling = spell(key);
    expect(redact(`( ${spelling} )`)).toBe(`( ${shownAs} )`);
    for (let cut = 1; cut < spelling.length; cut += 397) {
      expect(redact(`( ${spelling.slice(0, cut)}… (1 characters)`)).toBe("( … (1 characters)");
    }
    expect(excerpt(`( ${spelling} ${"~".repeat(3 * spelling.length)}`, 1000)).toContain(`( ${shownAs} ~~~`);
  }
});

// Slower than linear, it would run into the time-out.
test("long texts of escapes are redacted in linear time, and keep their end", () => {
  const { redact } = createRedaction([{ key: `\\%&'${long(40)}`, shownAs }]);
  for (const part of ["\\", "%25", "&amp;", "'\\''", "&#0", "\\%&'", "%2", "\r\n"]) {
    const text = redact(`${part.repeat(30_000)}… (1 characters)`);
    expect(text.endsWith("… (1 characters)"), part).toBe(true);
  }
});
