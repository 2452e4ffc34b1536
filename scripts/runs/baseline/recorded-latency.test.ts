import { describe, expect, test } from "vitest";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import { exampleLoad, exampleResults } from "../../../test/support/samples/example.ts";
import { syntheticRuns } from "../../../test/support/samples/synthetic-runs.ts";
import type { Curve } from "../compare/curve.ts";
import { compareWithRecorded, type RecordedLoad, recordedLoad } from "./recorded-latency.ts";

const startedAt = "2026-03-01T00:00:00.000Z";
const calm = { within: 0.1, samples: 800, run: (place: number) => 1 + 0.004 * (place % 3) };
const likeness = { hash: "1", parts: { scenario: "lookup", host: "a machine" } };

function someRuns(runs: number, factor: number) {
  const { before, after } = syntheticRuns(runs, calm, 11, factor);
  const [first] = after;
  if (first === undefined) throw new Error("no run");
  const recorded: RecordedLoad = {
    runs: before.map(({ curves, ...run }) => ({
      ...run,
      verdict: "pass",
      comparability: likeness,
      curves: [...curves],
    })),
  };
  return { recorded, result: resultOf(first.curves) };
}

function resultOf(curves: readonly Curve[], change: Partial<LoadResult> = {}): LoadResult {
  return exampleLoad({ percentiles: [...curves], comparability: likeness, ...change });
}

describe("a new run compared with recorded runs", () => {
  test.each([
    [1, "same"],
    [1.4, "slower"],
    [1 / 1.4, "faster"],
  ] as const)("%d times as slow: %s", (factor, answer) => {
    const { recorded, result } = someRuns(5, factor);
    expect(compareWithRecorded(recorded, result, startedAt)).toMatchObject({
      answer,
      runs: { before: 5, after: 1 },
    });
  });

  test("fewer than three recorded runs are too few", () => {
    const { recorded, result } = someRuns(2, 2);
    expect(compareWithRecorded(recorded, result, startedAt)).toMatchObject({
      answer: "inconclusive",
      findings: [{ code: "latency-too-few-runs", expected: 3, actual: 2 }],
    });
  });

  test("another machine: refused, with the difference", () => {
    const { recorded, result } = someRuns(5, 2);
    const parts = { ...likeness.parts, host: "another machine" };
    const elsewhere = { ...result, comparability: { hash: "2", parts } };
    expect(compareWithRecorded(recorded, elsewhere, startedAt)).toMatchObject({
      answer: "refused",
      findings: [
        {
          code: "runs-differ",
          expected: "a machine",
          actual: "another machine",
          details: { part: "host", other: "this run" },
        },
      ],
    });
  });

  test.each([
    ["a scenario that is not recorded", { scenario: "batch" }],
    ["a run that measured nothing", { percentiles: [] }],
    ["a run that is no measurement", { verdict: "invalid" }],
  ] satisfies [string, Partial<LoadResult>][])("%s is not compared", (_title, change) => {
    const { recorded, result } = someRuns(5, 2);
    expect(compareWithRecorded(recorded, { ...result, ...change }, startedAt)).toBeUndefined();
  });
});

describe("what is recorded", () => {
  const run = (minute: number, change: Partial<LoadResult> = {}) => {
    const { result } = someRuns(3, 1);
    return {
      name: `run-${minute}`,
      results: exampleResults({
        startedAt: new Date(Date.UTC(2026, 3, 1, 0, minute)).toISOString(),
        load: [{ ...result, ...change }],
      }),
    };
  };
  const names = (recorded: RecordedLoad | undefined) => recorded?.runs.map((each) => each.run);

  test("the given runs and those recorded before, each once, the newest ten", () => {
    const first = recordedLoad([run(1), run(2)]);
    expect(names(first)).toEqual(["run-1", "run-2"]);
    expect(names(recordedLoad([run(2), run(3)], first))).toEqual(["run-1", "run-2", "run-3"]);
    const many = Array.from({ length: 12 }, (_, minute) => run(minute));
    expect(names(recordedLoad(many))).toEqual(many.slice(2).map(({ name }) => name));
  });

  test("runs with different conditions replace earlier ones", () => {
    const first = recordedLoad([run(1)]);
    const moved = run(2, { comparability: { hash: "2", parts: { host: "another machine" } } });
    expect(names(recordedLoad([moved], first))).toEqual(["run-2"]);
  });

  test("invalid runs and the scenario rate-limit are omitted", () => {
    expect(
      recordedLoad([run(1, { verdict: "invalid" }), run(2, { scenario: "rate-limit" })]),
    ).toBeUndefined();
  });

  test("a run of four endpoints takes less than 10 kB", () => {
    expect(JSON.stringify(recordedLoad([run(1)])).length).toBeLessThan(10_000);
  });
});
