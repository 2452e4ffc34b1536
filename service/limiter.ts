import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** Lets an organization in, or tells how long to wait. */
export interface Limiter {
  /** Undefined when let in, otherwise whole seconds (1 or more) after which a request is let in. */
  take(organization: number): Promise<number | undefined>;
}

/** Seconds in which the part of a burst above the rate is given once. */
const burstWindow = 10;

/**
 * A limit for each organization: `rate` requests in each second, and up to `burst` at once.
 * Batches count as one request.
 */
export function createLimiter(rate: number, burst: number): Limiter {
  const steady = new RateLimiterMemory({ points: rate, duration: 1 });
  const extra = new RateLimiterMemory({
    keyPrefix: "burst",
    points: burst - rate,
    duration: burstWindow,
  });
  // Without anything above the rate the second limiter would only spoil the hint when to come again.
  const limiter = burst > rate ? new BurstyRateLimiter(steady, extra) : steady;
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
