import { describe, expect, test } from "vitest";
import { isAtLimit } from "./combination.ts";
import { planTrials, proveService, selectCandidates, serviceCandidates, tryAll } from "./prove.ts";
import { faults, variants } from "./table.ts";
import type { Trial } from "./trial.ts";

const nothing = new Map();

describe("what is tried", () => {
  const none = { only: [], faults: false, variants: false, pairs: 0 };

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
    const plan = planTrials({ ...none, pairs: 5 }, [1, 2], nothing);
    expect(plan).toHaveLength(10);
    expect(new Set(plan.map(({ name }) => name)).size).toBeGreaterThan(8);
    expect(planTrials({ ...none, pairs: 5 }, [1, 2], nothing)).toEqual(plan);
    for (const { kind, name } of plan) {
      expect(selectCandidates(all, { ...none, only: [name] })).toEqual([{ kind, name }]);
    }
  });

  test("variants that contradict each other, or that take minutes, are not drawn", () => {
    const plan = planTrials({ ...none, pairs: 30000 }, [1], nothing);
    const names = plan.map(({ name }) => name.split("+"));
    expect(names.filter((parts) => parts.includes("very-tight-limit"))).toEqual([]);
    const requests = (parts: string[]) => parts.filter((part) => part.startsWith("batch-request-")).length;
    expect(names.filter((parts) => requests(parts) > 1)).toEqual([]);
    expect(names.filter((parts) => requests(parts) === 1).length).toBeGreaterThan(20);
  });

  test("on the fixed seeds, what the snapshot has of a fault is expected", () => {
    const snapshot = new Map([["price-string", new Map([["query.limit", "always"] as const])]]);
    const planned = planTrials({ ...none, only: ["null-field", "price-string"] }, [1, 5], snapshot);
    expect(planned.map(({ name, seed, expected }) => [name, seed, expected])).toEqual([
      ["null-field", 1, { always: [], atTimes: [] }],
      ["price-string", 1, { always: ["query.limit"], atTimes: [] }],
      ["null-field", 5, undefined],
      ["price-string", 5, undefined],
    ]);
  });

  test("the rate limit is exceeded where it matters, and in some of the other trials", () => {
    const exceeding = planTrials(none, [1], nothing).flatMap(({ name, scope }) =>
      scope === "whole suite" ? [name] : [],
    );
    expect(exceeding).toEqual(expect.arrayContaining(["honest", "retry-after-missing", "tight-limit"]));
    const needed = [...faults.values(), ...variants.values()].filter(isAtLimit).length;
    expect(exceeding.length).toBeGreaterThan(needed + 5);
    expect(exceeding.length).toBeLessThan(needed + 50);
  });
});

describe("second attempts", () => {
  /** The verdicts of the first and the second attempt of each trial. */
  const verdicts = {
    "gtin-other-retailer": ["missed", "caught"],
    "long-cursors": ["passed", "passed"],
    "price-string": ["unproven", "unproven"],
  } as const satisfies Record<string, readonly Trial["verdict"][]>;
  const only = Object.keys(verdicts) as (keyof typeof verdicts)[];
  const selection = { only, faults: false, variants: false, pairs: 0 };
  const planned = planTrials(selection, [5], nothing);

  function createAttempt() {
    const attempts: string[][] = [];
    const attempt: typeof tryAll = async (variations, { signal, done }) => {
      if (signal.aborted) return;
      attempts.push(variations.map(({ name }) => name).toSorted());
      for (const one of variations) {
        const verdict = verdicts[one.name as keyof typeof verdicts][attempts.length === 1 ? 0 : 1];
        done({ ...one, verdict, failed: [verdict], findings: [], requests: 1, milliseconds: 1 });
      }
    };
    return { attempts, attempt };
  }

  test("are made of trials with an unexpected or unproven outcome, count, and are marked", async () => {
    const { attempts, attempt } = createAttempt();
    const reported: Trial[] = [];
    const progress: Trial[] = [];
    const trials = await proveService(planned, {
      signal: new AbortController().signal,
      progress: (trial) => progress.push(trial),
      onFirstAttempts: async (first) => void reported.push(...first),
      attempt,
    });
    expect(attempts).toEqual([only, ["gtin-other-retailer", "price-string"]]);
    const outcomes = (made: readonly Trial[]) =>
      made
        .map(({ name, verdict, failedBefore }) => [name, verdict, ...(failedBefore ?? [])].join(" "))
        .toSorted();
    expect(outcomes(reported)).toEqual([
      "gtin-other-retailer missed",
      "long-cursors passed",
      "price-string unproven",
    ]);
    expect(outcomes(trials)).toEqual([
      "gtin-other-retailer caught missed",
      "long-cursors passed",
      "price-string unproven unproven",
    ]);
    expect(progress).toHaveLength(5);
  });

  test("that are interrupted leave the first ones, which are reported before", async () => {
    const interruption = new AbortController();
    const { attempts, attempt } = createAttempt();
    const reported: Trial[] = [];
    const trials = await proveService(planned, {
      signal: interruption.signal,
      progress: () => undefined,
      onFirstAttempts: async (first) => {
        reported.push(...first);
        interruption.abort();
      },
      attempt,
    });
    expect(attempts).toHaveLength(1);
    expect(reported.map(({ name }) => name).toSorted()).toEqual(only);
    expect(trials).toEqual(reported);
  });

  test("are not begun after an interruption", async () => {
    const done = () => expect.unreachable("no trial is made");
    await tryAll(planned, { threads: 1, trialsInThread: 1, signal: AbortSignal.abort(), done });
  });
});
