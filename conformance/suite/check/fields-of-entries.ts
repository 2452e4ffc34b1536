import { mostBatchItems } from "../../../schemas/api.ts";
import { productFields } from "../../../schemas/contracts/product.ts";
import { someProductsIn } from "../../response/products-in.ts";
import type { CheckContext } from "./check.ts";

/**
 * Fields that a batch adds to each found product and that say nothing of it: its index, or one text or truth value that all
 * entries of the run have, such as a status. The spec does not name them, and no other response has them in a product.
 */
export function fieldsOfEntries({
  exchanges,
  fieldNames,
}: Pick<CheckContext, "exchanges" | "fieldNames">): Set<string> {
  if ((fieldNames.batchFoundProduct ?? "") !== "") return new Set();
  const elsewhere = new Set(Object.keys(productFields));
  const added = new Map<string, unknown[][]>();
  for (const exchange of exchanges) {
    const entries = someProductsIn(exchange, fieldNames).map(({ product }) => Object.entries(product));
    if (exchange.endpoint !== "batch") for (const [name] of entries.flat()) elsewhere.add(name);
    else
      for (const [name, ofBatch] of Map.groupBy(entries.flat(), ([name]) => name))
        added.set(name, [...(added.get(name) ?? []), ofBatch.map(([, value]) => value)]);
  }
  const isOfEntries = (batches: readonly unknown[][]) => {
    const [first] = batches.flat();
    const isLabel = typeof first === "string" || typeof first === "boolean";
    return batches.every(
      isLabel ? (values) => values.every((value) => value === first) : (values) => areIndexes(values),
    );
  };
  return new Set(
    [...added].flatMap(([name, all]) => (!elsewhere.has(name) && isOfEntries(all) ? [name] : [])),
  );
}

/** Whether values may be the places of items in a batch: no two are equal. */
function areIndexes(values: readonly unknown[]): boolean {
  const isPlace = (value: unknown) =>
    Number.isInteger(value) && 0 <= Number(value) && Number(value) <= mostBatchItems;
  return values.every(isPlace) && new Set(values).size === values.length;
}
