import { describe, expect, test } from "vitest";
import { type StubClock, settled, stubClock } from "../../test/support/stub-clock.ts";
import { createGate, createPacer, type Pacer, systemClock } from "./pacing.ts";

/** Takes turns concurrently and records when each was granted. */
function takeTurns(pacer: Pacer, clock: StubClock, names: readonly string[]): { name: string; at: number }[] {
  const given: { name: string; at: number }[] = [];
  const start = clock.now();
  for (const name of names)
    void pacer.turn().then(
      () => given.push({ name, at: clock.now() - start }),
      () => undefined,
    );
  return given;
}

/** The interval after so many requests were accepted in this time, and one was refused for this long. */
async function learnFrom(
  clock: StubClock,
  pacer: Pacer,
  accepted: number,
  [milliseconds, wait]: readonly [number, number] = [1000, 1000],
): Promise<number> {
  await clock.advance(milliseconds);
  for (let count = 0; count < accepted; count++) pacer.admitted();
  pacer.refused(wait);
  return pacer.interval();
}

describe("a request leaves", () => {
  test("at once before the first 429, in order", async () => {
    const clock = stubClock();
    const given = takeTurns(createPacer(clock), clock, ["a", "b"]);
    await settled();
    expect(given).toEqual([
      { name: "a", at: 0 },
      { name: "b", at: 0 },
    ]);
    expect(clock.sleeps).toEqual([]);
  });

  test("after the longest of several waits, also one that a later 429 asks for, to the millisecond", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    for (const wait of [1000, 3000, 2000]) pacer.refused(wait);
    const given = takeTurns(pacer, clock, ["a", "b"]);
    await clock.advance(500);
    pacer.refused(4000);
    await clock.advance(3999);
    expect(given).toEqual([]);
    await clock.advance(10_000);
    expect(given.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(given[0]?.at).toBeGreaterThanOrEqual(4500);
    expect(given[0]?.at).toBeLessThan(4700);
  });

  test("one after the other at the learned interval, slightly slower than was accepted", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    // Ten requests were accepted in a second, before a wait of another second: nearly five per second.
    await learnFrom(clock, pacer, 10);
    const given = takeTurns(pacer, clock, ["a", "b", "c", "d"]);
    await clock.advance(10_000);
    const gaps = given.slice(1).map(({ at }, index) => at - (given[index]?.at ?? 0));
    expect(gaps).toHaveLength(3);
    for (const gap of gaps) expect([gap > 200, gap < 260]).toEqual([true, true]);
  });

  test("after the wait of a 429 to a burst, which does not slow down those after it", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    pacer.exceeded(3000);
    pacer.exceeded(1000);
    expect([pacer.wait(), pacer.refusal(), pacer.interval()]).toEqual([3060, 3060, 0]);
    const given = takeTurns(pacer, clock, ["a", "b"]);
    await clock.advance(3059);
    expect(given).toEqual([]);
    await clock.advance(1);
    expect(given.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("as late as required after one that was aborted", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    pacer.refused(3000);
    const abort = new AbortController();
    const first = pacer.turn(abort.signal);
    const given = takeTurns(pacer, clock, ["second"]);
    await clock.untilAsleep();
    abort.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    await clock.advance(3000);
    expect(given).toEqual([]);
    await clock.advance(1000);
    expect(given.map(({ name }) => name)).toEqual(["second"]);
  });

  test("not at all when its wait grows beyond the end of the run, which is said at once", async () => {
    const clock = stubClock(0);
    const late = new Error("late");
    const pacer = createPacer(clock, { at: 5000, error: () => late });
    pacer.refused(1000);
    const outcome = pacer.turn().catch((error: unknown) => error);
    await clock.untilAsleep();
    pacer.refused(9000);
    await clock.advance(1100);
    expect(await outcome).toBe(late);
    await expect(pacer.turn()).rejects.toBe(late);
  });
});

test("the wait ends, and so does the part of it that a 429 required", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  expect([pacer.wait(), pacer.refusal()]).toEqual([0, 0]);
  pacer.admitted();
  pacer.refused(1000);
  pacer.refused(500);
  expect([pacer.wait(), pacer.refusal()]).toEqual([1060, 1060]);
  await clock.advance(1060);
  expect([pacer.wait(), pacer.refusal()]).toEqual([0, 0]);
  // The next request waits for the interval, which no 429 asked for.
  await pacer.turn();
  expect([pacer.wait(), pacer.refusal()]).toEqual([1000, 0]);
});

test("waits in vain are counted until a request is accepted; after three, each is longer, twice as much each time", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  const waits: number[] = [];
  for (let count = 0; count < 5; count++) {
    const sentAt = clock.now();
    // Concurrent refusals count as one.
    for (let one = 0; one < 3; one++) pacer.refused(1000, sentAt);
    waits.push(pacer.wait());
    await clock.advance(pacer.wait());
  }
  expect(waits).toEqual([1060, 1060, 1060, 1560, 2060]);
  expect(pacer.waitsInVain()).toMatchObject({ count: 5, milliseconds: 6800 });
  pacer.admitted();
  expect(pacer.waitsInVain().count).toBe(0);
  pacer.refused(1000);
  expect(pacer.wait()).toBe(1060);
});

