import { describe, expect, test } from "vitest";
import { endingOf, fits, withMarks } from "./blamed.ts";

test("an ending is the exit code and what failed", () => {
  const failed = ["errors.shape", "errors.shape", "load lookup failed-requests"];
  expect(endingOf({ exit: 1, failed })).toEqual(["exit 1", "errors.shape", "load lookup failed-requests"]);
});

describe("a line", () => {
  const line = ["exit 1", "errors.shape", "~limits.rate"];

  test.each([
    ["the same", true, ["exit 1", "errors.shape", "limits.rate"]],
    ["without what comes and goes", true, ["exit 1", "errors.shape"]],
    ["another exit code", false, ["exit 3", "errors.shape"]],
    ["something more", false, ["exit 1", "errors.shape", "page.count"]],
    ["something less", false, ["exit 1", "limits.rate"]],
  ])("%s: %s", (_name, isAllowed, now) => {
    expect(fits(line, now)).toBe(isAllowed);
  });

  test("gets marks for what differs, and then allows both", () => {
    const now = ["exit 4", "limits.rate"];
    const marked = withMarks(line, now);
    expect(marked).toEqual(["~exit 1", "~errors.shape", "~limits.rate", "~exit 4"]);
    expect([fits(marked, now), fits(marked, ["exit 1", "errors.shape"])]).toEqual([true, true]);
  });
});
