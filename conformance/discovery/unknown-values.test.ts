import { expect, test } from "vitest";
import {
  invalidKey,
  keysThatBeginLike,
  onUnknownSite,
  unknownPage,
  unknownProductIds,
  unknownSlug,
  unknownUrl,
} from "./unknown-values.ts";

/** The text with each letter and digit replaced by a sign for its kind. */
const form = (text: string) =>
  text.replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A").replaceAll(/[0-9]/g, "0");

test.each(["B08N5WRWNW", "1234567", "sku-00-99", "a/b c", "zZ9", "ITEM0042"])(
  "unknown product ids are of the form of %s, keep its first half, and differ from it and each other",
  (id) => {
    const ids = unknownProductIds(id);
    expect(new Set([id, ...ids]).size).toBe(7);
    const half = id.slice(0, Math.floor(id.length / 2));
    for (const unknown of ids) expect([form(unknown), unknown.startsWith(half)]).toEqual([form(id), true]);
  },
);

test.each([
  [[]],
  [["acme"]],
  [["acme", "acme-unknown"]],
  [["acme", "acme-unknown", "no-such-retailer", "retailer-that-is-not-there"]],
])("an unknown slug is not among %j", (known) => {
  const slug = unknownSlug(known);
  expect(slug).not.toBe("");
  expect(known).not.toContain(slug);
});

test.each(["key_0123456789ABCdef", "K", "0", "sk_live_", "correct-horse-battery-staple"])(
  "an invalid key is of the form of %s and differs from it",
  (key) => {
    const invalid = invalidKey(key);
    expect(form(invalid)).toBe(form(key));
    expect(invalid).not.toBe(key);
    expect(invalid).not.toMatch(/^(correct|horse)/);
  },
);

test("an invalid key reveals nothing of the real one except its kind", () => {
  const secret = "0123456789ABCdefGHIjkl";
  const invalid = invalidKey(`sk_live_${secret}`);
  expect(invalid).toMatch(/^sk_live_/);
  const steps = [...invalid.slice("sk_live_".length)].map(
    (character, place) => character.charCodeAt(0) - secret.charCodeAt(place),
  );
  // Neither unchanged nor shifted by one step, which could be undone.
  expect(steps.filter((step) => step === 0).length).toBeLessThan(secret.length / 3);
  expect(new Set(steps).size).toBeGreaterThan(5);
  expect(invalidKey(`sk_live_${secret}`)).toBe(invalid);
});

test.each(["sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0abcde", "correct-horse-battery-staple", "0123456789"])(
  "two keys begin like %s: without its last characters, and with others of the same form, the first of which differs",
  (real) => {
    const [cut = "", other = "", ...more] = keysThatBeginLike(real, [real]);
    const { length } = cut;
    expect([more, length, real.startsWith(cut)]).toEqual([[], Math.max(8, real.length - 4), true]);
    expect([other.slice(0, length), form(other)]).toEqual([cut, form(real)]);
    expect(other.charAt(length)).not.toBe(real.charAt(length));
  },
);

test("keys that begin like a real one are no valid key, also if nothing in its end can be changed", () => {
  const bare = "abcdef123456----";
  expect(keysThatBeginLike(bare, [bare])).toEqual(["abcdef123456"]);
  expect(keysThatBeginLike(bare, [bare, "abcdef123456"])).toEqual([]);
  expect(keysThatBeginLike("8-letter", [])).toEqual([]);
});

test.each([
  "https://shop.example/p/123?ref=a#reviews",
  "http://shop.example:8443/p/123",
  "https://shop.example",
])("%s has an unknown page on its site, and is unknown on another site", (page) => {
  const unknown = new URL(unknownUrl(page));
  expect([unknown.hostname, unknown.port]).toEqual(["shop.example", page.includes(":8443") ? "8443" : ""]);
  expect(unknown.href).not.toMatch(/123|ref|reviews/);
  expect(unknown.pathname.length).toBeGreaterThan(10);
  const { origin, pathname, search, hash } = new URL(onUnknownSite(page));
  expect(origin).toBe("https://no-such-retailer.example");
  expect(page.endsWith(pathname + search + hash) || pathname === "/").toBe(true);
});

test.each([
  ["https://a.example/p/B0MG-275?ref=1", "B0MG-275", /^https:\/\/a\.example\/p\/B0[^?]*\?ref=1$/],
  ["https://a.example/item?sku=Q64892", "Q64892", /^https:\/\/a\.example\/item\?sku=Q6\d{4}$/],
  ["https://a.example/p/T%2FX-9", "T/X-9", /^https:\/\/a\.example\/p\/T%2F/],
])("the unknown page for %s has an unknown id in place of %s", (url, productId, form) => {
  const { page, id } = unknownPage({ url, productId });
  expect(page).toMatch(form);
  expect(page).toContain(encodeURIComponent(id ?? "none"));
  expect(id).not.toBe(productId);
});

test.each(["https://a.example/p/84123", "https://12.example/lamp"])(
  "the unknown page for %s, which does not have the id 12 as a word of its own, is one without a product",
  (url) => expect(unknownPage({ url, productId: "12" })).toEqual({ page: unknownUrl(url), id: undefined }),
);
