import { endpointLabel } from "../../../../schemas/api.ts";
import type { SharedFields } from "../../../../schemas/contracts/finding-fields.ts";
import { counted, grouped, outOf } from "../../../../schemas/words/format.ts";
import { code } from "../../../../schemas/words/values.ts";

/** Maximum number of places that are named. */
const mostNamed = 4;

/** How often a finding occurred, and out of how many: `66 of 258 responses (25.6 %)`. */
export function howOften({ seen }: Pick<SharedFields, "seen">): string | undefined {
  if (seen === undefined) return undefined;
  const { count, total, of } = seen;
  if (total === undefined) return counted(count, of.slice(0, -1));
  return count === total && total > 1
    ? `all ${grouped(total)} ${of}`
    : outOf(count, total, of.slice(0, -1), of);
}

interface Place {
  readonly name: string;
  readonly count: number;
  readonly total: number;
}

/** For retailers and endpoints: `Affected products: all 23 at maison & fils, none elsewhere`. None for one place. */
export function pattern({ byRetailer = [], byEndpoint = [] }: SharedFields): string[] {
  return [
    ...patternOf(
      "Affected products",
      byRetailer.map(({ retailer, ...often }) => ({ name: code(retailer), ...often })),
    ),
    ...patternOf(
      "Affected responses",
      byEndpoint.map(({ endpoint, ...often }) => ({ name: endpointLabel(endpoint), ...often })),
    ),
  ];
}

function patternOf(noun: string, all: readonly Place[]): string[] {
  const checked = all.filter(({ total }) => total > 0);
  const share = ({ count, total }: Place) => count / total;
  const hit = checked.filter(({ count }) => count > 0).toSorted((a, b) => share(b) - share(a));
  if (hit.length === 0 || checked.length === 1) return [];
  const named = hit.slice(0, mostNamed).map(({ name, count, total }) => {
    return `${count === total ? "all" : `${grouped(count)} of`} ${grouped(total)} at ${name}`;
  });
  const more = hit.length > named.length ? [`some at ${grouped(hit.length - named.length)} more`] : [];
  const rest = hit.length < checked.length ? ["none elsewhere"] : [];
  return [`${noun}: ${[...named, ...more, ...rest].join(", ")}`];
}
