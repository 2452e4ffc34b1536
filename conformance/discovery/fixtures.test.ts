import { expect, test } from "vitest";
import { NotJudged } from "../engine/outcome.ts";
import { absent, need, needPart, present } from "./fixtures.ts";

test("what is there is given, even when it is nothing much", () => {
  for (const value of [0, "", false, []]) expect(need(present(value))).toBe(value);
  expect(needPart("", "no reason", "no fix")).toBe("");
});

test.each([
  ["fixture", () => need(absent("no key", "Set one."))],
  ["part of a fixture", () => needPart(undefined, "no key", "Set one.")],
])("an absent %s cannot be judged, with its reason and its fix", (_name, take) => {
  expect(take).toThrow(NotJudged);
  expect(take).toThrow(expect.objectContaining({ message: "no key", fix: "Set one." }));
});
