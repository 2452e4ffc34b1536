import { describe, expect, test } from "vitest";
import { plainStyle } from "../report/style.ts";
import { renderProof } from "./render.ts";
import { assembleProof } from "./report.ts";
import { embeddedCandidates, injectionCandidates, selectCandidates } from "./select.ts";
import type { Trial } from "./trial.ts";

const trial = (change: Partial<Trial> = {}): Trial => ({
  kind: "fault",
  name: "limit-ignored",
  seed: 1,
  scope: "whole suite",
  verdict: "caught",
  red: ["query.limit/1", "query.limit/3"],
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
    ["one stale", [trial(), trial({ verdict: "stale" })], {}, 1],
    ["a known gap", [trial(), trial({ verdict: "unproven" })], {}, 0],
    ["one not made", [trial()], {}, 1],
    ["interrupted", [trial()], { interrupted: true }, 130],
  ])("%s", (_name, trials, change, exitCode) => {
    expect(assembleProof({ ...frame, ...change }, trials).exitCode).toBe(exitCode);
  });

  test("names the checks that nothing turned red, where everything was tried", () => {
    expect(assembleProof(frame, [trial()]).neverRed).toEqual([]);
    const { neverRed } = assembleProof({ ...frame, everything: true }, [trial()]);
    expect(neverRed).toContain("by-id.product/every-retailer");
    expect(neverRed).not.toContain("query.limit/1");
  });

  test("is a table: a line for each fault with its seeds together, and below it what is wrong", () => {
    const missed = trial({
      name: "null-field",
      seed: 2,
      verdict: "missed",
      red: [],
      findings: ["service.omitted-fields/every-product pass: \u001b[31mheld"],
    });
    const report = assembleProof({ ...frame, planned: 3 }, [missed, trial(), trial({ seed: 2 })]);
    const text = renderProof(report, plainStyle());
    expect(text).toContain("  limit-ignored  caught    query.limit: 1, 3\n");
    expect(text).toContain(
      "  null-field     missed\n      seed 2: service.omitted-fields/every-product pass: \\u{1b}[31mheld\n",
    );
    expect(text).toContain("3 of 3 trials on the reference service, seed 1, 2: 2 caught, 1 missed.");
    expect(text.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });
});

describe("what is tried", () => {
  const none = { only: [], faults: false, variants: false };

  test("everything, only faults, only variants, or what is named", () => {
    const all = embeddedCandidates();
    expect(selectCandidates(all, none)).toEqual(all);
    const kinds = (chosen: readonly { kind: string }[]) =>
      [...new Set(chosen.map(({ kind }) => kind))].sort();
    expect(kinds(selectCandidates(all, { ...none, faults: true }))).toEqual(["fault", "injection"]);
    expect(kinds(selectCandidates(all, { ...none, variants: true }))).toEqual(["honest", "variant"]);
    expect(selectCandidates(all, { ...none, only: ["slow"] })).toEqual([{ kind: "variant", name: "slow" }]);
  });

  test("an unknown name, and nothing, are told", () => {
    const all = injectionCandidates();
    expect(() => selectCandidates(all, { ...none, only: ["price-txt"] })).toThrow("Did you mean price-text?");
    expect(() => selectCandidates(all, { ...none, variants: true })).toThrow("nothing is selected");
  });
});
