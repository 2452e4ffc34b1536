import type { Catalog, Eventually } from "./catalog/catalog.ts";
import { upstreamFailed, upstreamSilent } from "./errors.ts";

/** An error of the catalog becomes 502, and no response within `milliseconds` becomes 504 (spec, Errors). */
export function withinTime(catalog: Catalog, milliseconds: number): Catalog {
  function guard<T>(ask: () => Eventually<T>): Eventually<T> {
    try {
      const answer = ask();
      return answer instanceof Promise ? race(answer, milliseconds) : answer;
    } catch (error) {
      throw Object.assign(upstreamFailed(), { cause: error });
    }
  }
  return {
    byIdentifier: (retailer, productId) => guard(() => catalog.byIdentifier(retailer, productId)),
    byIdentifiers: (items) => guard(() => catalog.byIdentifiers(items)),
    byGtin: (gtin) => guard(() => catalog.byGtin(gtin)),
    byPagePath: (path) => guard(() => catalog.byPagePath(path)),
    inCategory: (category, after, limit) => guard(() => catalog.inCategory(category, after, limit)),
  };
}

async function race<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(upstreamSilent()), milliseconds);
  const failed = answer.catch((error: unknown) => {
    throw Object.assign(upstreamFailed(), { cause: error });
  });
  try {
    return await Promise.race([failed, silence]);
  } finally {
    clearTimeout(timer);
  }
}
