import type { ProductFixture } from "./fixtures.ts";

// Products that cover all kinds of identifiers, retailers and missing fields: a service may fail on one kind
// of character only.

/** Kinds of each identifier. */
const kinds = {
  product_id: {
    slash: /\//,
    dot: /\./,
    blank: /\s/,
    plus: /\+/,
    percent: /%/,
    ampersand: /&/,
    semicolon: /;/,
    "question-mark": /\?/,
    hash: /#/,
    "other-punctuation": /[\\'"`,:!$()*<=>@[\]^{|}~]/,
    "non-ascii": /[^\0-\x7f]/,
    "leading-zero": /^0./,
    "mixed-case": /\p{Lu}.*\p{Ll}|\p{Ll}.*\p{Lu}/u,
    "odd-end": /^[^\p{L}\p{N}]|[^\p{L}\p{N}]$/u,
    long: /.{41}/s,
  },
  product_url: {
    query: /\?/,
    "two-parameters": /\?.*&/,
    fragment: /#/,
    "percent-encoded": /%[0-9a-f]{2}/i,
    // Decoded once more, these mean something else; servers treat an encoded slash in their own way.
    "encoded-delimiter": /%(?:2[3567bf]|3[adf])/i,
    "non-ascii": /[^\0-\x7f]/,
    "upper-case": /^[^/]*\/\/.*[A-Z]/,
    "trailing-slash": /\/$/,
    port: /^[^/]*\/\/[^/]*:\d/,
    "plain-http": /^http:/i,
  },
  gtin: {
    "8-digits": /^.{8}$/,
    "12-digits": /^.{12}$/,
    "13-digits": /^.{13}$/,
    "14-digits": /^.{14}$/,
    "leading-zero": /^0/,
    "check-digit-zero": /0$/,
  },
} as const satisfies Record<string, Record<string, RegExp>>;

export function kindsIn(of: keyof typeof kinds, text: string): string[] {
  return Object.entries<RegExp>(kinds[of]).flatMap(([kind, pattern]) => (pattern.test(text) ? [kind] : []));
}

/** The kinds of an identifier of a product, and its retailer, where other ones may be handled in another way. */
export function kindsOf(
  { retailer }: Pick<ProductFixture, "retailer">,
  of: keyof typeof kinds,
  text: string,
): string[] {
  return [`of ${retailer}`, ...kindsIn(of, text)];
}

/**
 * At most `most` that cover every kind, of which `coveredBy` names each once: greedily, what adds most kinds
 * first, the earlier one of equals.
 */
export function covering<T>(all: readonly T[], coveredBy: (one: T) => readonly string[], most: number): T[] {
  const candidates = all.map((one) => ({ one, kinds: coveredBy(one) }));
  const chosen: T[] = [];
  const covered = new Set<string>();
  while (chosen.length < most) {
    let best: (typeof candidates)[number] | undefined;
    let gain = 0;
    for (const candidate of candidates) {
      // Counting is quicker than `difference`, which makes a set for each candidate.
      let adds = 0;
      for (const kind of candidate.kinds) if (!covered.has(kind)) adds++;
      if (adds > gain) [best, gain] = [candidate, adds];
    }
    if (best === undefined) break;
    chosen.push(best.one);
    for (const kind of best.kinds) covered.add(kind);
  }
  return chosen;
}

/**
 * As few products as possible that lack as many fields as possible: a service may put null or an empty string
 * in their place (spec: "omitted").
 */
export function sparsest<T extends Pick<ProductFixture, "product">>(
  products: readonly T[],
  most: number,
): T[] {
  const fields = [...new Set(products.flatMap(({ product }) => Object.keys(product)))];
  const lackedBy = ({ product }: T) => fields.filter((field) => !Object.hasOwn(product, field));
  return covering(products, lackedBy, most);
}

/** The same products with one of each retailer first, so that a prefix covers all retailers. */
export function oneOfEachRetailerFirst<T extends Pick<ProductFixture, "retailer">>(
  products: readonly T[],
): T[] {
  const seen = new Set<string>();
  const firsts = new Set(products.filter(({ retailer }) => !seen.has(retailer) && seen.add(retailer)));
  return [...firsts, ...products.filter((product) => !firsts.has(product))];
}
