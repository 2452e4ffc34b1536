import type { Contract, LoadResult, Results } from "../../schemas/types.ts";

/** The part of the results that the contract is taken from. */
export type ContractSource = Pick<Results, "discovered" | "load"> & {
  readonly target: Pick<Results["target"], "keyFingerprint">;
};

/**
 * The contract of a target, as far as clients depend on it. `compare` compares it, and `baseline accept` records it. It
 * contains no products and no keys.
 */
export function contractOf({ target, discovered, load }: ContractSource): Contract {
  const { retailers, categories = [], dialect, fieldsByRetailer = {}, statuses = {}, rateLimit } = discovered;
  const { accepted, refused } = rateLimit;
  const limit = probedLimit(load);
  return {
    keyFingerprint: target.keyFingerprint,
    retailers: retailers.toSorted(),
    categories: categories.toSorted(),
    dialect,
    fieldsByRetailer,
    statuses,
    refused,
    ...(accepted === undefined ? {} : { accepted }),
    ...(limit === undefined ? {} : { limit }),
  };
}

/** Whether a run finished and measured the rate limit. Two such runs can be compared even if they judged no requirement. */
export function hasProbed({ verdict, exitCode, load }: Results): boolean {
  return verdict !== "error" && exitCode !== 130 && probedLimit(load) !== undefined;
}

function probedLimit(load: readonly LoadResult[]): Contract["limit"] {
  // An invalid run says nothing about the target.
  const probe = load.find(({ verdict, rateLimit }) => verdict !== "invalid" && rateLimit?.mode === "probe");
  const limit = probe?.rateLimit?.limit;
  if (limit === undefined) return undefined;
  const { perSecond, low, high } = limit;
  return { perSecond, low, high };
}
