import { describe, expect, test } from "vitest";
import { type StubClock, settled, stubClock } from "../../test/support/stub-clock.ts";
import { createGate, createPacer, type Pacer, systemClock } from "./pacing.ts";

/** Takes turns concurrently and records when each was granted. */
function takeTurns(pacer: Pacer, clock: StubClock, names: readonly string[]): { name: string; at: number }[] {
  const given: { name: string; at: number }[] = [];
  const start = clock.now();
  for (const name of names) void pacer.turn().then(() => given.push({ name, at: clock.now() - start }));
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
  pacer.refused(wait, clock.now());
  return pacer.interval();
}

describe("a request leaves", () => {
  test("after the longest of several waits, also one that a later 429 asks for, to the millisecond", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    for (const wait of [1000, 3000, 2000]) pacer.refused(wait);
    const given = takeTurns(pacer, clock, ["a", "b"]);
    await clock.advance(500);
    pacer.refused(4000);
    await clock.advance(4059);
    expect(given).toEqual([]);
    await clock.advance(1);
    // What ignored the limit does not slow down those after it.
    expect(given).toEqual([
      { name: "a", at: 4560 },
      { name: "b", at: 4560 },
    ]);
  });

  test("one after the other at the learned interval, slightly slower than was accepted", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    // Ten requests were accepted in a second, before a wait of another second: nearly five per second.
    const interval = await learnFrom(clock, pacer, 10);
    expect(interval).toBeCloseTo(2060 / 10 / 0.9, 9);
    const given = takeTurns(pacer, clock, ["a", "b", "c"]);
    await clock.advance(10_000);
    expect(given.map(({ at }) => Math.round(at - 1060))).toEqual([0, 229, 458]);
    expect(pacer.refusal()).toBe(0);
  });
});

test("waits in vain are counted until a request is accepted; after three, each is longer, twice as much each time", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  const waits: number[] = [];
  for (let count = 0; count < 5; count++) {
    const sentAt = clock.now();
    // Concurrent refusals count as one.
    for (let one = 0; one < 3; one++) pacer.refused(1000, sentAt);
    waits.push(pacer.refusal());
    await clock.advance(pacer.refusal());
  }
  expect(waits).toEqual([1060, 1060, 1060, 1560, 2060]);
  expect(pacer.waitsInVain()).toEqual({ count: 5, milliseconds: 6800 });
  pacer.admitted();
  expect(pacer.waitsInVain().count).toBe(0);
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

  test("is made longer by a 429, never shorter", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    await learnFrom(clock, pacer, 20);
    expect(await learnFrom(clock, pacer, 10, [2000, 1000])).toBeCloseTo(3060 / 10 / 0.9, 9);
    expect(await learnFrom(clock, pacer, 100, [2000, 1000])).toBeCloseTo(3060 / 10 / 0.9, 9);
  });

  test("is halved after several windows without a 429, and later each time", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    const learned = await learnFrom(clock, pacer, 10);
    const after: number[] = [];
    for (const milliseconds of [3900, 200, 7900, 200]) {
      await clock.advance(milliseconds);
      pacer.admitted();
      after.push(pacer.interval());
    }
    expect(after).toEqual([learned, learned / 2, learned / 2, learned / 4]);
  });

  test("is not changed by a 429 to a request that was on its way when the first one arrived, however late", async () => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    const sentAt = clock.now();
    const interval = await learnFrom(clock, pacer, 100);
    for (let count = 0; count < 3; count++) {
      await clock.advance(interval * 2);
      pacer.admitted();
      pacer.refused(1000, sentAt);
    }
    expect(pacer.interval()).toBe(interval);
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
  /** Enters the gate, and stays there until this is called. */
  const stays = (enter: ReturnType<typeof createGate>, entered: () => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    void enter(undefined, async () => {
      entered();
      await promise;
    });
    return resolve;
  };

  test("most requests per second, also of concurrent ones", async () => {
    const clock = stubClock(0);
    const enter = createGate({ maxRequestsPerSecond: 4 }, clock);
    const at: number[] = [];
    for (let count = 0; count < 9; count++) stays(enter, () => at.push(clock.now()));
    await clock.advance(2000);
    expect(at).toEqual([0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000]);
  });

  test("most requests at the same time; one that fails gives its place to the next", async () => {
    const enter = createGate({ maxConcurrency: 2 }, stubClock());
    const entered: string[] = [];
    const leave = ["a", "b"].map((name) => stays(enter, () => entered.push(name)));
    const failing = enter(undefined, async () => Promise.reject(new Error("interrupted")));
    for (const name of ["c", "d"]) stays(enter, () => entered.push(name));
    await settled();
    expect(entered).toEqual(["a", "b"]);
    leave[0]?.();
    await expect(failing).rejects.toThrow("interrupted");
    await settled();
    expect(entered).toEqual(["a", "b", "c"]);
    leave[1]?.();
    await settled();
    expect(entered).toEqual(["a", "b", "c", "d"]);
  });

  test("a 429 that arrives while a request waits is waited out as well", async () => {
    const clock = stubClock(0);
    const pacer = createPacer(clock);
    const enter = createGate({ maxRequestsPerSecond: 1 }, clock);
    const at: number[] = [];
    for (let count = 0; count < 2; count++) void enter(pacer, async () => at.push(clock.now()));
    await clock.advance(500);
    pacer.refused(5000);
    await clock.advance(10_000);
    expect(at).toEqual([0, 5560]);
  });
});
