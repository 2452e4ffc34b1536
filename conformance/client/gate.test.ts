import { expect, test } from "vitest";
import { settled, stubClock } from "../../test/support/stub-clock.ts";
import { createGate } from "./gate.ts";
import { createPacer } from "./pacing.ts";

const { signal } = new AbortController();

test("sends at most this many requests per second, also of concurrent ones", async () => {
  const clock = stubClock(0);
  const gate = createGate({ maxRequestsPerSecond: 4 }, clock);
  const at: number[] = [];
  for (let count = 0; count < 9; count++) void gate.enter(undefined, signal).then(() => at.push(clock.now()));
  await clock.advance(2000);
  expect(at).toEqual([0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000]);
});

test("sends at most this many requests concurrently; the next one leaves when one has ended", async () => {
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
