import { expect, test } from "vitest";
import type { Trial } from "../../proof/trial.ts";
import { plainStyle } from "../report/terminal.ts";
import { assembleProof, renderProof } from "./proof-report.ts";

const trial = (change: Partial<Trial> = {}): Trial => ({
  kind: "fault",
  name: "limit-ignored",
  seed: 1,
  scope: "whole suite",
  verdict: "caught",
  failed: ["query.limit/1", "query.limit/3"],
  findings: [],
  requests: 500,
  milliseconds: 900,
  ...change,
});

const frame = {
  seeds: [1, 2],
  planned: 2,
  startedAt: new Date(0),
  finishedAt: new Date(1000),
  interrupted: false,
  updates: false,
};

test.each<[string, Trial[], Partial<typeof frame>, number]>([
  ["all as expected", [trial(), trial({ seed: 2 })], {}, 0],
  ["one missed", [trial(), trial({ verdict: "missed" })], {}, 1],
  ["one that differs from the snapshot", [trial(), trial({ verdict: "differs" })], {}, 1],
  ["one that differs, and updates it", [trial(), trial({ verdict: "differs" })], { updates: true }, 0],
  ["one that is missed, and updates it", [trial(), trial({ verdict: "missed" })], { updates: true }, 1],
  ["one with an error of the harness", [trial(), trial({ verdict: "harness-error" })], {}, 1],
  ["one that was unproven", [trial(), trial({ verdict: "unproven" })], {}, 0],
  ["one that was not run", [trial()], {}, 1],
  ["interrupted", [trial()], { interrupted: true }, 130],
])("%s", (_name, trials, change, exitCode) => {
  expect(assembleProof({ ...frame, ...change }, trials).exitCode).toBe(exitCode);
});

test("a proof is a table with a line for each fault and, below it, the problems of each seed", () => {
  const missed = trial({
    name: "null-field",
    seed: 2,
    verdict: "missed",
    failed: [],
    findings: [
      {
        problem: "missed",
        check: "service.omitted-fields/every-product",
        verdict: "pass",
        detail: "\u001b[31mok",
      },
    ],
  });
  const report = assembleProof({ ...frame, planned: 3 }, [missed, trial(), trial({ seed: 2 })]);
  const text = renderProof(report, plainStyle());
  expect(text).toContain("  limit-ignored  caught              query.limit/1, query.limit/3\n");
  expect(text).toContain(
    "  null-field     missed\n      seed 2: service.omitted-fields/every-product must fail; its verdict: passed. \\u{1b}[31mok\n",
  );
  expect(text).toContain("3 of 3 trials, seed 1, 2: 2 caught, 1 missed.");
  expect(text).toContain("proof --only null-field --seed 2");
  expect(text.split("\n").filter((line) => line.length > 100)).toEqual([]);
});
