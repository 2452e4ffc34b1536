import { describe, expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import {
  boundsOf,
  collectorVariables,
  type Sample,
  starvedFindings,
  supervise,
  watch,
} from "./supervision.ts";

const bounds = { memoryBytes: 500e6, seconds: 200 };

test("the memory of a process is far below 800 MB for a small run, and grows with the users of a large one", () => {
  const small = boundsOf("lookup", profiles.smoke, 64e9).memoryBytes;
  expect(small).toBeGreaterThan(320e6);
  expect(small).toBeLessThan(550e6);
  const large = boundsOf("lookup", { ...profiles.soak, virtualUsers: 1000 }, 64e9).memoryBytes;
  expect(large).toBeGreaterThan(3 * 1000 * 0.5e6);
});

test("with few virtual users, garbage is collected a quarter as often; with many, as often as Go does", () => {
  const variables = (responses: number) => collectorVariables({ responses, memoryBytes: 400e6 });
  expect([4, 50, 1000].map((users) => variables(users).GOGC)).toEqual(["385", "267", "100"]);
  expect(variables(4).GOMEMLIMIT).toBe("340000000B");
});

test.each<
  [string, seconds: number, memoryBytes: number | undefined, code: string | undefined, atOnce: boolean]
>([
  ["below all limits", 10, 80e6, undefined, false],
  ["with unknown memory", 10, undefined, undefined, false],
  ["slightly above the memory limit", 10, 510e6, "k6-memory", false],
  ["far above the memory limit", 10, 600e6, "k6-memory", true],
  ["overdue", 201, 80e6, "k6-overdue", false],
])("%s", (_title, seconds, memoryBytes, code, atOnce) => {
  const supervisor = supervise(bounds);
  supervisor.look({ at: seconds * 1000, ...(memoryBytes === undefined ? {} : { memoryBytes }) });
  const { ending, stop, kill } = supervisor;
  expect([ending.stopped?.code, stop.aborted, kill.aborted]).toEqual([code, code !== undefined, atOnce]);
});

describe("the resources of a generator", () => {
  /** With this CPU use in each second, on a machine with two cores. */
  function use(perSecond: readonly number[], memoryBytes = 100) {
    const supervisor = supervise(bounds, 2);
    let cpuSeconds = 0;
    for (const [place, used] of perSecond.entries()) {
      cpuSeconds += used;
      supervisor.look({ at: place * 1000, cpuSeconds, memoryBytes });
    }
    return supervisor.use;
  }

  test("to spare: no finding", () => {
    const idle = use([0, 0.5, 0.6, 0.4]);
    expect(idle).toEqual({ cpuSeconds: 1.5, saturatedShare: 0, memoryBytes: 100 });
    expect(starvedFindings(idle)).toEqual([]);
    expect(use([])).toBeUndefined();
  });

  test("that used the whole machine: a finding", () => {
    const busy = use([0, 1.9, 1.95, 0.2]);
    expect(busy?.saturatedShare).toBeCloseTo(2 / 3, 6);
    expect(starvedFindings(busy)).toEqual([{ code: "generator-starved", actual: 2 / 3, unit: "share" }]);
  });

  test.runIf(process.platform === "linux")("are read of a real process", async () => {
    const { promise, resolve } = Promise.withResolvers<Sample>();
    const unwatch = watch(process.pid, resolve);
    const { cpuSeconds, memoryBytes } = await promise;
    unwatch();
    expect(memoryBytes).toBeGreaterThan(10e6);
    expect(cpuSeconds).toBeGreaterThan(0);
  });
});
