import { category, labelOf, oneOf, type Tallies, tallies } from "./finding-fields.ts";
import { says } from "./finding-words.ts";
import { capitalized, counted, listed, often } from "./format.ts";

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
      return `${often(seen)} checked${on}.`;
    },
  }),
  "walk-ended": says<{ subject: string; details?: { products: number } | undefined }>({
    text: (finding) =>
      `${capitalized(category(finding))} ends after ${often(finding.seen)}${
        finding.details === undefined ? "" : ` with ${counted(finding.details.products, "product")}`
      }.`,
  }),
  "limit-reached": says({
    text: ({ seen }) => `The rate limit was reached within ${often(seen)}.`,
  }),
  "accepted-after-wait": says<{ actual: number }>({
    text: ({ actual }) => `Accepted after waiting the ${actual} s given in Retry-After.`,
  }),
  "limit-tally": says<Tallies>({ text: (finding) => `At the limit, ${tallies(finding)}.` }),
};
