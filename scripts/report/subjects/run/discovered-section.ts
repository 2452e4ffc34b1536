import { endpointLabel } from "../../../../schemas/api.ts";
import type { FieldNames } from "../../../../schemas/contracts/field-names.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { grouped } from "../../../../schemas/words/format.ts";
import { line, names, type SectionBlock, type TableBlock, type Text } from "../../document.ts";
import type { Tone } from "../../tones.ts";
import { textOf } from "./requirements.ts";

const fieldNameLabels = {
  batchRequestField: "Batch request field",
  batchFoundField: "Batch found list",
  batchFoundProduct: "Product in a found entry",
  gtin: "GTIN of a product",
} as const satisfies Record<keyof FieldNames, string>;

/** Results of the discovery: retailers, field names that the spec leaves open, missing fixtures, fields, statuses. */
export function discoveredSection(discovered: Results["discovered"]): SectionBlock {
  const {
    retailers,
    dialect,
    fields,
    fieldsByRetailer = {},
    rateLimit,
    fixtures,
    statuses = {},
  } = discovered;
  const { refused, accepted, longestRetryAfterSeconds: longest } = rateLimit;
  return {
    kind: "section",
    id: "discovered",
    title: "Discovered",
    blocks: [
      {
        kind: "facts",
        facts: [
          ["Retailers", retailers.length === 0 ? "none" : names(retailers)],
          ...Object.entries(dialect).map(([name, value]): [string, Text] => [
            fieldNameLabels[name as keyof FieldNames],
            value === "" ? "the body itself" : { code: value },
          ]),
          ["429 responses", { own: grouped(refused) }],
          ["Accepted before the first 429", accepted === undefined ? undefined : { own: grouped(accepted) }],
          ["Longest Retry-After", longest === undefined ? undefined : { own: `${longest} s` }],
        ],
      },
      fixtureTable(fixtures),
      { kind: "fold", title: "Fields of products", blocks: [fieldTable(fields, fieldsByRetailer)] },
      {
        kind: "fold",
        title: "Responses by endpoint and status",
        blocks: [
          {
            kind: "table",
            caption: "Responses by endpoint and status",
            columns: ["endpoint", "responses"],
            rows: Object.entries(statuses).map(([endpoint, counts]) => {
              const all = Object.entries(counts).map(([status, count]) => `${status}: ${grouped(count)}`);
              return { cells: [endpointLabel(endpoint), { own: all.slice(0, 50).join(", ") }] };
            }),
          },
        ],
      },
    ],
  };
}

function fixtureTable(fixtures: Results["discovered"]["fixtures"]): TableBlock {
  return {
    kind: "table",
    caption: "What the checks and load runs need",
    columns: ["fixture", "found", "value, or how to get it"],
    inLines: true,
    rows: fixtures.map(({ name, value = "", missing, doubt = missing }) => {
      const [tone, label]: [Tone, string] =
        doubt === undefined ? ["good", "found"] : ["unsure", missing === undefined ? "unclear" : "missing"];
      const shown = doubt === undefined ? value : textOf(doubt);
      return {
        cells: [name, { tone, label }, shown],
        sentence: line`${{ tone, label }}: ${name}${{ own: shown === "" ? "" : ": " }}${shown}`,
      };
    }),
  };
}

function fieldTable(
  fields: Results["discovered"]["fields"],
  byRetailer: NonNullable<Results["discovered"]["fieldsByRetailer"]>,
): TableBlock {
  const retailers = Object.entries(byRetailer).slice(0, 30);
  return {
    kind: "table",
    caption: "How many of the seen products have each field",
    columns: [
      "field",
      "all",
      ...retailers.map(([slug, { products }]) => ({ head: [{ own: `${slug} (of ${grouped(products)})` }] })),
    ],
    rows: Object.entries(fields).map(([path, count]) => ({
      cells: [
        { code: path },
        { own: grouped(count) },
        ...retailers.map(([, seen]) => ({
          own: grouped(Object.hasOwn(seen.fields, path) ? (seen.fields[path] ?? 0) : 0),
        })),
      ],
    })),
  };
}
