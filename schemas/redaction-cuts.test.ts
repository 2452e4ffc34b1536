import { describe, expect, test } from "vitest";
import {
  base64,
  forms,
  json,
  keys,
  long,
  partShownAs,
  percent,
  shownAs,
} from "../test/support/redaction-examples.ts";
import { createRedaction, markOf } from "./redaction.ts";

const withoutNames = (text: string) => text.replaceAll(shownAs, "").replaceAll(partShownAs, "");

// Every spelling of every key, cut at every 23rd character, which meets every place of an escape of 2, 3, 4 or 6.
// The telling cases of each are in redaction.test.ts.
describe.each(Object.entries(keys))("a key %s", (_name, key) => {
  const { redact, excerpt } = createRedaction([{ key, shownAs }]);

  test.each(Object.entries(forms))(
    "%s leaves a few characters before a cut, wherever it is",
    (_form, spell) => {
      const spelling = spell(key);
      const text = `( ${spelling} ${"~".repeat(9 * spelling.length)}`;
      // As many as a part that is not hidden has in this spelling, also one of words.
      const parts = Array.from({ length: key.length }, (_, from) => spell(key.slice(from, from + 30)).length);
      const most = Math.max(15, ...parts);
      for (let length = 1; length < spelling.length + 2; length += 23) {
        expect(withoutNames(redact(text.slice(0, length))).length).toBeLessThanOrEqual(most + 2);
        const own = excerpt(text, length);
        expect(`( ${shownAs} ~~~`).toContain(own.slice(0, -markOf(text).length).slice(0, 10));
      }
    },
  );
});

test("a key of 7000 characters is redacted like any other", () => {
  const key = long(7000);
  const { redact, excerpt } = createRedaction([{ key, shownAs }]);
  for (const spell of [json, percent, base64]) {
    const spelling = spell(key);
    expect(redact(`( ${spelling} )`)).toBe(`( ${shownAs} )`);
    for (let cut = 100; cut < spelling.length; cut += 997) {
      expect(withoutNames(redact(`( ${spelling.slice(0, cut)}`)).length).toBeLessThan(40);
    }
    expect(excerpt(`( ${spelling} ${"~".repeat(3 * spelling.length)}`, 1000)).toContain(`( ${shownAs} ~~~`);
  }
});

// Slower than linear, it would run into the time-out.
test("long texts of escapes are redacted in linear time, and keep their end", () => {
  const { redact } = createRedaction([{ key: `\\%&'${long(40)}`, shownAs }]);
  for (const part of ["\\", "%25", "&amp;", "'\\''", "&#0", "\\%&'", "%2", "\r\n", '\\"', "&#38;", "~01"]) {
    for (const end of ["… (1 characters)", '"']) {
      const text = redact(`${part.repeat(40_000)}${end}`);
      expect(text.endsWith(end), part).toBe(true);
    }
  }
});
