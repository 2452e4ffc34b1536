import { expect, test } from "vitest";
import { starvedFindings, useOf, watchGenerator } from "./resources.ts";

/** Samples of one second each that used so much CPU, on a machine of two cores and 1,000 bytes. */
function use(perSecond: number[], memoryBytes = 100) {
  let cpuSeconds = 0;
  const samples = perSecond.map((used, place) => {
    cpuSeconds += used;
    return { at: place * 1000, cpuSeconds, memoryBytes };
  });
  return useOf(samples, 2, 1000);
}

test("of a generator with room to spare gives no reason", () => {
  const idle = use([0, 0.5, 0.6, 0.4]);
  expect(idle).toEqual({ cpuSeconds: 1.5, saturatedShare: 0, memoryBytes: 100, memoryShare: 0.1 });
  expect(starvedFindings(idle === undefined ? [] : [idle])).toEqual([]);
  expect(useOf([], 2, 1000)).toBeUndefined();
});

test("of one that used the whole machine says so", () => {
  const busy = use([0, 1.9, 1.95, 0.2]);
  expect(busy?.saturatedShare).toBeCloseTo(2 / 3, 6);
  expect(starvedFindings(busy === undefined ? [] : [busy])).toEqual([
    { code: "generator-cpu", actual: 2 / 3, unit: "share" },
  ]);
});

test("of several that fill the memory together says so", () => {
  const half = use([0, 0], 450);
  const both = half === undefined ? [] : [half, half];
  expect(starvedFindings(both)).toEqual([{ code: "generator-memory", actual: 0.9, unit: "share" }]);
});

test("watches a real process until stopped", async () => {
  const watch = watchGenerator(process.pid);
  expect(await watch.stop()).toBeUndefined();
});
