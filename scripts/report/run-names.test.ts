import { expect, test } from "vitest";
import { exampleResults } from "../../test/support/samples/example.ts";
import { namedRun } from "./run-names.ts";

test("the commit is short, and the machine is named", () => {
  const environment = { host: "4 cores", node: "26.10.0", commit: "9f3c1de5b7a2" };
  const one = namedRun({ name: "one", results: exampleResults({ environment }) });
  expect(one).toMatchObject({ commit: "9f3c1de", host: "4 cores" });
});

test.each([
  [{}, undefined],
  [{ scope: { requirements: 3, of: 74 } }, "3 of 74 requirements"],
  [{ command: "load" as const }, undefined],
  [{ exitCode: 130 as const }, "interrupted"],
  [{ exitCode: 3 as const, verdict: "error" as const }, "did not finish"],
])("a run of %j is whole, or says what part it is", (change, part) => {
  expect(namedRun({ name: "run", results: exampleResults(change) }).part).toBe(part);
});
