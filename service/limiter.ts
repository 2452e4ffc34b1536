/** The rate limit of each organization. */
export interface Limiter {
  /** Undefined when the request is accepted, otherwise the whole seconds (1 or more) to wait. */
  take(organization: number): number | undefined;
}

/**
 * A bucket of tokens for each organization: `rate` a second (more than 0) in the long run, and up to `burst` at once. A batch
 * counts as one request.
 */
export function createLimiter(rate: number, burst: number): Limiter {
  const buckets = new Map<number, { tokens: number; at: number }>();
  const size = Math.max(1, Math.floor(burst));
  return {
    take(organization) {
      const now = Date.now();
      const { tokens, at } = buckets.get(organization) ?? { tokens: size, at: now };
      const left = Math.min(size, tokens + (Math.max(0, now - at) / 1000) * rate);
      const isAccepted = left >= 1;
      buckets.set(organization, { tokens: isAccepted ? left - 1 : left, at: now });
      return isAccepted ? undefined : Math.max(1, Math.ceil((1 - left) / rate));
    },
  };
}
