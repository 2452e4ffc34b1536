import { endpointLabel } from "../../../../schemas/api.ts";
import type { FieldNames } from "../../../../schemas/contracts/field-names.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { grouped } from "../../../../schemas/words/format.ts";
import { code } from "../../../../schemas/words/values.ts";
import type { Suite, Table } from "../../model.ts";

type FoundAtTarget = Results["discovered"];

const fieldNameLabels = {
  batchRequestField: "Batch request field",
  batchFoundField: "Batch found list",
  batchFoundProduct: "Product in a found entry",
  gtin: "GTIN of a product",
} as const satisfies Record<keyof FieldNames, string>;

/** Results of the discovery: retailers, field names that the spec leaves open, missing fixtures, fields, statuses. */
export function discoveredSuite(discovered: FoundAtTarget): Suite {
  return {
    id: "discovered",
    title: "Discovered",
    tone: "plain",
    summary: "",
    items: [],
    tables: [fixtureTable(discovered), fieldTable(discovered), statusTable(discovered)].filter(
      ({ rows }) => rows.length > 0,
    ),
    lines: factLines(discovered),
    charts: [],
  };
}

function factLines({ retailers, dialect, rateLimit }: FoundAtTarget): string[] {
  const { refused, accepted, longestRetryAfterSeconds: longest } = rateLimit;
  const facts: (readonly [string, string | undefined])[] = [
    ["Retailers", retailers.length === 0 ? "none" : retailers.map((slug) => code(slug)).join(", ")],
    ...Object.entries(dialect).map(([name, value]): [string, string] => [
      fieldNameLabels[name as keyof FieldNames],
      value === "" ? "the body itself" : code(value),
    ]),
    ["429 responses", grouped(refused)],
    ["Accepted before the first 429", accepted === undefined ? undefined : grouped(accepted)],
    ["Longest Retry-After", longest === undefined ? undefined : `${longest} s`],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
}

function fixtureTable({ fixtures }: FoundAtTarget): Table {
  return {
    title: "What the checks and load runs need",
    head: ["fixture", "found", "value, or how to get it"],
    rows: fixtures.map(({ name, value = "", missing, doubt = missing }) => {
      if (doubt === undefined)
        return { tone: "good", cells: [name, "found", value === "" ? "" : code(value)] };
      const { message, fix } = doubt;
      return {
        tone: "unsure",
        cells: [
          name,
          missing === undefined ? "unclear" : "missing",
          fix === undefined ? message : `${message} ${fix}`,
        ],
      };
    }),
  };
}

function fieldTable({ fields, fieldsByRetailer = {} }: FoundAtTarget): Table {
  const retailers = Object.entries(fieldsByRetailer);
  return {
    title: "How many of the seen products have each field",
    head: [
      "field",
      "all",
      ...retailers.map(([slug, { products }]) => `${code(slug)} (of ${grouped(products)})`),
    ],
    figures: [1, ...retailers.map((_, at) => at + 2)],
    rows: Object.entries(fields).map(([path, count]) => ({
      cells: [
        code(path),
        grouped(count),
        ...retailers.map(([, seen]) =>
          grouped(Object.hasOwn(seen.fields, path) ? (seen.fields[path] ?? 0) : 0),
        ),
      ],
    })),
  };
}

function statusTable({ statuses = {} }: FoundAtTarget): Table {
  return {
    title: "Responses by endpoint and status",
    head: ["endpoint", "responses"],
    rows: Object.entries(statuses).map(([endpoint, counts]) => ({
      cells: [
        endpointLabel(endpoint),
        Object.entries(counts)
          .map(([status, count]) => `${status}: ${grouped(count)}`)
          .join(", "),
      ],
    })),
  };
}
