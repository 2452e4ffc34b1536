import { expect, test } from "vitest";
import { createPacer } from "./pacer.ts";

// What a polite client gets of a limit is shown in simulated time, by rate-limit.test.ts.

test("the schedule begins at once, a little below the estimated limit, and is even", () => {
  const pacer = createPacer(100);
  expect(pacer.delay(5)).toBe(0);
  pacer.sent(5);
  expect(pacer.delay(12)).toBeCloseTo(1000 / 97 - 7, 9);
  expect(pacer.delay(30)).toBe(0);
  const demanded = createPacer(50, 20);
  demanded.sent(0);
  expect(demanded.delay(0)).toBe(50);
});

test("after a stall, 5 ms of the schedule are caught up", () => {
  const pacer = createPacer(500 / 0.97);
  for (const at of [0, 1000, 1000, 1000]) pacer.sent(at);
  expect(pacer.delay(1000)).toBeCloseTo(1, 9);
});

test("each wait is kept and counted, and ends with the acceptance of the request after it", () => {
  const pacer = createPacer(10);
  // Three in flight are refused as one.
  const [inFlight, ...refused] = [0, 0, 0, 0].map((at) => pacer.sent(at));
  for (const one of refused) pacer.refused(5, one, 2);
  expect([5, 2004, 2005].map((now) => pacer.delay(now))).toEqual([2000, 1, 0]);
  const scout = pacer.sent(2005);
  if (inFlight !== undefined) pacer.admitted(inFlight);
  expect(pacer.delay(2500)).toBe(Number.POSITIVE_INFINITY);
  pacer.refused(2510, scout, 1);
  pacer.refused(3520, pacer.sent(3510), 1);
  expect(pacer.waits).toEqual({ count: 3, waitedSeconds: 4, refusedAgain: 2 });
  pacer.admitted(pacer.sent(4520));
  expect(pacer.delay(4530)).toBeCloseTo(1000 / (9.7 * 0.975 ** 3) - 10, 9);
});
