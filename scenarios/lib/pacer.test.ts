import { expect, test } from "vitest";
import { createPacer } from "./pacer.ts";

// What a polite client gets of a limit is shown in simulated time, by rate-limit.test.ts.

/** A pacer that begins with this rate. */
const pacerAt = (rate: number) => createPacer(rate / 0.99);

test("the schedule begins at once, a little below the estimated limit, and is even", () => {
  const pacer = createPacer(100);
  expect(pacer.delay(5)).toBe(0);
  pacer.sent(5);
  expect(pacer.delay(12)).toBeCloseTo(1000 / 99 - 7, 9);
  expect(pacer.delay(30)).toBe(0);
  expect(createPacer(50, 20).rate()).toBe(20);
});

test("after a stall, 40 ms of the schedule are caught up, at slow rates less", () => {
  const delayAfter = (rate: number, count: number) => {
    const pacer = pacerAt(rate);
    for (const at of [0, ...new Array(count).fill(1000)]) pacer.sent(at);
    return Math.round(pacer.delay(1000));
  };
  expect([delayAfter(25, 1), delayAfter(100, 5), delayAfter(200, 9)]).toEqual([20, 10, 5]);
});

test("a window opens a second after the response to the first of its requests", () => {
  const pacer = pacerAt(5);
  const sendings = [0, 200, 400, 600, 800].map((at) => pacer.sent(at));
  expect(pacer.delay(1000)).toBe(Number.POSITIVE_INFINITY);
  for (const [place, sending] of sendings.entries())
    pacer.admitted(sending.sentAt + (place === 0 ? 45 : 5), sending);
  // The limiter may have decided on the first up to 40 ms after it was sent; 5 ms is the usual response time.
  expect(pacer.delay(1000)).toBeCloseTo(40, 3);
  expect(pacer.delay(1040)).toBeCloseTo(0, 3);
});

test("a refused request opens no window, and only refusals change the rate", () => {
  const pacer = pacerAt(5);
  const accepted = (at: number, took = 0) => pacer.admitted(at + took, pacer.sent(at));
  accepted(0);
  accepted(200, 2000);
  expect(pacer.rate()).toBeCloseTo(5, 9);
  pacer.refused(400, pacer.sent(400), 1);
  for (const at of [1400, 1700, 2000, 2300]) accepted(at);
  expect(pacer.delay(3000)).toBeCloseTo(2200 + 5000 / pacer.rate() - 3000, 9);
  expect(pacer.rate()).toBeCloseTo(5 * 0.975, 9);
});

test("each wait is kept and counted, and ends with the acceptance of the request after it", () => {
  const pacer = createPacer(10);
  // Three in flight are refused as one.
  const [inFlight, ...refused] = [0, 0, 0, 0].map((at) => pacer.sent(at));
  for (const one of refused) pacer.refused(5, one, 2);
  expect([5, 2004, 2005].map((now) => pacer.delay(now))).toEqual([2000, 1, 0]);
  const scout = pacer.sent(2005);
  if (inFlight !== undefined) pacer.admitted(2010, inFlight);
  expect(pacer.delay(2500)).toBe(Number.POSITIVE_INFINITY);
  pacer.refused(2510, scout, 1);
  pacer.refused(3520, pacer.sent(3510), 1);
  expect(pacer.waits).toEqual({ count: 3, waitedSeconds: 4, refusedAgain: 2 });
  pacer.admitted(4530, pacer.sent(4520));
  expect(pacer.delay(4530)).toBeCloseTo(1000 / pacer.rate() - 10, 9);
});
