import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { config, judgeArguments } from "./config.ts";
import { batchResult, errorBody, productList, retailers } from "./responses.ts";
import type { Keywords, Schema } from "./schema.ts";

const contracts: Readonly<Record<string, Schema>> = {
  batchResult,
  config,
  errorBody,
  judgeArguments,
  productList,
  retailers,
};

test.each(Object.keys(contracts))(
  "%s is a valid JSON Schema, which a run does not validate again",
  (name) => {
    const ajv = new Ajv2020({ allowUnionTypes: true, formats: { date: true } });
    expect(() => ajv.compile(contracts[name] ?? {})).not.toThrow();
  },
);

test("a change of a contract shows in contracts.snapshot.txt", async () => {
  const lines = Object.entries(contracts).flatMap(([name, schema]) => linesOf(name, schema));
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("contracts.snapshot.txt");
});

/** One line for each place in a schema, with its keywords; without descriptions, which the test of words reads. */
function linesOf(path: string, schema: Keywords): string[] {
  const {
    description: _,
    properties = {},
    required = [],
    items,
    additionalProperties: others,
    ...rest
  } = schema;
  const closed = others === false ? { additionalProperties: false } : {};
  const keywords = Object.entries({ ...rest, ...closed }).map(
    ([keyword, value]) => `${keyword} ${JSON.stringify(value)}`,
  );
  const fields = Object.entries(properties as Record<string, Keywords | false>).flatMap(([name, field]) =>
    field === false
      ? []
      : linesOf(`${path}.${name}${(required as string[]).includes(name) ? "" : "?"}`, field),
  );
  return [
    `${path}: ${keywords.join(", ")}`,
    ...fields,
    ...(items === undefined ? [] : linesOf(`${path}[]`, items as Keywords)),
    ...(typeof others === "object" ? linesOf(`${path}.*`, others as Keywords) : []),
  ];
}
