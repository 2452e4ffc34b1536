import { describe, expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { boundsOf, collectorVariables, supervise } from "./supervision.ts";

const machine = { machineBytes: 64e9, k6Args: [] };
const bounds = { memoryBytes: 500e6, seconds: 200 };

describe("the limits of a process", () => {
  test("are far below 800 MB for a small run, and grow with the users of a large one", () => {
    const small = boundsOf("lookup", profiles.smoke, machine).memoryBytes;
    expect(small).toBeGreaterThan(320e6);
    expect(small).toBeLessThan(450e6);
    const users = 1000 * 0.5e6;
    const large = boundsOf("lookup", { ...profiles.soak, virtualUsers: 1000 }, machine).memoryBytes;
    expect(large).toBeGreaterThan(3 * users);
    const volleys = boundsOf("tenants", { ...profiles.soak, virtualUsers: 1000 }, machine).memoryBytes;
    expect(volleys).toBeGreaterThan(3 * large);
  });

  test("never exceed the memory of the machine", () => {
    const small = { machineBytes: 1e9, k6Args: [] };
    expect(boundsOf("lookup", profiles.breakpoint, small).memoryBytes).toBeLessThan(1e9);
  });

  test("allow more time than a run may take, and any time if arguments for k6 change the duration", () => {
    const { seconds } = boundsOf("lookup", profiles.average, machine);
    expect(seconds).toBeGreaterThan(690 + 60 + 32);
    expect(seconds).toBeLessThan(690 + 300);
    expect(boundsOf("rate-limit", profiles.probe, machine).seconds).toBeGreaterThan(15 + 150);
    for (const k6Args of [["--paused"], ["--duration", "2h"], ["-i=5"], ["--stage=5m:10"]]) {
      expect(boundsOf("lookup", profiles.smoke, { ...machine, k6Args }).seconds).toBe(
        Number.POSITIVE_INFINITY,
      );
    }
    const outputs = boundsOf("lookup", profiles.smoke, { ...machine, k6Args: ["--out", "json=x", "--tag"] });
    expect(outputs.seconds).toBeLessThan(300);
  });
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
  let now = 0;
  const supervisor = supervise(bounds, () => now);
  now = seconds * 1000;
  supervisor.look(memoryBytes);
  const { reason, stop, kill } = supervisor;
  expect([reason?.code, stop.aborted, kill.aborted]).toEqual([code, code !== undefined, atOnce]);
});

test("the first exceeded limit is the reason, and growing memory kills the process at once", () => {
  let now = 0;
  const supervisor = supervise(bounds, () => now);
  now = 5000;
  supervisor.look(100e6);
  expect([supervisor.stop.aborted, supervisor.reason]).toEqual([false, undefined]);
  now = 12_000;
  supervisor.look(520e6);
  expect([supervisor.stop.aborted, supervisor.kill.aborted]).toEqual([true, false]);
  now = 12_100;
  supervisor.look(900e6);
  expect(supervisor.kill.aborted).toBe(true);
  expect(supervisor.reason).toEqual({
    code: "k6-memory",
    expected: 500e6,
    actual: 520e6,
    unit: "bytes",
    details: { seconds: 12 },
  });
});