describe("the interval", () => {
  test.each<[string, accepted: number, times: readonly [number, number], interval: number]>([
    // What is sent, what is waited, and 60 ms of margin, at 90 % of the accepted rate.
    ["follows from the accepted requests and the time until the next one", 20, [1000, 1000], 2060 / 20 / 0.9],
    ["also after a wait of zero seconds", 30, [1000, 0], 1060 / 30 / 0.9],
    ["is never longer than Retry-After", 1, [60_000, 1000], 1000],
    ["does not follow from a limit that others have used up", 0, [0, 18_000], 0],
  ])("%s", async (_title, accepted, times, interval) => {
    const clock = stubClock();
    expect(await learnFrom(clock, createPacer(clock), accepted, times)).toBeCloseTo(interval, 9);
  });

  test("is never made shorter by a 429", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    await learnFrom(clock, pacer, 20);
    await clock.advance(1000);
    expect(await learnFrom(clock, pacer, 10)).toBeCloseTo(3060 / 10 / 0.9, 9);
    await clock.advance(1000);
    expect(await learnFrom(clock, pacer, 100)).toBeCloseTo(3060 / 10 / 0.9, 9);
  });

  test("is shorter after several windows without a 429, and later each time that was too early", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    const learned = await learnFrom(clock, pacer, 10);
    const intervalAfter = async (milliseconds: number) => {
      await clock.advance(milliseconds);
      pacer.admitted();
      return pacer.interval();
    };
    expect(await intervalAfter(3900)).toBe(learned);
    expect(await intervalAfter(200)).toBe(learned / 2);
    await intervalAfter(100);
    pacer.refused(1000);
    const again = pacer.interval();
    expect(await intervalAfter(7900)).toBe(again);
    expect(await intervalAfter(200)).toBe(again / 2);
  });

  test.each([
    [900, 1000],
    [2000, 2000],
  ])("after a wait of %i ms behind one of a second is %i ms", async (wait, slower) => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    expect(await learnFrom(clock, pacer, 1)).toBe(1000);
    expect(await learnFrom(clock, pacer, 1, [1060, wait])).toBe(slower);
  });

  test("is not changed by a 429 to a request that was on its way when the first one arrived, however late", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    await clock.advance(1000);
    const sentAt = clock.now();
    for (let count = 0; count < 100; count++) pacer.admitted();
    await clock.advance(5);
    pacer.refused(1000, sentAt);
    const interval = pacer.interval();
    pacer.refused(2000, sentAt);
    // It is recorded as sent when its headers leave, which may be a moment after its turn.
    pacer.refused(1000, clock.now());
    for (let count = 0; count < 3; count++) {
      await clock.advance(interval * 2);
      pacer.refused(1000, sentAt);
    }
    expect(pacer.interval()).toBe(interval);
    // A request sent after that and refused again shows that the rate was too high.
    await clock.advance(2000);
    pacer.admitted();
    pacer.refused(1000);
    expect(pacer.interval()).toBe(1000);
  });

  test("is changed by a 429 to a request sent before a late one of an earlier burst", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    const start = clock.now();
    pacer.admitted();
    pacer.refused(1000, start);
    await clock.advance(1500);
    pacer.refused(1000, start - 1);
    await clock.advance(100);
    const interval = pacer.interval();
    pacer.admitted();
    pacer.refused(5000, start + 1200);
    expect(pacer.interval()).toBeGreaterThan(interval);
  });
});

test("the system clock sleeps at least as long as requested, and stops when aborted", async () => {
  const start = performance.now();
  await systemClock.sleep(20.5);
  // Node's timers may fire up to a millisecond early by this clock.
  expect(performance.now() - start).toBeGreaterThan(19);
  await expect(systemClock.sleep(60_000, AbortSignal.abort())).rejects.toThrow("aborted");
});

describe("the limits of the config", () => {
  const { signal } = new AbortController();

  test("most requests per second, also of concurrent ones", async () => {
    const clock = stubClock(0);
    const gate = createGate({ maxRequestsPerSecond: 4 }, clock);
    const at: number[] = [];
    for (let count = 0; count < 9; count++)
      void gate.enter(undefined, signal).then(() => at.push(clock.now()));
    await clock.advance(2000);
    expect(at).toEqual([0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000]);
  });

  test("most requests at the same time; the next one leaves when one has ended", async () => {
    const gate = createGate({ maxConcurrency: 2 }, stubClock());
    let entered = 0;
    for (let count = 0; count < 4; count++) void gate.enter(undefined, signal).then(() => entered++);
    for (const [ended, sum] of [
      [0, 2],
      [1, 3],
      [2, 4],
    ] as const) {
      for (let count = 0; count < ended; count++) gate.left();
      await settled();
      expect(entered).toBe(sum);
    }
  });

  test("a request that is aborted while it waits takes no place", async () => {
    const gate = createGate({ maxConcurrency: 1 }, stubClock());
    await gate.enter(undefined, signal);
    const interruption = new AbortController();
    const waiting = gate.enter(undefined, interruption.signal);
    const next = gate.enter(undefined, signal);
    interruption.abort(new Error("interrupted"));
    await expect(waiting).rejects.toThrow("interrupted");
    gate.left();
    await next;
  });

  test("a 429 that arrives while a request waits is waited out as well", async () => {
    const clock = stubClock(0);
    const pacer = createPacer(clock);
    const gate = createGate({ maxRequestsPerSecond: 1 }, clock);
    await gate.enter(pacer, signal);
    let leftAt = 0;
    void gate.enter(pacer, signal).then(() => {
      leftAt = clock.now();
    });
    await clock.advance(500);
    pacer.refused(5000);
    await clock.advance(10_000);
    expect(leftAt).toBeGreaterThan(5500);
  });
});
