import type { Coverage } from "../contracts/discovered.ts";
import { capitalized, listed } from "./format.ts";

const names: Readonly<Record<Coverage["of"], string>> = {
  product_id: "product ids",
  product_url: "page URLs",
  gtin: "GTINs",
};

/** What is unusual about an identifier. */
const kinds = {
  slash: "a slash",
  backslash: "a backslash",
  dot: "a dot",
  blank: "a space",
  plus: "a plus",
  percent: "a percent sign",
  ampersand: "an ampersand",
  semicolon: "a semicolon",
  colon: "a colon",
  comma: "a comma",
  quote: "a quote",
  "question-mark": "a question mark",
  hash: "a hash",
  "other-punctuation": "other punctuation",
  "non-ascii": "characters beyond ASCII",
  emoji: "an emoji",
  decomposed: "combining characters",
  "digits-only": "digits only",
  "leading-zero": "a leading zero",
  "mixed-case": "upper and lower case",
  "lower-case": "lower case only",
  "odd-end": "punctuation at an end",
  long: "more than 40 characters",
  query: "a query",
  "two-parameters": "several parameters",
  fragment: "a fragment",
  "percent-encoded": "percent-encoding",
  "encoded-slash": "an encoded slash",
  "encoded-delimiter": "another encoded delimiter",
  "upper-case-host": "an upper-case host",
  "upper-case-path": "upper case in the path",
  "trailing-slash": "a slash at the end",
  port: "a port",
  "plain-http": "plain HTTP",
  "8-digits": "8 digits",
  "12-digits": "12 digits",
  "13-digits": "13 digits",
  "14-digits": "14 digits",
} as const satisfies Record<Coverage["kind"], string>;

/**
 * For each kind of identifier: the unusual forms that were looked up, and those that this catalog does not have.
 */
export function coverageLines(
  coverage: readonly Coverage[],
): { readonly name: string; readonly text: string }[] {
  return [...Map.groupBy(coverage, ({ of }) => of)].map(([of, all]) => {
    const nameOf = ({ kind }: Coverage) => kinds[kind];
    const asked = all.filter((one) => one.asked > 0);
    const notLookedUp = all.filter((one) => one.asked === 0 && one.seen > 0);
    const missing = all.filter((one) => one.seen === 0);
    const sentences = [
      asked.length === 0 ? "No unusual ones were tried." : `Tried: with ${listed(asked.map(nameOf))}.`,
      notLookedUp.length === 0 ? "" : `Seen, but not tried: with ${listed(notLookedUp.map(nameOf))}.`,
      missing.length === 0 ? "" : `Not in this catalog: ${listed(missing.map(nameOf))}.`,
    ];
    return { name: capitalized(names[of]), text: sentences.filter((text) => text !== "").join(" ") };
  });
}
