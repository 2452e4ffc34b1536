import type { ValueChange } from "../../schemas/contracts/vocabulary.ts";
import { unknownProductIds } from "../discovery/unknown-values.ts";
import { checkDigit, otherFirstDigits } from "../response/gtin.ts";
import { inOtherCase } from "./check/inputs.ts";

// How each value of a request is changed a little. It must then get its error, never somebody's product.

/** Values that a change makes of a known one; none where it does not fit. */
export type Changes = Readonly<Partial<Record<ValueChange, readonly string[]>>>;

interface Changed {
  readonly change: ValueChange;
  readonly value: string;
}

/** Every changed value once, without those that equal the known one or have half a character. */
export function changedFrom(known: string, changes: Changes): Changed[] {
  const all = Object.entries(changes).flatMap(([change, values]) =>
    (values ?? []).map((value) => ({ change: change as ValueChange, value })),
  );
  const values = new Set([known]);
  return all.filter(
    ({ value }) => value.trim() !== "" && value.isWellFormed() && values.size < values.add(value).size,
  );
}

/** Slugs that are almost a known one; what exists is left out. */
export function slugChanges(slug: string, listed: readonly string[]) {
  const unlisted = (...slugs: readonly string[]) =>
    slugs.filter((one) => one.length > 1 && !listed.includes(one));
  return {
    cut: unlisted(slug.slice(0, -1)),
    normalised: unlisted(slug.replaceAll(/[^\p{L}\p{N}]/gu, ""), `${slug}-`).slice(0, 1),
    prefix: unlisted(`x${slug}`),
    suffix: unlisted(`${slug}x`),
    wildcard: [`${slug.slice(0, -1)}_`, "%"],
    "decoded-twice": encodedFirst(slug),
  } satisfies Changes;
}

export function idChanges(id: string): Changes {
  return {
    suffix: [";x", "?x", ".", "\0"].map((tail) => id + tail),
    cut: [id.slice(0, -1)],
    wildcard: [`${id.slice(0, -1)}_`],
    "decoded-twice": encodedFirst(id),
  };
}

/** What a service may take for the same id: a number as another form of it, and a plus in place of a blank. */
export function idForms(id: string): Changes {
  return /^\d+$/.test(id)
    ? { "leading-zero": [`0${id}`], fraction: [`${id}.0`] }
    : { plus: [id.replaceAll(" ", "+")] };
}

/** A text whose first character is percent-encoded, where it has an ordinary one. */
function encodedFirst(text: string): string[] {
  return /^[\w-]/.test(text) ? [`%${text.charCodeAt(0).toString(16)}${text.slice(1)}`] : [];
}

export function gtinChanges(gtin: string): Changes {
  return {
    cut: [gtin.slice(0, -1)],
    "check-digit": [gtin.slice(0, -1) + String((Number(checkDigit(gtin.slice(0, -1))) + 3) % 10)],
    "more-digits": [`${gtin}00`],
    "first-digits": otherFirstDigits(gtin).slice(0, 1),
    // Of the codes that are similar to GTINs, an ISBN may end with an X.
    suffix: [`${gtin}q`],
    "blank-inside": [`${gtin.slice(0, 1)} ${gtin.slice(1)}`],
  };
}

/** Hosts that end or begin like a known one, or have it before an @. */
export function hostChanges(url: string): Changes {
  const parts = URL.parse(url);
  if (parts === null) return {};
  const on = (authority: string) => url.replace(parts.host, () => authority);
  // Before a host of more labels, any text makes a host of the same domain.
  const domain = parts.hostname.split(".").slice(-2).join(".");
  return {
    prefix: [on(`not${domain}`)],
    suffix: [on(`${parts.hostname}.no-such-retailer.example`)],
    "in-user-info": [on(`${parts.hostname}@no-such-retailer.example`)],
  };
}

/** The same page in another case, on another retailer's site, and a page of the same form with another number or id. */
export function pageChanges(url: string, productId: string, sites: readonly string[]): Changes {
  const parts = URL.parse(url);
  if (parts === null) return {};
  const other = sites.find((host) => host !== parts.host);
  const withoutScheme = url.slice(parts.protocol.length + 2 + parts.host.length);
  const page = ofOtherProduct(withoutScheme, productId);
  return {
    "other-case": [url.replace(/(?<=:\/\/)[^/?#]+/, inOtherCase)],
    "other-retailer": other === undefined ? [] : [url.replace(parts.host, () => other)],
    // Without its last character, a page that ends with the id is another one.
    cut: url.endsWith(productId) && productId.length > 2 ? [url.slice(0, -1)] : [],
    neighbour: page === withoutScheme ? [] : [url.slice(0, -withoutScheme.length) + page],
  };
}

/**
 * A page with another id in place of the product's, or of the same number without zeros. Other parts of a URL may be a title
 * or a trace of the visitor, which a service ignores.
 */
function ofOtherProduct(page: string, productId: string): string {
  const [unknown = ""] = unknownProductIds(productId);
  if (page.includes(productId)) return page.replaceAll(productId, () => unknown);
  const number = /^\d+$/.test(productId) ? BigInt(productId).toString() : undefined;
  return number === undefined
    ? page
    : page.replaceAll(/\d+/g, (digits) => (digits === number ? `${digits}9973` : digits));
}
