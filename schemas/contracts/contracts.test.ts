import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, expectTypeOf, test } from "vitest";
import { config } from "./config.ts";
import { batchResult, errorBody, productList, retailers } from "./responses.ts";
import * as t from "./schema.ts";

const contracts: Readonly<Record<string, t.Schema>> = {
  batchResult,
  config,
  errorBody,
  productList,
  retailers,
};

test.each(Object.keys(contracts))(
  "%s is a valid JSON Schema, which a run does not validate again",
  (name) => {
    const ajv = new Ajv2020({ allowUnionTypes: true, formats: { date: true } });
    expect(() => ajv.compile(t.documentOf(contracts[name] ?? {}))).not.toThrow();
  },
);

test("a change of a contract shows in contracts.snapshot.txt", async () => {
  const all = t.documentOf({ properties: contracts });
  const lines = Object.entries({ ...(all.$defs as t.Keywords), ...(all.properties as t.Keywords) })
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, schema]) => linesOf(name, schema as t.Keywords));
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("contracts.snapshot.txt");
});

/** One line for each place in a schema, with its keywords; without descriptions, which the test of words reads. */
function linesOf(path: string, schema: t.Keywords): string[] {
  const { description: _, properties = {}, required = [], items, ...rest } = schema;
  const keywords = Object.entries(rest).map(([keyword, value]) => `${keyword} ${JSON.stringify(value)}`);
  const fields = Object.entries(properties as Record<string, t.Keywords | false>).flatMap(([name, field]) =>
    field === false
      ? []
      : linesOf(`${path}.${name}${(required as string[]).includes(name) ? "" : "?"}`, field),
  );
  return [
    `${path}: ${keywords.join(", ")}`,
    ...fields,
    ...(items === undefined ? [] : linesOf(`${path}[]`, items as t.Keywords)),
  ];
}

describe("a schema", () => {
  const size = t.named("Size", t.choice(["small", "large"], "Of a shirt."));
  const shirt = t.object({ size, "name?": t.string() }, "A shirt.");

  test("has the type of what it accepts", () => {
    expectTypeOf<t.Static<typeof shirt>>().toEqualTypeOf<{
      size: "small" | "large";
      name?: string;
    }>();
  });

  test("becomes a document in which each named part is defined once", () => {
    expect(t.documentOf({ anyOf: [shirt, size] })).toEqual({
      anyOf: [
        {
          description: "A shirt.",
          type: "object",
          properties: { size: { $ref: "#/$defs/Size" }, name: { type: "string" } },
          required: ["size"],
          additionalProperties: false,
        },
        { $ref: "#/$defs/Size" },
      ],
      $defs: { Size: { enum: ["small", "large"], description: "Of a shirt." } },
    });
  });
});
