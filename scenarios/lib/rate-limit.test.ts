import { describe, expect, test } from "vitest";
import type { FoundRateLimit } from "../../schemas/contracts/load-result.ts";
import { type Decision, limiterNames, limiters } from "../../test/support/limiters.ts";
import {
  estimateLimit,
  type Hold,
  highestRate,
  type ProbeSample,
  probeLimit,
  probeRate,
} from "./limit-estimate.ts";
import { mostUnderWay } from "./options.ts";
import { createPacer, type Sending } from "./pacer.ts";
import { uniform } from "./traffic.ts";

// Hundreds a second differ from 50 by their number of requests: one kind of limiter shows them.
const ratesOf = (name: (typeof limiterNames)[number]) => (name === "token bucket" ? [5, 50, 500] : [5, 50]);
const all = limiterNames.flatMap((name) => ratesOf(name).map((perSecond) => ({ name, perSecond })));

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
    }
  });

  test("is undefined when nothing, everything, or all but one period was refused", () => {
    const samples = (pattern: string) =>
      [...pattern].map((letter, index) => ({ at: index * 10, admitted: letter === "a" }));
    for (const pattern of ["", "aaaa", "rrrr", "aaarrr", "aaarrraaa"]) {
      expect(estimateLimit(samples(pattern))).toBeUndefined();
    }
  });
});

/**
 * A complete probe of an unused limiter; each request takes 1 to 6 ms, one in a hundred 30 ms more. On a busy machine, each way
 * of one in five takes up to 150 ms more, so responses overtake each other.
 */
async function wholeProbe(
  name: (typeof limiterNames)[number],
  perSecond: number,
  seed: number,
  isBusy = false,
) {
  const limiter = limiters[name](perSecond);
  let now = 40_000 + Math.floor(uniform(seed, 0, 0) * 1000);
  let sent = 0;
  const rest = async (seconds: number) => {
    now += seconds * 1000;
  };
  const hold: Hold = async (rate, seconds, phase) => {
    // A burst ends at its first refusals: four times the limit and some more is enough for any of these limiters.
    const most = phase === "burst" ? perSecond * 4 + 50 : rate * seconds;
    const asked = Array.from({ length: Math.floor(most) }, (_, index) => {
      const sentAt = now + (index * 1000) / rate;
      sent += 1;
      const slow = uniform(seed, sent, 1) < 0.01 ? 30 : 0;
      const held = (draw: number) =>
        isBusy && uniform(seed, sent, draw) < 0.2 ? uniform(seed, sent, draw + 1) * 150 : 0;
      const there = 0.5 + uniform(seed, sent, 2) * 2.5 + slow + held(4);
      const back = 0.5 + uniform(seed, sent, 3) * 2.5 + held(6);
      const within = (there + back) / 2;
      return { decidedAt: sentAt + there, at: sentAt + within, within };
    });
    const inOrderOfArrival = asked.toSorted((a, b) => a.decidedAt - b.decidedAt);
    const samples = inOrderOfArrival.map(({ decidedAt, at, within }) => ({
      at,
      within,
      admitted: limiter(decidedAt).admitted,
    }));
    now = Math.max(now + seconds * 1000, ...asked.map(({ at, within }) => at + within)) + 5;
    return samples;
  };
  return await probeLimit(10, 15, hold, rest);
}

/** The burst that each limiter of `limiters.ts` accepts. */
const bursts = {
  "fixed window": (perSecond) => perSecond,
  "sliding window": (perSecond) => perSecond,
  "token bucket": (perSecond) => 2 * perSecond,
  GCRA: (perSecond) => Math.max(2, perSecond / 10) + 1,
} as const satisfies Record<(typeof limiterNames)[number], (perSecond: number) => number>;

describe("a whole probe", () => {
  test.each([false, true].flatMap((isBusy) => all.map((limiter) => ({ ...limiter, isBusy }))))(
    "finds limit and burst of a $name at $perSecond a second, on a busy machine: $isBusy",
    async ({ name, perSecond, isBusy }) => {
      const burst = bursts[name](perSecond);
      for (let seed = 1; seed <= 5; seed++) {
        const outcome = await wholeProbe(name, perSecond, seed, isBusy);
        const found: Partial<FoundRateLimit> = outcome.kind === "limit" ? outcome : {};
        expect(found.burstLow ?? burst, `seed ${seed}`).toBeLessThanOrEqual(burst);
        expect(found.burstHigh ?? burst, `seed ${seed}`).toBeGreaterThanOrEqual(burst);
        // On a busy machine only the interval is promised, where there is one.
        if (isBusy) continue;
        expect(found.perSecond, `seed ${seed}`).toBeGreaterThan(perSecond * 0.95);
        expect(found.perSecond, `seed ${seed}`).toBeLessThan(perSecond * 1.05);
        expect(found.burst, `seed ${seed}`).toBeGreaterThanOrEqual(Math.min(burst * 0.9, burst - 1));
        // A bucket gets tokens while the burst lasts.
        const accepted = burst / (1 - perSecond / highestRate);
        expect(found.burst, `seed ${seed}`).toBeLessThanOrEqual(Math.max(accepted * 1.1, burst + 1));
      }
    },
  );

  test("the interval of a burst holds that of a bucket that locks out for 4 s who exceeds it", async () => {
    const bucket = limiters["token bucket"](200);
    let [now, lockedUntil] = [0, 0];
    const admits = (at: number) => {
      if (at < lockedUntil) return false;
      const { admitted } = bucket(at);
      if (!admitted) lockedUntil = at + 4000;
      return admitted;
    };
    const rest = async (seconds: number) => {
      now += seconds * 1000;
    };
    const hold: Hold = async (rate, seconds) => {
      const samples = Array.from({ length: rate * seconds }, (_, index) => {
        const at = now + (index * 1000) / rate;
        return { at, admitted: admits(at) };
      });
      await rest(seconds);
      return samples;
    };
    const outcome = await probeLimit(10, 15, hold, rest);
    const found: Partial<FoundRateLimit> = outcome.kind === "limit" ? outcome : {};
    expect(found.burstLow).toBeLessThanOrEqual(400);
    expect(found.burstHigh).toBeGreaterThanOrEqual(400);
  });

  test("finds no limit of a service without one, and reports that it could not send enough", async () => {
    const rest = async () => undefined;
    const admitAll = async (rate: number) =>
      Array.from({ length: rate }, (_, at) => ({ at, admitted: true }));
    expect(await probeLimit(10, 15, admitAll, rest)).toEqual({ kind: "no limit" });
    const fewer = async (rate: number, seconds: number, phase: string) =>
      Array.from({ length: phase === "steady" ? 10 : rate * seconds }, (_, at) => ({
        at: at * 10,
        admitted: at % 3 === 0,
      }));
    expect(await probeLimit(10, 15, fewer, rest)).toMatchObject({ kind: "starved", sent: 10 });
  });
});

