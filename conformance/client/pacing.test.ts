import { expect, test } from "vitest";
import { type StubClock, settled, stubClock } from "../../test/support/stub-clock.ts";
import { createGate, createPacer, type Pacer, systemClock, WaitTooLong } from "./pacing.ts";

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

test("before the first 429 every request leaves at once, in order", async () => {
  const clock = stubClock();
  const given = takeTurns(createPacer(clock), clock, ["a", "b", "c"]);
  await settled();
  expect(given).toEqual([
    { name: "a", at: 0 },
    { name: "b", at: 0 },
    { name: "c", at: 0 },
  ]);
  expect(clock.sleeps).toEqual([]);
});

test("after a 429 nothing leaves before the wait has passed, to the millisecond", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  pacer.refused(5000);
  const given = takeTurns(pacer, clock, ["a"]);
  await clock.advance(5000);
  expect(given).toEqual([]);
  await clock.advance(1000);
  expect(given.map(({ name }) => name)).toEqual(["a"]);
  expect(given[0]?.at).toBeGreaterThan(5000);
  expect(given[0]?.at).toBeLessThan(5200);
});

test("waiting requests leave one after the other at the learned interval", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  // Ten requests were accepted in a second, before a wait of another second: nearly five per second.
  await clock.advance(1000);
  for (let count = 0; count < 10; count++) pacer.admitted();
  pacer.refused(1000);
  const given = takeTurns(pacer, clock, ["a", "b", "c", "d"]);
  await clock.advance(10_000);
  expect(given.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
  const gaps = given.slice(1).map(({ at }, index) => at - (given[index]?.at ?? 0));
  // Slightly slower than the accepted rate.
  for (const gap of gaps) {
    expect(gap).toBeGreaterThan(200);
    expect(gap).toBeLessThan(260);
  }
});

test("the interval is never longer than Retry-After", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  await clock.advance(60_000);
  pacer.admitted();
  pacer.refused(1000);
  expect(pacer.interval()).toBe(1000);
});

test("a limit that others have used up before the first request says nothing about the pace", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  pacer.refused(18_000);
  expect([pacer.refusal(), pacer.interval()]).toEqual([18_060, 0]);
  await clock.advance(18_060);
  pacer.refused(2000);
  expect([pacer.refusal(), pacer.interval()]).toEqual([2060, 0]);
});

test("after several windows without a 429 the pace is raised, and later each time that was too early", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  const learned = await learnFrom(clock, pacer, 10);
  await clock.advance(3900);
  pacer.admitted();
  expect(pacer.interval()).toBe(learned);
  await clock.advance(200);
  pacer.admitted();
  expect(pacer.interval()).toBe(learned / 2);
  await clock.advance(100);
  pacer.admitted();
  pacer.refused(1000);
  const again = pacer.interval();
  await clock.advance(7900);
  pacer.admitted();
  expect(pacer.interval()).toBe(again);
  await clock.advance(200);
  pacer.admitted();
  expect(pacer.interval()).toBe(again / 2);
});

/** The interval after so many requests were accepted in a second, and another second of wait was asked for. */
async function learnFrom(clock: StubClock, pacer: Pacer, accepted: number): Promise<number> {
  await clock.advance(1000);
  for (let count = 0; count < accepted; count++) pacer.admitted();
  pacer.refused(1000);
  return pacer.interval();
}

test("the interval follows from the requests accepted since the last 429, and a 429 never makes it shorter", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  // A second to send, one to wait and 60 ms of margin, at 90 % of the accepted rate.
  expect(await learnFrom(clock, pacer, 20)).toBeCloseTo(2060 / 20 / 0.9, 9);
  await clock.advance(1000);
  expect(await learnFrom(clock, pacer, 10)).toBeCloseTo(3060 / 10 / 0.9, 9);
  await clock.advance(1000);
  expect(await learnFrom(clock, pacer, 100)).toBeCloseTo(3060 / 10 / 0.9, 9);
});

test.each([
  [900, 1000],
  [2000, 2000],
])(
  "a wait of %i ms after one of a second: the interval is %i ms, longer only if it ends after the next turn",
  async (wait, slower) => {
    const clock = stubClock();
    const pacer = createPacer(clock);
    pacer.admitted();
    pacer.refused(1000);
    expect(pacer.interval()).toBe(1000);
    await clock.advance(1060);
    pacer.admitted();
    pacer.refused(wait);
    expect(pacer.interval()).toBe(slower);
  },
);

test("a 429 to a request that left just before the first 429 arrived does not change the interval", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  await clock.advance(1000);
  for (let count = 0; count < 1000; count++) pacer.admitted();
  pacer.refused(1000);
  const interval = pacer.interval();
  // It is recorded as sent when its headers leave, which may be a moment after its turn.
  await clock.advance(20);
  for (let count = 0; count < 2; count++) pacer.admitted();
  pacer.refused(1000, clock.now() - 15);
  expect(pacer.interval()).toBe(interval);
});

