import type { ServiceOptions } from "../service/start.ts";
import type { WireChange } from "../service/wire.ts";
import type { Fault, FaultTable, Variant, VariantTable } from "./changes/entry.ts";
import { authenticationFaults } from "./faults/authentication.ts";
import { batchFaults } from "./faults/batch.ts";
import { strangersFaults } from "./faults/by-a-stranger.ts";
import { crossedResponseFaults, swallowedFailureFaults } from "./faults/crossed-responses.ts";
import { errorFaults } from "./faults/errors.ts";
import { hostileInputFaults } from "./faults/hostile-input.ts";
import { limitFaults } from "./faults/limits.ts";
import { lookupFaults } from "./faults/lookups.ts";
import { oddValueFaults } from "./faults/odd-values.ts";
import { pagingFaults } from "./faults/paging.ts";
import { productFaults } from "./faults/products.ts";
import { realClientFaults } from "./faults/real-clients.ts";
import { retailerFaults } from "./faults/retailers.ts";
import { saidTwiceFaults } from "./faults/said-twice.ts";
import { changedCharacterFaults, otherWayFaults } from "./faults/values-by-path.ts";
import { batchVariants } from "./variants/batch.ts";
import { incidentVariants } from "./variants/incidents.ts";
import { errorVariants, lookupVariants } from "./variants/lookups.ts";
import { oddButRightVariants } from "./variants/odd-but-right.ts";
import { pagingVariants } from "./variants/paging.ts";
import { productVariants } from "./variants/products.ts";
import { transportVariants } from "./variants/transport.ts";

/** The tables of faults, one for each part of the spec. */
export const faultTables: readonly FaultTable[] = [
  productFaults,
  retailerFaults,
  lookupFaults,
  pagingFaults,
  batchFaults,
  authenticationFaults,
  errorFaults,
  hostileInputFaults,
  otherWayFaults,
  crossedResponseFaults,
  swallowedFailureFaults,
  changedCharacterFaults,
  oddValueFaults,
  saidTwiceFaults,
  realClientFaults,
  strangersFaults,
  limitFaults,
];

/** The tables of variants. Those that change a product come before those that wrap it. */
export const variantTables: readonly VariantTable[] = [
  oddButRightVariants,
  productVariants,
  batchVariants,
  lookupVariants,
  pagingVariants,
  errorVariants,
  incidentVariants,
  transportVariants,
];

/** Every fault by its name. */
export const faults: ReadonlyMap<string, Fault> = new Map(faultTables.flatMap(Object.entries<Fault>));

/** Every variant by its name. */
export const variants: ReadonlyMap<string, Variant> = new Map(variantTables.flatMap(Object.entries<Variant>));

/** The entry with this name. @throws Error if there is none. */
export function entryOf<Entry>(table: ReadonlyMap<string, Entry>, name: string): Entry {
  const entry = table.get(name);
  if (entry === undefined) throw new Error(`no table has ${name}: add it to proof/faults or proof/variants`);
  return entry;
}

/**
 * The changes and options for startService, innermost first: faults in the given order, then variants in the order of their tables.
 */
export function changesOf(names: {
  readonly faults?: readonly string[] | undefined;
  readonly variants?: readonly string[] | undefined;
}): Pick<ServiceOptions, "rate" | "burst"> & { wire: WireChange[] } {
  const wanted = (names.variants ?? []).map((name) => entryOf(variants, name));
  const faulty = (names.faults ?? []).map((name) => entryOf(faults, name));
  const entries = [...faulty, ...[...variants.values()].filter((variant) => wanted.includes(variant))];
  return {
    wire: entries.flatMap((entry) => ("wire" in entry ? [entry.wire] : [])),
    ...entries.flatMap((entry) => ("limit" in entry ? [entry.limit] : [])).at(-1),
  };
}
