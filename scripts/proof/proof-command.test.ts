import { expect, test } from "vitest";
import type { Trial } from "../../proof/trial.ts";
import { runHere } from "../../test/support/command.ts";
import { assembleProof, type Proof, proofText } from "./proof-command.ts";

const cwd = import.meta.dirname;

test("an interruption ends it, and the trials so far are printed, exit 130", async () => {
  const stop = new AbortController();
  const { exitCode, stdout } = await runHere(["proof", "--json", "--only", "slow"], {
    ...{ cwd, signal: stop.signal },
    // It prints the number of trials.
    onErrorLine: () => stop.abort(),
  });
  expect(exitCode).toBe(130);
  const report: Proof = JSON.parse(stdout);
  expect(report).toMatchObject({ exitCode: 130, planned: 1, trials: [] });
});

test.each([[["--only", "limit-ignord"], "Did you mean limit-ignored?"]])(
  "%s is refused with the reason, exit 2",
  async (argv, expected) => {
    const { exitCode, stderr } = await runHere(["proof", ...argv], { cwd });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(expected) });
  },
);

const trial = (change: Partial<Trial> = {}): Trial => ({
  kind: "fault",
  name: "limit-ignored",
  scope: "whole suite",
  verdict: "caught",
  failed: ["query.limit/1", "query.limit/3"],
  findings: [],
  ...change,
});

const ends = { interrupted: false, updates: false };

test.each<[string, Trial[], Partial<typeof ends>, number]>([
  ["all as expected", [trial(), trial()], {}, 0],
  ["one missed", [trial(), trial({ verdict: "missed" })], {}, 1],
  ["one that differs from the snapshot", [trial(), trial({ verdict: "differs" })], {}, 1],
  ["one that differs, and updates it", [trial(), trial({ verdict: "differs" })], { updates: true }, 0],
  ["one that is missed, and updates it", [trial(), trial({ verdict: "missed" })], { updates: true }, 1],
  ["one with an error of the harness", [trial(), trial({ verdict: "harness-error" })], {}, 1],
  ["one that was unproven", [trial(), trial({ verdict: "unproven" })], {}, 0],
  ["one that was not run", [trial()], {}, 1],
  ["interrupted", [trial()], { interrupted: true }, 130],
])("%s", (_name, trials, change, exitCode) => {
  expect(assembleProof({ planned: 2, trials }, { ...ends, ...change }).exitCode).toBe(exitCode);
});

test("a proof has a line for each trial and, below it, what is not as expected", () => {
  const finding = {
    problem: "missed",
    check: "service.omitted-fields/every-product",
    verdict: "pass",
    detail: "\u001b[31mok",
  } as const;
  const missed = trial({ name: "null-field", verdict: "missed", failed: [], findings: [finding] });
  const proof = assembleProof({ planned: 2, trials: [missed, trial()] }, ends);
  expect(proofText(proof).split("\n")).toEqual([
    "caught: fault limit-ignored query.limit/1 query.limit/3",
    "missed: fault null-field",
    "  service.omitted-fields/every-product must fail; its verdict: passed. ␛[31mok",
    "Exit 1: 2 of 2 trials: 1 caught, 1 missed.",
    "",
  ]);
});
