import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** Lets an organization in, or tells how long to wait. */
export interface Limiter {
  /** Undefined when let in, otherwise whole seconds (1 or more) after which a request is let in. */
  take(organization: number): Promise<number | undefined>;
}

/** Seconds in which the part of a burst above the rate is given once. */
const burstWindow = 10;

/**
 * A limit for each organization: `rate` requests a second (more than 0), and up to `burst` at once.
 * Batches count as one request.
 */
export function createLimiter(rate: number, burst: number): Limiter {
  // Whole requests in as much time as they take: a rate of 2.5 is two in 0.8 s, one of 0.5 one in 2 s.
  const points = Math.max(1, Math.floor(rate));
  const steady = new RateLimiterMemory({ points, duration: points / rate });
  const above = Math.floor(burst - points);
  // Without anything above the rate a second limiter would only spoil the hint when to come again.
  const limiter =
    above < 1
      ? steady
      : new BurstyRateLimiter(
          steady,
          new RateLimiterMemory({ keyPrefix: "burst", points: above, duration: burstWindow }),
        );
  return {
    async take(organization) {
      try {
        await limiter.consume(organization);
        return undefined;
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        return Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
      }
    },
  };
}
