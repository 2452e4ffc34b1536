import { describe, expect, test } from "vitest";
import { plainStyle } from "../report/terminal.ts";
import { selectCandidates, serviceCandidates, targetCandidates } from "./prove.ts";
import { assembleProof, renderProof } from "./report.ts";
import type { Trial } from "./trial.ts";

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
  target: "the reference service",
  seeds: [1, 2],
  planned: 2,
  startedAt: new Date(0),
  finishedAt: new Date(1000),
  everything: false,
  interrupted: false,
};

describe("the report of a proof", () => {
  test.each<[string, Trial[], Partial<typeof frame>, number]>([
    ["all as expected", [trial(), trial({ seed: 2 })], {}, 0],
    ["one missed", [trial(), trial({ verdict: "missed" })], {}, 1],
    ["one that broke", [trial(), trial({ verdict: "broke" })], {}, 1],
    ["one that the target gives no occasion for", [trial(), trial({ verdict: "unproven" })], {}, 0],
    ["one not made", [trial()], {}, 1],
    ["interrupted", [trial()], { interrupted: true }, 130],
  ])("%s", (_name, trials, change, exitCode) => {
    expect(assembleProof({ ...frame, ...change }, trials).exitCode).toBe(exitCode);
  });

  test("names the checks that nothing made fail, where everything was tried", () => {
    expect(assembleProof(frame, [trial()]).neverFailed).toEqual([]);
    const { neverFailed } = assembleProof({ ...frame, everything: true }, [trial()]);
    expect(neverFailed).toContain("by-id.product/every-retailer");
    expect(neverFailed).not.toContain("query.limit/1");
  });

  test("is a table: a line for each fault with its seeds together, and below it what is wrong", () => {
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
    expect(text).toContain("  limit-ignored  caught    query.limit: 1, 3\n");
    expect(text).toContain(
      "  null-field     missed\n      seed 2: service.omitted-fields/every-product must fail; it is passed: \\u{1b}[31mok\n",
    );
    expect(text).toContain("3 of 3 trials on the reference service, seed 1, 2: 2 caught, 1 missed.");
    expect(text.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });
});

describe("what is tried", () => {
  const none = { only: [], faults: false, variants: false };

  test("everything, only faults, only variants, or what is named", () => {
    const all = serviceCandidates;
    expect(selectCandidates(all, none)).toEqual(all);
    const kinds = (chosen: readonly { kind: string }[]) =>
      [...new Set(chosen.map(({ kind }) => kind))].sort();
    expect(kinds(selectCandidates(all, { ...none, faults: true }))).toEqual(["fault"]);
    expect(kinds(selectCandidates(all, { ...none, variants: true }))).toEqual(["honest", "variant"]);
    expect(selectCandidates(all, { ...none, only: ["slow"] })).toEqual([{ kind: "variant", name: "slow" }]);
  });

  test("an unknown name, and nothing, are told", () => {
    const all = targetCandidates;
    expect(() => selectCandidates(all, { ...none, only: ["price-strng"] })).toThrow(
      "Did you mean price-string?",
    );
    expect(() => selectCandidates(all, { ...none, variants: true })).toThrow("nothing is selected");
    expect(() => selectCandidates(all, { ...none, only: ["url-host-ignored"] })).toThrow(
      "reference service only",
    );
  });
});
