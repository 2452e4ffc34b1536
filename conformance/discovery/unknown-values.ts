import { createHash } from "node:crypto";
import { cutKey } from "../client/redaction.ts";
import { checkDigit } from "../response/products-in.ts";
import type { UrlFixture } from "./fixtures.ts";

/** Values that the target does not have, in the form of real ones, as a service may check the form first. */

/** A path that is no endpoint. Its name says in a log who sent it. */
export const unknownPath = "/shelfcheck-no-such-endpoint";

/** Product ids of the same form as a real one that most likely belong to no product. */
export function unknownProductIds(real: string): string[] {
  // Identifiers often have a fixed prefix, so only the second half changes.
  const tail = Math.ceil(real.length / 2);
  const ids = [3, 7, 1, 8, 5, 9].map((step) => real.slice(0, -tail) + shifted(real.slice(-tail), step));
  return ids.map((id) => (id === real ? `${id}0` : id));
}

/** A slug of the same form as the real ones, but unknown. */
export function unknownSlug(known: readonly string[]): string {
  const candidates = [`${known[0] ?? "retailer"}-unknown`, "no-such-retailer", "retailer-that-is-not-there"];
  return candidates.find((slug) => !known.includes(slug)) ?? `${candidates[0]}-${known.length}`;
}

/**
 * An invalid key in the form of a real one. Reports show it, so it must not reveal the real key: after a
 * prefix such as `sk_live_`, its characters are derived from a hash.
 */
export function invalidKey(real: string): string {
  const [kind = ""] = real.match(/^(?:[A-Za-z]{1,7}_){1,2}/) ?? [];
  const prefix = kind.length * 3 <= real.length ? kind : "";
  const secret = real.slice(prefix.length);
  if (!/[0-9a-zA-Z]/.test(secret)) return `${real}0`;
  // A short key may come out unchanged.
  for (let round = 0; ; round++) {
    const digest = createHash("shake256", { outputLength: secret.length });
    const steps = digest.update(`${round} invalid key ${real}`).digest();
    const drawn = prefix + replaced(secret, (_index, size, place) => (steps[place] ?? 0) % size);
    if (drawn !== real) return drawn;
  }
}

/**
 * Invalid keys that begin like a real one: cut off, and with another end. None for a short key, see `cutKey`.
 * @param valid keys that must not be among them
 */
export function keysThatBeginLike(real: string, valid: readonly (string | undefined)[]): string[] {
  const cut = cutKey(real);
  if (cut === undefined) return [];
  const [first = "", ...others] = invalidKey(real).slice(cut.length);
  // In base64, a change of the last character alone may mean nothing, so the first one always changes.
  const changed = first === real.charAt(cut.length) ? shifted(first, 1) : first;
  return [cut, [cut, changed, ...others].join("")].filter((key) => !valid.includes(key));
}

/** A GTIN of the same length, most likely of no product: the item digits are shifted, the prefix stays. */
export function neighbouringGtin(gtin: string): string {
  const body = gtin.slice(0, -1);
  const digits = body.slice(0, -4) + String((Number(body.slice(-4)) + 4999) % 10_000).padStart(4, "0");
  return digits + checkDigit(digits);
}

/** A GTIN that differs in both of its first two digits only; the check digit is right too. */
export function otherFirstDigits(gtin: string): string | undefined {
  const rest = gtin.slice(2, -1);
  const digits = [..."8765432190"];
  return digits
    .flatMap((first) => digits.map((second) => first + second))
    .filter((pair) => pair[0] !== gtin[0] && pair[1] !== gtin[1])
    .map((pair) => pair + rest + checkDigit(pair + rest))
    .find((other) => other.at(-1) === gtin.at(-1));
}

/** The URL of a page on the same site without a product. */
export function unknownUrl(real: string): string {
  return new URL("/there-is-no-such-product-page-here", real).href;
}

/** The page with an unknown id, or a page of the site without a product if no word of the URL is the id. */
export function unknownPage({ url, productId }: Pick<UrlFixture, "url" | "productId">): {
  readonly page: string;
  readonly id: string | undefined;
} {
  const [id = ""] = unknownProductIds(productId);
  const [site = ""] = url.match(/^([a-z][\w+.-]*:)?\/*[^/?#]*/i) ?? [];
  const rest = url.slice(site.length);
  for (const written of [encodeURIComponent, String]) {
    const known = written(productId);
    const at = rest.lastIndexOf(known);
    const around = `${rest.charAt(at - 1)}${rest.charAt(at + known.length)}`;
    if (at >= 0 && !/[\p{L}\p{N}]/u.test(around))
      return { page: site + rest.replaceAll(known, () => written(id)), id };
  }
  return { page: unknownUrl(url), id: undefined };
}

/** The same path on a site that belongs to no retailer. */
export function onUnknownSite(real: string): string {
  const { pathname, search, hash } = new URL(real);
  return `https://no-such-retailer.example${pathname}${search}${hash}`;
}

function shifted(text: string, step: number): string {
  return replaced(text, (index, size) => (index + step) % size);
}

// Digits become digits, letters become letters of the same case, and all else stays, so the form is kept.
function replaced(text: string, draw: (index: number, size: number, place: number) => number): string {
  return text.replace(/[0-9a-zA-Z]/g, (character, place: number) => {
    const [first, size] = /\d/.test(character) ? ["0", 10] : /[a-z]/.test(character) ? ["a", 26] : ["A", 26];
    const base = first.charCodeAt(0);
    return String.fromCharCode(base + draw(character.charCodeAt(0) - base, size, place));
  });
}
