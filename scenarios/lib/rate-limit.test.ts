import { describe, expect, test } from "vitest";
import { estimateLimit, type ProbeSample, probeRate } from "./limit-estimate.ts";
import { limiterNames, limiters } from "./limiters.ts";
import { createPacer } from "./pacer.ts";
import { uniform } from "./random.ts";

const rates = [5, 50, 500];
const all = limiterNames.flatMap((name) => rates.map((perSecond) => ({ name, perSecond })));

/** A steady probe at `rate` for `seconds`, each request up to 3 ms late. */
function probe(name: (typeof limiterNames)[number], perSecond: number, rate: number, seconds: number) {
  const limiter = limiters[name](perSecond);
  const offset = 40_000 + 370;
  return Array.from({ length: rate * seconds }, (_, index): ProbeSample => {
    const at = offset + (index * 1000) / rate + uniform(1, index, 0) * Math.min(3, 600 / rate);
    return { at, admitted: limiter(at).admitted };
  });
}

describe("the estimate of a limit", () => {
  test.each(all)("$name at $perSecond a second", ({ name, perSecond }) => {
    for (const overload of [2, 2.2, 3]) {
      const estimate = estimateLimit(probe(name, perSecond, probeRate(perSecond, overload), 10));
      expect(estimate?.perSecond).toBeGreaterThan(perSecond * 0.95);
      expect(estimate?.perSecond).toBeLessThan(perSecond * 1.05);
      expect(estimate?.low).toBeLessThanOrEqual(perSecond);
      expect(estimate?.high).toBeGreaterThanOrEqual(perSecond);
      expect(estimate?.kind).toBe(name.endsWith("window") ? "window" : "bucket");
      if (name.endsWith("window")) expect(estimate?.windowSeconds).toBeCloseTo(1, 0);
    }
  });

  test("tells how much a full bucket holds", () => {
    const burst = estimateLimit(probe("token bucket", 50, 100, 10))?.burst ?? 0;
    expect(burst).toBeGreaterThan(98);
    expect(burst).toBeLessThan(104);
  });

  test("is none when nothing, everything, or all but one stretch was refused", () => {
    const samples = (pattern: string) =>
      [...pattern].map((letter, index) => ({ at: index * 10, admitted: letter === "a" }));
    for (const pattern of ["", "aaaa", "rrrr", "aaarrr", "aaarrraaa"]) {
      expect(estimateLimit(samples(pattern))).toBeUndefined();
    }
  });
});

/** Half a minute of a polite client with more demand than the limiter lets in; answers take 2 to 6 ms. */
function live(name: (typeof limiterNames)[number], perSecond: number, estimate: number) {
  const limiter = limiters[name](perSecond);
  const pacer = createPacer(estimate);
  const underWay: { done: number; sentAt: number; decided: ReturnType<typeof limiter> }[] = [];
  let good = 0;
  let sent = 0;
  let early = 0;
  let promisedUntil = 0;
  const seconds = 40;
  for (let now = 40_000; now < 40_000 + seconds * 1000; now += 1) {
    while (underWay[0] !== undefined && underWay[0].done <= now) {
      const { sentAt, decided } = underWay.shift() ?? { sentAt: 0, decided: { admitted: true as const } };
      if (decided.admitted) {
        good += 1;
        pacer.admitted(now, sentAt);
      } else pacer.refused(now, sentAt, decided.retryAfter);
    }
    while (pacer.delay(now) <= 0) {
      pacer.sent(now);
      sent += 1;
      const decided = limiter(now + 1);
      if (now + 1 < promisedUntil) early += 1;
      if (!decided.admitted) promisedUntil = Math.max(promisedUntil, now + 1 + decided.retryAfter * 1000);
      underWay.push({ done: now + 2 + Math.floor(uniform(2, sent, 0) * 4), sentAt: now, decided });
      underWay.sort((a, b) => a.done - b.done);
    }
  }
  return { goodput: good / seconds, early: early / sent, waits: pacer.waits };
}

describe("a polite client", () => {
  test.each(all)("gets 95 % of a $name at $perSecond a second", ({ name, perSecond }) => {
    for (const error of [0.97, 1, 1.03]) {
      const { goodput, early } = live(name, perSecond, perSecond * error);
      expect(goodput).toBeGreaterThan(perSecond * 0.95 * Math.min(1, error));
      expect(early).toBeLessThan(0.01);
    }
  });

  test("keeps each wait, and counts what came of it", () => {
    const pacer = createPacer(10);
    pacer.sent(0);
    pacer.refused(5, 0, 2);
    expect(pacer.delay(5)).toBe(2000);
    expect(pacer.delay(2004)).toBe(1);
    expect(pacer.delay(2005)).toBe(0);
    pacer.sent(2005);
    expect(pacer.delay(2500)).toBe(Number.POSITIVE_INFINITY);
    pacer.refused(2510, 2005, 1);
    expect(pacer.waits).toMatchObject({ count: 2, toldSeconds: 3, refusedAgain: 1, recovered: 0 });
    pacer.sent(3510);
    pacer.admitted(3520, 3510);
    expect(pacer.delay(3520)).toBeLessThan(110);
    expect(pacer.waits).toMatchObject({ recovered: 1, recoveryMilliseconds: 3515 });
    expect(pacer.rate()).toBeLessThan(10 * 0.97 * 0.97);
  });

  test("takes refusals of requests under way for one", () => {
    const pacer = createPacer(10);
    for (const at of [0, 1, 2]) pacer.sent(at);
    for (const at of [0, 1, 2]) pacer.refused(10 + at, at, 1);
    expect(pacer.waits.count).toBe(1);
  });
});
