import { expect, test } from "vitest";
import { expectedOf, parseSnapshot, snapshotText, updatedSnapshot } from "./snapshot.ts";
import type { Trial } from "./trial.ts";

const written = (...lines: string[]) => snapshotText(parseSnapshot(lines.join("\n")), ["one", "two"]);
const linesOf = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

const trial = (name: string, failed: string[], failedBefore?: string[]): Trial => ({
  kind: "fault",
  name,
  scope: "whole suite",
  verdict: "differs",
  failed,
  ...(failedBefore && { failedBefore }),
  findings: [],
});

test("is read as it is written, with a line for each fault of the tables", () => {
  const lines = ["fault one: a.x ?b.y", "fault two:"];
  expect(linesOf(written(...lines))).toEqual(lines);
  expect(linesOf(written("fault one: a.x", "fault gone: a.x"))).toEqual(["fault one: a.x", "fault two:"]);
});

test("says what fails", () => {
  const snapshot = parseSnapshot("fault one: a.x ?b.y");
  expect(expectedOf(snapshot, "one")).toEqual({ always: ["a.x"], atTimes: ["b.y"] });
  expect(expectedOf(snapshot, "two")).toEqual({ always: [], atTimes: [] });
});

test.each<[string, string, Trial[], string]>([
  ["found", "", [trial("one", ["a.x/1"])], "a.x"],
  ["no longer found", "a.x b.y", [trial("one", ["a.x/1"])], "a.x"],
  ["in one attempt only", "", [trial("one", [], ["a.x/1"])], "?a.x"],
  ["a mark stays", "?a.x ?b.y", [trial("one", ["a.x/1"])], "?a.x ?b.y"],
  ["an error of the harness", "a.x", [{ ...trial("one", []), verdict: "harness-error" }], "a.x"],
])("an update: %s", (_name, before, trials, after) => {
  const updated = updatedSnapshot(parseSnapshot(`fault one: ${before}`.trim()), trials);
  expect(linesOf(snapshotText(updated, ["one"]))[0]).toBe(`fault one: ${after}`);
});
