import { expect, test } from "vitest";
import { compiledOnce } from "./compile-schema.ts";

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
