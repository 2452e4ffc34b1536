import { describe, expect, test } from "vitest";
import { createPacer, type PolitePacer, type Sending } from "./pacer.ts";

/** A pacer that begins with this rate. */
const pacerAt = (rate: number) => createPacer(rate / 0.99);

/** Sends a request and records that it was accepted. */
function accepted(pacer: PolitePacer, sentAt: number, answeredAt = sentAt): Sending {
  const sending = pacer.sent(sentAt);
  pacer.admitted(answeredAt, sending);
  return sending;
}

/** Records a refusal with a wait of one second, after which the scout is accepted. */
function refusedOnce(pacer: PolitePacer, now: number): void {
  pacer.refused(now, pacer.sent(now), 1);
  accepted(pacer, now + 1000);
}

describe("the schedule", () => {
  test("begins at once, a little below the estimated limit, and is even", () => {
    const pacer = createPacer(100);
    expect(pacer.rate()).toBeCloseTo(99, 9);
    expect(pacer.delay(5)).toBe(0);
    pacer.sent(5);
    expect(pacer.delay(5)).toBeCloseTo(1000 / 99, 9);
    expect(pacer.delay(12)).toBeCloseTo(1000 / 99 - 7, 9);
    expect(pacer.delay(30)).toBe(0);
  });

  test("never exceeds the demand", () => {
    expect(createPacer(50, 20).rate()).toBe(20);
  });
});

describe("a window of a second", () => {
  test("opens a second after the response to the first of its requests", () => {
    const pacer = createPacer(5 / 0.99);
    const sendings = [0, 200, 400, 600, 800].map((at) => pacer.sent(at));
    expect(pacer.delay(1000)).toBe(Number.POSITIVE_INFINITY);
    for (const [place, sending] of sendings.entries()) {
      pacer.admitted(sending.sentAt + (place === 0 ? 45 : 5), sending);
    }
    // The limiter may have decided on the first up to 40 ms after it was sent; 5 ms is the usual response time.
    expect(pacer.delay(1000)).toBeCloseTo(40, 3);
    expect(pacer.delay(1040)).toBeCloseTo(0, 3);
  });

  test("does not wait for the response to a refused request", () => {
    const pacer = pacerAt(5);
    for (const sentAt of [0, 200]) accepted(pacer, sentAt);
    pacer.refused(400, pacer.sent(400), 1);
    for (const sentAt of [1400, 1700, 2000, 2300]) accepted(pacer, sentAt);
    expect(pacer.delay(3000)).toBe(0);
  });
});

describe("a refusal", () => {
  test("keeps each wait and counts its outcome", () => {
    const pacer = createPacer(10);
    pacer.refused(5, pacer.sent(0), 2);
    expect(pacer.delay(5)).toBe(2000);
    expect(pacer.delay(2004)).toBe(1);
    expect(pacer.delay(2005)).toBe(0);
    const scout = pacer.sent(2005);
    expect(pacer.delay(2500)).toBe(Number.POSITIVE_INFINITY);
    pacer.refused(2510, scout, 1);
    expect(pacer.waits).toEqual({ count: 2, waitedSeconds: 3, refusedAgain: 1 });
    expect(pacer.admitted(3520, pacer.sent(3510))).toBe(3515);
    expect(pacer.delay(3520)).toBeLessThan(110);
    expect(pacer.rate()).toBeLessThan(10 * 0.97);
  });

  test("counts refusals of requests in flight as one", () => {
    const pacer = createPacer(10);
    const sendings = [0, 1, 2].map((at) => pacer.sent(at));
    for (const sending of sendings) pacer.refused(10 + sending.sentAt, sending, 1);
    expect(pacer.waits).toMatchObject({ count: 1, refusedAgain: 0 });
  });

  test("ends with the scout's admission, not with that of a request sent before it", () => {
    const pacer = createPacer(10);
    const [refused, inFlight] = [pacer.sent(0), pacer.sent(1)];
    pacer.refused(5, refused, 1);
    const scout = pacer.sent(1005);
    expect(pacer.admitted(1010, inFlight)).toBeUndefined();
    expect(pacer.delay(1200)).toBe(Number.POSITIVE_INFINITY);
    expect(pacer.admitted(1015, scout)).toBe(1010);
    expect(pacer.delay(1200)).toBe(0);
    expect(pacer.admitted(1200, pacer.sent(1200))).toBeUndefined();
  });
});

test("the rate never grows, and each refusal lowers it", () => {
  const pacer = pacerAt(100);
  for (const now of [0, 3000, 60_000]) accepted(pacer, now);
  expect(pacer.rate()).toBeCloseTo(100, 9);
  refusedOnce(pacer, 61_000);
  expect(pacer.rate()).toBeCloseTo(97.5, 9);
  accepted(pacer, 600_000);
  expect(pacer.rate()).toBeCloseTo(97.5, 9);
});