interface UnderWay {
  readonly sending: Sending;
  readonly arrives: number;
  readonly answered: number;
  decided?: Decision;
}

const liveSeconds = 60;
/** Share of the milliseconds in which the client itself stalls. */
const stallShare = 0.001;

/**
 * A minute of a polite client with more demand than the limiter accepts, in simulated time that goes from event to event. Each
 * direction takes 1 to 3 ms, one in a hundred 20 ms more.
 */
function live(name: (typeof limiterNames)[number], perSecond: number, estimate: number, seed = 7) {
  const limiter = limiters[name](perSecond);
  const pacer = createPacer(estimate);
  let underWay: UnderWay[] = [];
  let good = 0;
  let sent = 0;
  let early = 0;
  let promisedUntil = 0;
  let draws = 0;
  const draw = () => uniform(seed, draws++, perSecond);
  const wayMilliseconds = () => 1 + Math.floor(draw() * 3) + (draw() < 0.01 ? 20 : 0);
  const start = 40_370;
  const untilStall = () => 1 + Math.floor(Math.log(1 - draw()) / Math.log(1 - stallShare));
  let stallsAt = start + untilStall();
  let stalledUntil = start;

  /** The next millisecond in which anything happens. */
  function nextEvent(now: number): number {
    const isStalled = now < stalledUntil;
    let next = isStalled ? Math.ceil(stalledUntil) : stallsAt;
    for (const { decided, arrives, answered } of underWay) {
      if (decided === undefined && arrives < next) next = arrives;
      if (!isStalled && answered < next) next = answered;
    }
    if (isStalled) return next;
    if (underWay.length < mostUnderWay) next = Math.min(next, now + Math.ceil(pacer.delay(now)));
    return Math.max(now + 1, next);
  }

  for (let now = start; now < start + liveSeconds * 1000; now = nextEvent(now)) {
    for (const request of underWay) {
      if (request.arrives > now || request.decided !== undefined) continue;
      if (now < promisedUntil) early += 1;
      request.decided = limiter(now);
      if (!request.decided.admitted)
        promisedUntil = Math.max(promisedUntil, now + request.decided.retryAfter * 1000);
    }
    if (now < stalledUntil) continue;
    if (now >= stallsAt) {
      stalledUntil = now + draw() * 30;
      stallsAt = now + untilStall();
    }
    if (underWay.some(({ answered }) => answered <= now)) {
      const waiting: UnderWay[] = [];
      for (const request of underWay) {
        if (request.answered > now) waiting.push(request);
        else if (request.decided?.admitted === false)
          pacer.refused(now, request.sending, request.decided.retryAfter);
        else {
          good += 1;
          pacer.admitted(request.sending);
        }
      }
      underWay = waiting;
    }
    while (underWay.length < mostUnderWay && pacer.delay(now) <= 0) {
      const arrives = now + wayMilliseconds();
      underWay.push({ sending: pacer.sent(now), arrives, answered: arrives + wayMilliseconds() });
      sent += 1;
    }
  }
  return { goodput: good / liveSeconds / perSecond, early: early / sent, waits: pacer.waits };
}

describe("a polite client", () => {
  test.each(all)("gets 93 % of a $name at $perSecond a second", ({ name, perSecond }) => {
    for (const error of [0.98, 0.992, 1, 1.01]) {
      for (let seed = 1; seed <= 4; seed++) {
        const { goodput, early } = live(name, perSecond, perSecond * error, seed);
        expect(goodput, `estimate ${error}, seed ${seed}`).toBeGreaterThanOrEqual(0.93);
        expect(early).toBeLessThan(0.01);
      }
    }
  });

  test.each(all)("gets along with a limit a tenth too high for a $name at $perSecond a second", (limit) => {
    const { goodput, early } = live(limit.name, limit.perSecond, limit.perSecond * 1.1);
    expect(goodput).toBeGreaterThan(0.89);
    expect(early).toBeLessThan(0.01);
  });
});