test("a late 429 of an earlier burst does not hide that of a request sent in between", async () => {
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
  await clock.advance(5000);
  expect([pacer.wait(), pacer.refusal()]).toEqual([0, 0]);
});

test("a wait of zero seconds is short, but slows down to the accepted rate", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  await clock.advance(1000);
  for (let count = 0; count < 30; count++) pacer.admitted();
  pacer.refused(0);
  expect(pacer.wait()).toBeLessThan(100);
  expect(pacer.interval()).toBeGreaterThan(33);
  expect(pacer.interval()).toBeLessThan(50);
});

test("of several concurrent 429 responses only the first changes the interval", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  await clock.advance(1000);
  for (let count = 0; count < 10; count++) pacer.admitted();
  pacer.refused(2000);
  const interval = pacer.interval();
  pacer.refused(2000);
  pacer.refused(1000);
  expect(pacer.interval()).toBe(interval);
});

test("a late 429 to a request sent before the first one does not change the interval", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  await clock.advance(1000);
  const sentAt = clock.now();
  for (let count = 0; count < 100; count++) pacer.admitted();
  await clock.advance(5);
  pacer.refused(1000, sentAt);
  const interval = pacer.interval();
  for (let count = 0; count < 3; count++) {
    await clock.advance(interval * 2);
    pacer.refused(1000, sentAt);
  }
  expect(pacer.interval()).toBe(interval);
  expect(interval).toBeLessThan(30);
  // A request sent after that and refused again shows that the rate was too high.
  await clock.advance(2000);
  pacer.admitted();
  pacer.refused(1000);
  expect(pacer.interval()).toBe(1000);
});

test("the longest of several waits counts, in any order", () => {
  for (const waits of [
    [1000, 7000, 3000],
    [7000, 3000, 1000],
  ]) {
    const pacer = createPacer(stubClock());
    for (const wait of waits) pacer.refused(wait);
    expect(pacer.wait()).toBeGreaterThanOrEqual(7000);
  }
});

test("a 429 also delays requests that are already waiting", async () => {
  const clock = stubClock();
  const pacer = createPacer(clock);
  pacer.refused(1000);
  const given = takeTurns(pacer, clock, ["a", "b"]);
  await clock.advance(500);
  pacer.refused(4000);
  await clock.advance(3999);
  expect(given).toEqual([]);
  await clock.advance(10_000);
  expect(given.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(given[0]?.at).toBeGreaterThanOrEqual(4500);
});

test("a 429 to a request sent regardless of the limit delays the next request, and does not slow down those after it", async () => {
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

test("the request after an aborted one still waits as long as required", async () => {
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

test("a wait that grows beyond the end of the run is given up at once, and the next requests leave in their turn", async () => {
  const clock = stubClock(0);
  const pacer = createPacer(clock);
  pacer.refused(1000);
  const first = pacer.turn(undefined, 5000);
  const outcome = first.catch((error: unknown) => error);
  await clock.untilAsleep();
  pacer.refused(9000);
  await clock.advance(1100);
  expect(await outcome).toBeInstanceOf(WaitTooLong);
  await expect(pacer.turn(undefined, 5000)).rejects.toThrow(WaitTooLong);
});

test("the system clock sleeps at least as long as requested, and stops when aborted", async () => {
  const start = performance.now();
  await systemClock.sleep(20.5);
  // Node's timers may fire up to a millisecond early by this clock.
  expect(performance.now() - start).toBeGreaterThan(19);
  await expect(systemClock.sleep(60_000, AbortSignal.abort())).rejects.toThrow("aborted");
});

const { signal } = new AbortController();

test("the gate sends at most this many requests per second, also of concurrent ones", async () => {
  const clock = stubClock(0);
  const gate = createGate({ maxRequestsPerSecond: 4 }, clock);
  const at: number[] = [];
  for (let count = 0; count < 9; count++) void gate.enter(undefined, signal).then(() => at.push(clock.now()));
  await clock.advance(2000);
  expect(at).toEqual([0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000]);
});

test("the gate sends at most this many requests concurrently; the next one leaves when one has ended", async () => {
  const gate = createGate({ maxConcurrency: 2 }, stubClock());
  let entered = 0;
  for (let count = 0; count < 4; count++) void gate.enter(undefined, signal).then(() => entered++);
  await settled();
  expect(entered).toBe(2);
  gate.left();
  await settled();
  expect(entered).toBe(3);
  gate.left();
  gate.left();
  await settled();
  expect(entered).toBe(4);
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
