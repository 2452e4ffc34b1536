import type { Contract, LoadResult, Results } from "../../schemas/types.ts";

/** The part of a run's results that shows the contract. */
export type ContractSource = Pick<Results, "discovered" | "load"> & {
  readonly target: Pick<Results["target"], "keyFingerprint">;
};

/**
 * What a run saw of the target's contract, as far as clients build on it: what two runs are compared by, and
 * what `baseline accept` records. Holds no product and no key.
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

/** Whether a run came to its end and measured the limit: two of them can be compared, though they judged nothing. */
export function hasProbed({ verdict, exitCode, load }: Results): boolean {
  return verdict !== "error" && exitCode !== 130 && probedLimit(load) !== undefined;
}

function probedLimit(load: readonly LoadResult[]): Contract["limit"] {
  // A run that could not measure what it should says nothing of the target.
  const probe = load.find(({ verdict, rateLimit }) => verdict !== "invalid" && rateLimit?.mode === "probe");
  const limit = probe?.rateLimit?.limit;
  if (limit === undefined) return undefined;
  const { perSecond, low, high } = limit;
  return { perSecond, low, high };
}
