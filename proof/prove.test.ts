import { describe, expect, test } from "vitest";
import { allCandidates, planTrials, proveService, tryAll } from "./prove.ts";
import type { Trial } from "./trial.ts";

const nothing = new Map();

describe("what is tried", () => {
  test.each<[string, string[], object[]]>([
    ["everything", [], [...allCandidates]],
    ["what is named", ["slow"], [{ kind: "variant", name: "slow" }]],
  ])("%s", (_name, only, expected) => expect(planTrials(only, nothing)).toMatchObject(expected));

  test("what the snapshot has of a fault is expected", () => {
    const snapshot = new Map([["price-string", { always: ["query.limit"], atTimes: [] }]]);
    const planned = planTrials(["null-field", "price-string"], snapshot);
    expect(planned.map(({ name, expected }) => [name, expected])).toEqual([
      ["null-field", { always: [], atTimes: [] }],
      ["price-string", { always: ["query.limit"], atTimes: [] }],
    ]);
  });

  test("the rate limit is exceeded where it matters", () => {
    const only = ["honest", "retry-after-missing", "tight-limit", "price-string"];
    const planned = planTrials(only, nothing);
    expect(Object.fromEntries(planned.map(({ name, scope }) => [name, scope]))).toEqual({
      honest: "whole suite",
      "retry-after-missing": "whole suite",
      "tight-limit": "whole suite",
      "price-string": "without the rate limit",
    });
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
  const planned = planTrials(only, nothing);

  function createAttempt() {
    const attempts: string[][] = [];
    const attempt: typeof tryAll = async (variations, { signal, done }) => {
      if (signal.aborted) return;
      attempts.push(variations.map(({ name }) => name).toSorted());
      for (const one of variations) {
        const verdict = verdicts[one.name as keyof typeof verdicts][attempts.length === 1 ? 0 : 1];
        done({ ...one, verdict, failed: [verdict], findings: [] });
      }
    };
    return { attempts, attempt };
  }

  test("are made of trials with an unexpected or unproven outcome, count, and are marked", async () => {
    const { attempts, attempt } = createAttempt();
    const progress: Trial[] = [];
    const trials = await proveService(planned, {
      signal: new AbortController().signal,
      progress: (trial) => progress.push(trial),
      attempt,
    });
    expect(attempts).toEqual([only, ["gtin-other-retailer", "price-string"]]);
    const outcomes = (made: readonly Trial[]) =>
      made
        .map(({ name, verdict, failedBefore }) => [name, verdict, ...(failedBefore ?? [])].join(" "))
        .toSorted();
    expect(outcomes(trials)).toEqual([
      "gtin-other-retailer caught missed",
      "long-cursors passed",
      "price-string unproven unproven",
    ]);
    expect(progress).toHaveLength(5);
  });

  test("are not begun after an interruption", async () => {
    const done = () => expect.unreachable("no trial is made");
    await tryAll(planned, { threads: 1, trialsInThread: 1, signal: AbortSignal.abort(), done });
  });
});
