import type { SharedFields } from "../contracts/finding-fields.ts";
import { category, labelOf, oneOf, type Tallies, tallies } from "./finding-fields.ts";
import { says } from "./finding-words.ts";
import { capitalized, counted, listed } from "./format.ts";

/** The words of allowed readings that were seen, and of how much was checked. */
export const readingWords = {
  answered: says<{ expected?: readonly number[] | undefined; actual: number }>({
    text: ({ expected, actual }) => {
      const others = expected?.filter((one) => one !== actual) ?? [];
      const allowed = others.length === 0 ? "" : ` (${oneOf(others)} would be allowed too)`;
      return `Returned ${actual}${allowed}.`;
    },
  }),
  checked: says<{ details?: { endpoints: string[] } | undefined }>({
    text: ({ seen, details }) => {
      const ways = details?.endpoints.map(labelOf) ?? [];
      const on = ways.length === 0 ? "" : `: ${listed(ways)}`;
      return `${counted(seen?.count ?? 0, seenNoun(seen))} checked${on}.`;
    },
  }),
  "walk-ended": says<{ subject: string; details?: { products: number } | undefined }>({
    text: (finding) =>
      `${capitalized(category(finding))} ends after ${counted(finding.seen?.count ?? 0, "page")}${
        finding.details === undefined ? "" : ` with ${counted(finding.details.products, "product")}`
      }.`,
  }),
  "limit-reached": says({
    text: ({ seen }) => `The rate limit was reached within ${counted(seen?.count ?? 0, "request")}.`,
  }),
  "accepted-after-wait": says<{ actual: number }>({
    text: ({ actual }) => `Accepted after waiting the ${actual} s given in Retry-After.`,
  }),
  "limit-tally": says<Tallies>({ text: (finding) => `At the limit, ${tallies(finding)}.` }),
};
function seenNoun(seen: SharedFields["seen"]): string {
  return (seen?.of ?? "responses").slice(0, -1);
}
