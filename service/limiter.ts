import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** The rate limit of each organization. */
export interface Limiter {
  /** Undefined when the request is accepted, otherwise the whole seconds (1 or more) to wait. */
  take(organization: number): Promise<number | undefined>;
}

/** Seconds after which the part of a burst above the rate is available again. */
const burstWindow = 10;

/**
 * `rate` requests per second (more than 0), and up to `burst` at once, for each organization. A batch counts as one
 * request.
 */
export function createLimiter(rate: number, burst: number): Limiter {
  // The limiter counts whole requests: a rate of 2.5 is two in 0.8 s, a rate of 0.5 is one in 2 s.
  const points = Math.max(1, Math.floor(rate));
  const steady = new RateLimiterMemory({ points, duration: points / rate });
  const above = Math.floor(burst - points);
  // A second limiter with nothing above the rate would only give wrong waits.
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
