import { expect, test } from "vitest";
import { limiterNames, limiters, type SimulatedLimiter } from "../../test/support/limiters.ts";
import { createWaitLog, type ProbeResponse, tryWaits } from "./announced-waits.ts";

const latency = 20;

/** Tries the waits of a limiter in simulated time; its decision falls into the middle of each request. */
async function tried(decide: SimulatedLimiter, perSecond: number, start = 40_370) {
  let clock = start;
  const log = createWaitLog();
  const underWay: ProbeResponse[] = [];
  function send(): void {
    const decision = decide(clock + latency / 2);
    const waitSeconds = decision.admitted ? 0 : decision.retryAfter;
    underWay.push({ sentAt: clock, receivedAt: clock + latency, admitted: decision.admitted, waitSeconds });
  }
  function receive(): readonly ProbeResponse[] {
    const received = underWay.splice(0, underWay.findLastIndex((one) => one.receivedAt <= clock) + 1);
    for (const response of received) log.add(response);
    return received;
  }
  async function exceed(): Promise<void> {
    const end = clock + 10_000;
    let stopAt = end;
    while (clock < stopAt) {
      send();
      clock += 1000 / (perSecond * 3);
      const isRefused = receive().some(({ admitted }) => !admitted);
      if (isRefused && stopAt === end) stopAt = clock + 300;
      if (stopAt < end && log.current()?.isSure) break;
    }
    clock += latency;
    receive();
  }
  await exceed();
  return tryWaits({
    now: () => clock,
    pause: async (milliseconds) => {
      clock += Math.max(0, milliseconds);
    },
    ask: async () => {
      send();
      clock += latency;
      return receive().at(-1)?.admitted === true ? 200 : 429;
    },
    exceed,
    current: log.current,
  });
}

/** Refuses for `factor` times the wait that the first refusal announces. */
function banning(limiter: SimulatedLimiter, factor: number): SimulatedLimiter {
  let until = 0;
  let retryAfter = 1;
  return (now) => {
    if (now < until) return { admitted: false, retryAfter };
    const decision = limiter(now);
    if (!decision.admitted) {
      retryAfter = decision.retryAfter;
      until = now + retryAfter * factor * 1000;
    }
    return decision;
  };
}

/** Changes the seconds that a limiter announces. */
function announcing(limiter: SimulatedLimiter, seconds: number): SimulatedLimiter {
  return (now) => {
    const decision = limiter(now);
    return decision.admitted ? decision : { admitted: false, retryAfter: seconds };
  };
}

const starts = Array.from({ length: 20 }, (_, index) => 40_000 + index * 53);

test.each(limiterNames)("%s: no wait is broken, and a ban three times as long is", async (name) => {
  for (const perSecond of [5, 50, 500]) {
    for (const start of starts) {
      expect(await tried(limiters[name](perSecond), perSecond, start)).toEqual({
        tried: 3,
        kept: 3,
        broken: 0,
        keptAgain: 0,
      });
      const { broken, ...rest } = await tried(banning(limiters[name](perSecond), 3), perSecond, start);
      expect(broken).toBeGreaterThanOrEqual(3);
      expect(broken).toBeGreaterThanOrEqual(rest.tried - 1);
      expect(rest.keptAgain).toBeGreaterThan(0);
    }
  }
});

test.each(limiterNames)("%s: a wait that is rounded down or 0 is not broken", async (name) => {
  for (const start of starts) {
    expect((await tried(announcing(limiters[name](5), 0), 5, start)).broken).toBe(0);
    expect((await tried(announcing(limiters[name](5), 1), 5, start)).broken).toBe(0);
  }
});

/** A window of eight seconds that announces this much besides the time until the next one. */
function slowWindow(perWindow: number, besides: number): SimulatedLimiter {
  let [window, count] = [-1, 0];
  return (now) => {
    const current = Math.floor(now / 8000);
    if (current !== window) [window, count] = [current, 0];
    count += 1;
    const left = Math.ceil(((current + 1) * 8000 - now) / 1000);
    return count <= perWindow ? { admitted: true } : { admitted: false, retryAfter: left + besides };
  };
}

test("a wait that is a second short is broken, and one that is a second too long is not", async () => {
  for (const start of starts) {
    const short = await tried(slowWindow(20, -1), 5, start);
    expect(short.broken).toBeGreaterThanOrEqual(Math.max(3, short.tried - 1));
    expect((await tried(slowWindow(20, 0), 5, start)).broken).toBe(0);
    expect((await tried(slowWindow(20, 1), 5, start)).broken).toBe(0);
  }
});

test.each(limiterNames)("%s: another client that uses half of the limit breaks no wait", async (name) => {
  for (const start of starts) {
    const limiter = limiters[name](10);
    let others = start;
    const shared: SimulatedLimiter = (now) => {
      for (; others < now; others += 200) limiter(others);
      return limiter(now);
    };
    expect((await tried(shared, 10, start)).broken).toBeLessThan(3);
  }
});
