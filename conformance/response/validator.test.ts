import { expect, test } from "vitest";
import { validator } from "./validator.ts";

const inner = { $id: "inner.json", type: "object", properties: { n: { type: "integer" } } };
const problemsOf = validator(
  {
    type: "object",
    required: ["a"],
    properties: {
      a: { type: "array", items: { $ref: "inner.json" } },
      "b/c~d": { type: "string", minLength: 1 },
      e: { enum: ["x", 1] },
    },
  },
  inner,
);

test.each<[unknown, string[]]>([
  [{ a: [] }, []],
  [{ a: [{ n: 1 }], extra: null }, []],
  [null, ["the body must be object"]],
  [{}, ["the body must have required property 'a'"]],
  [{ a: [{ n: 1 }, { n: "1" }, 7] }, ["a[1].n must be integer", "a[2] must be object"]],
  [{ a: [], "b/c~d": "" }, ["b/c~d is an empty string"]],
  [{ a: [], e: "y" }, ['e must be equal to one of the allowed values ["x",1]']],
])("%j: %j", (value, problems) => {
  expect(problemsOf(value)).toEqual(problems);
});
