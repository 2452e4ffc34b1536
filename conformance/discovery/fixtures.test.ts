import { expect, test } from "vitest";
import { NotJudged } from "../requirements/outcome.ts";
import { absent, need, needPart, present } from "./fixtures.ts";

const missing = { code: "no-same-org-key" } as const;

test("a present value is returned, also a falsy one", () => {
  for (const value of [0, "", false, []]) expect(need(present(value))).toBe(value);
  expect(needPart("", missing)).toBe("");
});

test.each([
  ["fixture", () => need(absent(missing))],
  ["part of a fixture", () => needPart(undefined, missing)],
])("an absent %s is not judged, with its reason", (_name, take) => {
  expect(take).toThrow(NotJudged);
  expect(take).toThrow(expect.objectContaining({ finding: missing }));
});
