import { caught, type Expectation } from "../expectation.ts";

const echo = "batch-result.echo/every-batch";
const notListed = {
  "batch.partial": "the item that was not found is not listed as what it is",
  "errors.unknown-retailer": "the item of an unknown retailer is not listed as what it is",
  "errors.unentitled-retailer": "the item of a retailer that is not granted is not listed as what it is",
};

/** Faults in POST /products/batch-lookup. */
export const batchExpectations: readonly Expectation[] = [
  ...caught("batch.over-size/fifty-one", ["batch-51-accepted", "batch-51-is-413"]),
  ...caught("batch.size/fifty", ["batch-50-refused"]),
  ...caught("batch.size/fifty", ["batch-drops-last-of-50"], {
    "batch.summary": "total is not the number of items that were sent",
  }),
  ...caught(
    ["batch.partial/one-missing", "batch.partial/all-missing"],
    ["batch-partial-404", "batch-partial-207"],
    {
      "batch.lookup": "a batch with an item that stands twice holds one that is not found too",
      "batch.size": "most of the 50 items that are sent are not found",
    },
  ),
  ...caught("batch.partial/one-missing", ["batch-not-found-unlisted", "batch-not-found-as-null"], {
    "batch.summary": "the counters count what is not listed",
    "batch.size": "most of the 50 items that are sent are not found",
  }),
  ...caught("errors.unknown-retailer/in-batch", ["batch-unknown-retailer-unlisted"]),
  ...caught("errors.unentitled-retailer/in-batch", ["batch-unentitled-answered"], {
    "authentication.entitlement": "the result holds a product that is not granted",
  }),
  ...caught(["batch.summary/total", "batch.summary/every-batch"], ["batch-total-is-found"]),
  ...caught("batch.summary/every-batch", ["batch-found-is-total"]),
  ...caught("batch.partial/one-missing", ["batch-not-found-counted-as-other"]),
  ...caught("batch.malformed/not-json", ["batch-bad-json-500"]),
  ...caught("batch.malformed/incomplete-item", ["batch-malformed-item-200"]),

  ...caught(echo, ["batch-error-lacks-product-id", "batch-error-changes-product-id"], {
    "batch.partial": notListed["batch.partial"],
  }),
  ...caught(echo, ["batch-error-lacks-retailer", "batch-error-echo-swapped"], notListed),
  ...caught("batch-result.errors/every-batch", [
    "batch-errors-omitted-when-empty",
    "batch-errors-null-when-empty",
  ]),
  ...caught("batch-result.errors/every-batch", ["batch-errors-by-identifier"], notListed),
  ...caught("batch-result.counters/every-batch", [
    "batch-meta-omitted",
    "batch-total-omitted",
    "batch-found-omitted",
    "batch-not-found-omitted",
    "batch-other-errors-omitted-when-zero",
  ]),
  ...caught("batch-result.counters/every-batch", ["batch-counters-strings"], {
    "batch.partial": "a counter that is a text is not the number 1",
    "batch.summary": "a counter that is a text is not the number of items",
  }),
  ...caught("batch-result.found/every-batch", ["batch-found-unlisted"]),
  ...caught("batch.lookup/known-products", ["batch-found-lacks-last"], {
    "batch.summary": "found counts what is not listed",
    "batch.size": "of 50 items, one is not listed",
  }),
];
