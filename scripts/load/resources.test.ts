import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { collectGarbage, starvedFindings, tallied, useOf, watchGenerator } from "./resources.ts";

/** Samples of one second with this CPU use, on a machine with two cores and 1,000 bytes. */
function use(perSecond: number[], memoryBytes = 100) {
  let cpuSeconds = 0;
  let tally: ReturnType<typeof tallied> | undefined;
  for (const [place, used] of perSecond.entries()) {
    cpuSeconds += used;
    tally = tallied(tally, { at: place * 1000, cpuSeconds, memoryBytes }, 2);
  }
  return useOf(tally, 1000);
}

test("with resources to spare: no finding", () => {
  const idle = use([0, 0.5, 0.6, 0.4]);
  expect(idle).toEqual({ cpuSeconds: 1.5, saturatedShare: 0, memoryBytes: 100, memoryShare: 0.1 });
  expect(starvedFindings(idle)).toEqual([]);
  expect(use([])).toBeUndefined();
});

test("of a generator that used the whole machine: a finding", () => {
  const busy = use([0, 1.9, 1.95, 0.2]);
  expect(busy?.saturatedShare).toBeCloseTo(2 / 3, 6);
  expect(starvedFindings(busy)).toEqual([{ code: "generator-cpu", actual: 2 / 3, unit: "share" }]);
});

test("of a generator that filled the memory: a finding", () => {
  expect(starvedFindings(use([0, 0], 900))).toEqual([
    { code: "generator-memory", actual: 0.9, unit: "share" },
  ]);
});

test.runIf(process.platform === "linux")(
  "watches a real process, and reports its memory at each sample",
  async () => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const watch = watchGenerator(process.pid, resolve);
    const memoryBytes = await promise;
    const use = await watch.stop();
    expect(memoryBytes).toBeGreaterThan(10e6);
    expect(use?.memoryBytes).toBeGreaterThanOrEqual(memoryBytes ?? 0);
  },
);

test("collects what nothing refers to any more", async () => {
  const garbage = new WeakRef({});
  // Until the end of a task its weak references keep their objects.
  await setImmediate();
  collectGarbage();
  expect(garbage.deref()).toBeUndefined();
});
