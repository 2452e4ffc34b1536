import type { FieldNames } from "../../../../schemas/contracts/product.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { grouped } from "../../../../schemas/words/format.ts";
import { code } from "../../../../schemas/words/values.ts";
import { emptySuite, type Suite } from "../../model.ts";

type FoundAtTarget = Results["discovered"];
type FixtureFound = FoundAtTarget["fixtures"][number];

/** Names that the spec leaves open. */
export const fieldNameLabels = {
  batchRequestField: "Batch request field",
  batchFoundField: "Batch found list",
  batchFoundProduct: "Product in a found entry",
  gtin: "GTIN of a product",
} as const satisfies Record<keyof FieldNames, string>;

/** Results of the discovery: retailers, field names that the spec leaves open, missing fixtures, fields. */
export function discoveredSuite({ fixtures, fields, ...discovered }: FoundAtTarget): Suite {
  return {
    ...emptySuite,
    id: "discovered",
    title: "Discovered",
    tone: "plain",
    tables: [
      {
        title: "What the checks and load runs need",
        head: ["fixture", "found", "value, or how to get it"],
        rows: fixtures.map((one, at) => fixtureRow(one, fixtures.slice(0, at))),
      },
      {
        title: "How many of the seen products have each field",
        head: ["field", "products"],
        figures: [1],
        rows: Object.entries(fields).map(([path, count]) => ({ cells: [code(path), grouped(count)] })),
      },
    ].filter(({ rows }) => rows.length > 0),
    lines: factLines(discovered),
  };
}

function factLines({ retailers, dialect, rateLimit }: Omit<FoundAtTarget, "fixtures" | "fields">): string[] {
  const { refused, accepted, longestRetryAfterSeconds: longest } = rateLimit;
  const names = Object.entries(dialect) as [keyof FieldNames, string][];
  const slugs = retailers?.map((slug) => code(slug)).join(", ") ?? "unknown";
  return [
    `Retailers: ${slugs || "none"}`,
    ...names.map(([name, value]) => `${fieldNameLabels[name]}: ${fieldNameText(value)}`),
    `429 responses: ${grouped(refused)}`,
    ...(accepted === undefined ? [] : [`Accepted in a burst before any 429: ${grouped(accepted)}`]),
    ...(longest === undefined ? [] : [`Longest Retry-After: ${longest} s`]),
  ];
}

export function fieldNameText(name: string): string {
  return name === "" ? "the body itself" : code(name);
}

function fixtureRow(
  { name, value = "", missing, doubt = missing }: FixtureFound,
  above: readonly FixtureFound[],
) {
  if (doubt === undefined)
    return { tone: "good" as const, cells: [name, "found", value === "" ? "" : code(value)] };
  const found = missing === undefined ? "unclear" : "missing";
  const { message, fix = "" } = doubt;
  const first = above.find((one) => (one.doubt ?? one.missing)?.message === message);
  if (first !== undefined) return { tone: "unsure" as const, cells: [name, found, `as for ${first.name}`] };
  return { tone: "unsure" as const, cells: [name, found, `${message} ${fix}`.trim()] };
}
