import { describe, expect, test } from "vitest";
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

describe("unknown product ids", () => {
  test.each(["B08N5WRWNW", "1234567", "sku-00-99", "a/b c", "zZ9"])(
    "are of the form of %s and differ from it",
    (id) => {
      const ids = unknownProductIds(id);
      expect(ids.length).toBeGreaterThan(1);
      expect(ids).not.toContain(id);
      for (const unknown of ids) expect(form(unknown)).toBe(form(id));
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  test("keep the first half, which is often a fixed prefix", () => {
    for (const id of unknownProductIds("ITEM0042")) expect(id.slice(0, 4)).toBe("ITEM");
  });
});

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

describe("keys that begin like a real one", () => {
  test.each(["sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0abcde", "correct-horse-battery-staple", "0123456789"])(
    "for %s: without its last characters, and with others of the same form, the first of which differs",
    (real) => {
      const [cut = "", other = "", ...more] = keysThatBeginLike(real, [real]);
      expect(more).toEqual([]);
      expect(real.startsWith(cut)).toBe(true);
      expect(cut.length).toBe(Math.max(8, real.length - 4));
      expect(other.slice(0, cut.length)).toBe(cut);
      expect(other.charAt(cut.length)).not.toBe(real.charAt(cut.length));
      expect(form(other)).toBe(form(real));
    },
  );

  test("are no valid key, also if nothing in its end can be changed", () => {
    const bare = "abcdef123456----";
    expect(keysThatBeginLike(bare, [bare])).toEqual(["abcdef123456"]);
    expect(keysThatBeginLike(bare, [bare, "abcdef123456"])).toEqual([]);
  });

  test("do not exist for a key that is too short", () => {
    expect(keysThatBeginLike("8-letter", [])).toEqual([]);
  });
});

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

const pages = [
  "https://shop.example/p/123?ref=a#reviews",
  "http://shop.example:8443/p/123",
  "//shop.example/p/123",
  "shop.example/p/123",
  "shop.example:8443/p/123",
  "https://shop.example",
];

test.each(pages)("an unknown page is on the site of %s and has nothing of the product in it", (page) => {
  const url = new URL(unknownUrl(page));
  expect(url.hostname).toBe("shop.example");
  expect(url.port).toBe(page.includes(":8443") ? "8443" : "");
  expect(url.href).not.toMatch(/123|ref|reviews/);
  expect(url.pathname.length).toBeGreaterThan(10);
});

test.each(pages)("the page %s on an unknown site differs only in the site", (page) => {
  const url = new URL(onUnknownSite(page));
  expect(url.host).toMatch(/^no-such-retailer\.example/);
  expect(url.protocol).toBe("https:");
  expect(page.endsWith(url.pathname + url.search + url.hash) || url.pathname === "/").toBe(true);
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

test.each([
  ["https://a.example/p/84123", "12"],
  ["https://12.example/lamp", "12"],
])(
  "the unknown page for %s, which does not have the id %s as a word of its own, is one without a product",
  (url, productId) => {
    expect(unknownPage({ url, productId })).toEqual({ page: unknownUrl(url), id: undefined });
  },
);
