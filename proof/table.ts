import type { ServiceOptions } from "../service/start.ts";
import type { WireChange } from "../service/wire.ts";
import type { Fault, FaultTable, Variant, VariantTable } from "./changes/entry.ts";
import { authenticationFaults } from "./faults/authentication.ts";
import { batchFaults } from "./faults/batch.ts";
import { crossedResponseFaults } from "./faults/crossed-responses.ts";
import { errorFaults } from "./faults/errors.ts";
import { hostileInputFaults } from "./faults/hostile-input.ts";
import { limitFaults } from "./faults/limits.ts";
import { lookupFaults } from "./faults/lookups.ts";
import { oddValueFaults } from "./faults/odd-values.ts";
import { pagingFaults } from "./faults/paging.ts";
import { productFaults } from "./faults/products.ts";
import { realClientFaults } from "./faults/real-clients.ts";
import { retailerFaults } from "./faults/retailers.ts";
import { batchVariants } from "./variants/batch.ts";
import { lookupVariants } from "./variants/lookups.ts";
import { pagingVariants } from "./variants/paging.ts";
import { productVariants } from "./variants/products.ts";
import { retailerVariants } from "./variants/retailer-lists.ts";
import { transportVariants } from "./variants/transport.ts";

/** The tables of faults, one or more for each part of the spec. */
export const faultTables: readonly FaultTable[] = [
  productFaults,
  retailerFaults,
  lookupFaults,
  oddValueFaults,
  pagingFaults,
  batchFaults,
  authenticationFaults,
  errorFaults,
  hostileInputFaults,
  crossedResponseFaults,
  realClientFaults,
  limitFaults,
].flat();

/** The tables of variants. Those that change a product come before those that wrap it. */
export const variantTables: readonly VariantTable[] = [
  productVariants,
  retailerVariants,
  batchVariants,
  lookupVariants,
  pagingVariants,
  transportVariants,
].flat();

/** Every fault by its name. */
export const faults: ReadonlyMap<string, Fault> = new Map(faultTables.flatMap(Object.entries<Fault>));

/** Every variant by its name. */
export const variants: ReadonlyMap<string, Variant> = new Map(variantTables.flatMap(Object.entries<Variant>));

/** The entries with these names. @throws Error for a name that is in no table. */
function entriesOf<Entry>(table: ReadonlyMap<string, Entry>, names: readonly string[] = []): Entry[] {
  return names.map((name) => {
    const entry = table.get(name);
    if (entry === undefined)
      throw new Error(`no table has ${name}: add it to proof/faults or proof/variants`);
    return entry;
  });
}

/** For startService, innermost first: faults in the given order, then variants in that of their tables. */
export function changesOf(names: {
  readonly faults?: readonly string[] | undefined;
  readonly variants?: readonly string[] | undefined;
}): Pick<ServiceOptions, "rate" | "burst"> & { wire: WireChange[] } {
  const wanted = entriesOf(variants, names.variants);
  const ordered = [...variants.values()].filter((variant) => wanted.includes(variant));
  const entries = [...entriesOf(faults, names.faults), ...ordered];
  return {
    wire: entries.flatMap((entry) => ("wire" in entry ? [entry.wire] : [])),
    ...entries.flatMap((entry) => ("limit" in entry ? [entry.limit] : [])).at(-1),
  };
}
