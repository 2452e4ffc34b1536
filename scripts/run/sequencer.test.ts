import { expect, test } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { SuiteSequencer } from "./sequencer.ts";

const namesOf = async (...names: readonly string[]) => {
  const files = names.map((name) => ({ moduleId: `/repository/${name}` }) as TestSpecification);
  const sorted = await new SuiteSequencer({} as Vitest).sort(files);
  return sorted.map(({ moduleId }) => moduleId.slice("/repository/".length));
};

test("the checks that provoke the limit come after all others, and the rules on every answer last", async () => {
  const suite = "conformance/suite";
  expect(
    await namesOf(
      `${suite}/every-answer.check.ts`,
      `${suite}/versioning.check.ts`,
      `${suite}/limits.check.ts`,
      `${suite}/authentication.check.ts`,
    ),
  ).toEqual([
    `${suite}/authentication.check.ts`,
    `${suite}/versioning.check.ts`,
    `${suite}/limits.check.ts`,
    `${suite}/every-answer.check.ts`,
  ]);
});

test("a file whose name only ends alike keeps its place", async () => {
  expect(await namesOf("b/no-limits.check.ts", "c.test.ts", "a/limits.check.ts")).toEqual([
    "b/no-limits.check.ts",
    "c.test.ts",
    "a/limits.check.ts",
  ]);
});
