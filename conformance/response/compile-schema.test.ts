import { describe, expect, test } from "vitest";
import {
  array,
  choice,
  custom,
  literal,
  named,
  number,
  object,
  optional,
} from "../../schemas/contracts/schema.ts";
import { compiledOnce } from "./compile-schema.ts";

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

describe("several forms", () => {
  const letter = named("Letter", choice(["a", "b"]));
  const shape = custom<unknown>({
    type: "object",
    discriminator: { propertyName: "kind" },
    oneOf: [
      object({ kind: literal("circle"), radius: number() }),
      object({ kind: literal("square"), side: number(), name: optional(letter) }),
    ],
  });
  const accepts = compiledOnce(array(shape), {});

  test.each<[unknown, boolean]>([
    [{ kind: "circle", radius: 1 }, true],
    [{ kind: "square", side: 1, name: "a" }, true],
    [{ kind: "square", side: 1, name: "c" }, false],
    [{ kind: "square", radius: 1 }, false],
    [{ kind: "triangle" }, false],
    [{}, false],
  ])("%j fits one of them: %s", (value, fits) => {
    expect(accepts()([value])).toBe(fits);
  });
});
