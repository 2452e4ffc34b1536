/** The decision of a limiter; a refusal has the whole seconds to wait. */
export type Decision =
  | { readonly admitted: true }
  | { readonly admitted: false; readonly retryAfter: number };

/** Decides about a request at `now`, in milliseconds; calls must be in order of time. */
export type SimulatedLimiter = (now: number) => Decision;

function refuse(milliseconds: number): Decision {
  return { admitted: false, retryAfter: Math.max(1, Math.ceil(milliseconds / 1000)) };
}

/** Simulated limiters of known limits, with which tests and benchmarks check the probe and the pacer. */
export const limiters = {
  "fixed window": (perSecond) => {
    let window = -1;
    let count = 0;
    return (now) => {
      const current = Math.floor(now / 1000);
      if (current !== window) count = 0;
      window = current;
      if (count >= perSecond) return refuse((current + 1) * 1000 - now);
      count += 1;
      return { admitted: true };
    };
  },
  "sliding window": (perSecond) => {
    const admitted: number[] = [];
    return (now) => {
      while (admitted[0] !== undefined && admitted[0] <= now - 1000) admitted.shift();
      if (admitted.length >= perSecond) return refuse((admitted[0] ?? now) + 1000 - now);
      admitted.push(now);
      return { admitted: true };
    };
  },
  "token bucket": (perSecond) => {
    const size = perSecond * 2;
    let tokens = size;
    let before: number | undefined;
    return (now) => {
      tokens = Math.min(size, tokens + ((now - (before ?? now)) * perSecond) / 1000);
      before = now;
      if (tokens < 1) return refuse(((1 - tokens) / perSecond) * 1000);
      tokens -= 1;
      return { admitted: true };
    };
  },
  GCRA: (perSecond) => {
    const spacing = 1000 / perSecond;
    const tolerance = spacing * Math.max(2, perSecond / 10);
    let due = 0;
    return (now) => {
      if (now < due - tolerance) return refuse(due - tolerance - now);
      due = Math.max(now, due) + spacing;
      return { admitted: true };
    };
  },
} satisfies Record<string, (perSecond: number) => SimulatedLimiter>;

export type LimiterName = keyof typeof limiters;
export const limiterNames = Object.keys(limiters) as LimiterName[];
