import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { compiledOnce } from "./compile-schema.ts";

const folder = new URL("../../schemas/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".schema.json"));

describe("compiledOnce", () => {
  test("compiles at the first call, and only then", () => {
    const compiled = compiledOnce<string>({ type: "string" }, {});
    expect(compiled()).toBe(compiled());
    expect(compiled()("text")).toBe(true);
    expect(compiled()(1)).toBe(false);
  });

  test("rejects a schema with an unknown keyword when it is needed", () => {
    const compiled = compiledOnce({ type: "string", shortest: 1 }, {});
    expect(compiled).toThrow(/unknown keyword.*shortest/);
  });
});

test.for(files)("%s is a valid JSON Schema, which a run does not validate again", (name) => {
  const schema = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
  const ajv = new Ajv2020();
  expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
});
