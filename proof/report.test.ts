import { describe, expect, test } from "vitest";
import { plainStyle } from "../scripts/report/terminal.ts";
import { isAtLimit } from "./combination.ts";
import { planTrials, selectCandidates, serviceCandidates, targetCandidates } from "./prove.ts";
import { assembleProof, renderProof } from "./report.ts";
import { faults, variants } from "./table.ts";
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
    ["one that was unproven", [trial(), trial({ verdict: "unproven" })], {}, 0],
    ["one that was not run", [trial()], {}, 1],
    ["interrupted", [trial()], { interrupted: true }, 130],
  ])("%s", (_name, trials, change, exitCode) => {
    expect(assembleProof({ ...frame, ...change }, trials).exitCode).toBe(exitCode);
  });

  test("names the checks that never failed, if everything was tried", () => {
    expect(assembleProof(frame, [trial()]).neverFailed).toEqual([]);
    const { neverFailed } = assembleProof({ ...frame, everything: true }, [trial()]);
    expect(neverFailed).toContain("by-id.product/every-retailer");
    expect(neverFailed).not.toContain("query.limit/1");
  });

  test("is a table with a line for each fault and, below it, the problems of each seed", () => {
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
      "  null-field     missed\n      seed 2: service.omitted-fields/every-product must fail; its verdict: passed. \\u{1b}[31mok\n",
    );
    expect(text).toContain("3 of 3 trials on the reference service, seed 1, 2: 2 caught, 1 missed.");
    expect(text.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });
});

describe("faults on many seeds", () => {
  const seeds = [1, 2, 3, 4];
  const trials = seeds.flatMap((seed) => [
    trial({ seed, exitCode: 1 }),
    trial({ name: "slow-leak", seed, exitCode: 1 }),
  ]);
  const text = (made: readonly Trial[]) =>
    renderProof(assembleProof({ ...frame, seeds, planned: made.length }, made), plainStyle());

  test("are a table of those that were not caught on each, with exit code and reason", () => {
    const missed = trial({
      name: "slow-leak",
      seed: 3,
      verdict: "missed",
      exitCode: 0,
      findings: [{ problem: "missed", check: "query.limit/1", verdict: "pass", detail: "3 of 3." }],
    });
    const made = trials.map((one) => (one.name === "slow-leak" && one.seed === 3 ? missed : one));
    expect(text(made)).toContain("1 of 2 faults were caught on each of 4 seeds.");
    expect(text(made)).toContain(
      "  slow-leak  . . 0 .\n      seed 3: query.limit/1 must fail; its verdict: passed. 3 of 3.\n",
    );
    expect(text(made)).toContain("proof --only slow-leak --seed 3");
  });

  test("are counted if all were caught", () => {
    expect(text(trials)).toContain("2 of 2 faults were caught on each of 4 seeds.");
    expect(text(trials)).not.toContain("To repeat");
  });

  test("are left out if no fault was tried", () => {
    const variant = seeds.map((seed) => trial({ kind: "variant", name: "etags", seed, verdict: "clean" }));
    expect(text(variant)).not.toContain("Faults by seed");
  });
});

describe("what is tried", () => {
  const none = { only: [], faults: false, variants: false, pairs: 0, sets: 0 };

  test("everything, only faults, only variants, or what is named", () => {
    const all = serviceCandidates;
    expect(selectCandidates(all, none)).toEqual(all);
    const kinds = (chosen: readonly { kind: string }[]) =>
      [...new Set(chosen.map(({ kind }) => kind))].sort();
    expect(kinds(selectCandidates(all, { ...none, faults: true }))).toEqual(["fault"]);
    expect(kinds(selectCandidates(all, { ...none, variants: true }))).toEqual(["honest", "variant"]);
    expect(selectCandidates(all, { ...none, only: ["slow"] })).toEqual([{ kind: "variant", name: "slow" }]);
  });

  test("combinations, named or drawn with the seed", () => {
    const all = serviceCandidates;
    const pair = { kind: "pair", name: "price-string+slow" } as const;
    expect(selectCandidates(all, { ...none, only: [pair.name] })).toEqual([pair]);
    const plan = planTrials({ ...none, pairs: 5, sets: 3 }, [1, 2], { full: false });
    expect(plan).toHaveLength(16);
    expect(new Set(plan.map(({ name }) => name)).size).toBeGreaterThan(12);
    expect(planTrials({ ...none, pairs: 5, sets: 3 }, [1, 2], { full: false })).toEqual(plan);
    for (const { kind, name } of plan) {
      expect(selectCandidates(all, { ...none, only: [name] })).toEqual([{ kind, name }]);
    }
  });

  test("variants that contradict each other, or that take minutes, are not drawn", () => {
    const plan = planTrials({ ...none, pairs: 300, sets: 300 }, [1], { full: false });
    const names = plan.map(({ name }) => name.split("+"));
    expect(names.filter((parts) => parts.includes("very-tight-limit"))).toEqual([]);
    const requests = (parts: string[]) => parts.filter((part) => part.startsWith("batch-request-")).length;
    expect(names.filter((parts) => requests(parts) > 1)).toEqual([]);
    expect(names.filter((parts) => requests(parts) === 1).length).toBeGreaterThan(20);
  });

  test("the rate limit is exceeded where it matters, and in some of the other trials", () => {
    const scopes = (full: boolean) => Map.groupBy(planTrials(none, [1], { full }), ({ scope }) => scope);
    const exceeding = (scopes(false).get("whole suite") ?? []).map(({ name }) => name);
    expect(exceeding).toEqual(expect.arrayContaining(["honest", "retry-after-missing", "tight-limit"]));
    const needed = [...faults.values(), ...variants.values()].filter(isAtLimit).length;
    expect(exceeding.length).toBeGreaterThan(needed + 5);
    expect(exceeding.length).toBeLessThan(needed + 50);
    expect(scopes(true).get("whole suite")).toHaveLength(serviceCandidates.length);
    const pairs = planTrials({ ...none, pairs: 5 }, [1], { full: true });
    expect(pairs.map(({ kind, scope }) => [kind, scope])).toEqual(Array(5).fill(["pair", "whole suite"]));
  });

  test("an unknown name and an empty selection are refused", () => {
    const all = targetCandidates;
    expect(() => selectCandidates(all, { ...none, only: ["price-strng"] })).toThrow(
      "Did you mean price-string?",
    );
    expect(() => selectCandidates(all, { ...none, variants: true })).toThrow("Nothing is selected");
    expect(() => selectCandidates(all, { ...none, only: ["url-host-ignored"] })).toThrow(
      "only on the built-in reference service",
    );
  });
});
