import { itemName } from "../../schemas/accounts.ts";
import { errorCodes, mostBatchItems } from "../../schemas/api.ts";
import type { WireChange } from "../../service/wire.ts";
import {
  as,
  callerOf,
  errorResponse,
  instead,
  isBatchOf,
  isFor,
  itemsOf,
  type Json,
  jsonResponse,
  listOf,
  mapLists,
  objectIn,
  objectOf,
  onBatchErrors,
  onBody,
  onlyFor,
  onMeta,
  onRequest,
  onStatus,
  withItems,
  without,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";
import { entitledToAll } from "../changes/key-entitlement.ts";

const isBatch = isFor("batch");
const isFull = (length: number) => length === mostBatchItems;
const isOverSize = (length: number) => length > mostBatchItems;
const echo = "batch-result.echo/every-batch";
const errors = "batch-result.errors/every-batch";
const counters = "batch-result.counters/every-batch";
const partial = ["batch.partial/one-missing", "batch.partial/all-missing"] as const;

const onResult = (change: (result: Json) => Json | undefined): WireChange => onBody("batch", change);
const onCounters = (change: (meta: Record<string, unknown>) => Json): WireChange => onMeta("batch", change);
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Changes `errors` where it is empty. */
const onNoErrors = (change: (result: Json) => Json): WireChange =>
  onResult((result) => (listOf(result.errors).length === 0 ? change(result) : undefined));

/** Passes on only the first items of batches with a matching size. */
const dropping = (kept: number, size: (length: number) => boolean): WireChange =>
  onRequest((request) =>
    isBatchOf(size)(request) ? withItems(request, itemsOf(request).slice(0, kept)) : undefined,
  );

/** Returns another status if an item was not found. */
const onPartial = (change: Parameters<typeof onStatus>[1]): WireChange =>
  onStatus(
    200,
    (response, request) => {
      const { not_found } = objectIn(objectOf(response)?.meta);
      return not_found === undefined || not_found === 0 ? response : change(response, request);
    },
    isBatch,
  );

/** The code of an error entry, at the top level or nested. */
const codeOf = (entry: unknown): unknown => {
  const { code, error } = objectIn(entry);
  return code ?? objectIn(error).code;
};
const isNotFound = (entry: unknown) => (codeOf(entry) ?? errorCodes[404]) === errorCodes[404];

/** The result as far as the first item that is refused: later items are neither found nor under `errors`. */
const endingAtRefused = (result: Json, items: readonly unknown[]): Json | undefined => {
  const keyed = (one: unknown) => itemName(objectIn(one));
  const refused = new Set(
    listOf(result.errors)
      .filter((entry) => !isNotFound(entry))
      .map(keyed),
  );
  const end = items.findIndex((item) => refused.has(keyed(item)));
  const reached = new Set(items.slice(0, end + 1).map(keyed));
  const isReached = (entry: unknown) => reached.has(keyed(entry));
  const products = listOf(result.products).filter(isReached);
  const errors = listOf(result.errors).filter(isReached);
  const found = products.length;
  const not_found = errors.filter(isNotFound).length;
  const counters = { found, not_found, other_errors: errors.length - not_found };
  return end < 0
    ? undefined
    : { ...result, products, errors, meta: { ...objectIn(result.meta), ...counters } };
};

const emptyMeta = { total: 0, found: 0, not_found: 0, other_errors: 0 };
const emptyResult = { products: [] as readonly unknown[], errors: [], meta: emptyMeta };

/** Faults in POST /products/batch-lookup and its result. */
export const batchFaults = {
  "long-batches-refused": {
    does: "Bodies of more than 8,192 bytes get 413.",
    wire: instead(
      ({ body }) => body.length > 8192,
      () => errorResponse(413, "too_large"),
    ),
    fails: ["batch.size/fifty"],
    source: "matomo-org/matomo#13775",
  },
  "other-organization-lacks-found-items": {
    does: "Batches of the other organization lack the products of a shared retailer.",
    wire: onlyFor(
      "otherOrg",
      onResult((result) =>
        mapLists(result, (found) => found.filter((one) => objectIn(one).retailer !== "tinkerbox")),
      ),
    ),
    fails: ["batch.lookup/other-organization"],
  },
  "batch-51-accepted": {
    does: "A batch of 51 items is accepted, and its last item ignored.",
    wire: dropping(mostBatchItems, isOverSize),
    fails: ["batch.over-size/fifty-one"],
  },
  "batch-drops-last-of-50": {
    does: "The last item of a batch of 50 is ignored.",
    wire: dropping(mostBatchItems - 1, isFull),
    fails: ["batch.size/fifty"],
  },
  "batch-of-one-refused": {
    does: "A batch of one item is refused.",
    wire: (send, keys) => {
      let sawMore = false;
      // Only after larger ones: if the first batch is refused, the suite cannot discover the field names.
      return async (request) => {
        const response = await send(request);
        if (!isBatch(request) || response.status !== 200 || callerOf(request, keys) !== "primary")
          return response;
        const { length } = itemsOf(request);
        sawMore ||= length > 1;
        return sawMore && length === 1 ? errorResponse(400) : response;
      };
    },
    fails: ["batch.size/one"],
  },
  "batch-partial-404": {
    does: "A batch in which an item is not found gets 404.",
    wire: onPartial(as(404)),
    fails: partial,
  },
  "batch-not-found-unlisted": {
    does: "Items that are not found are missing from `errors`.",
    wire: onResult((result) => ({
      ...result,
      errors: listOf(result.errors).filter((entry) => !isNotFound(entry)),
    })),
    fails: ["batch.partial/one-missing"],
  },
  "batch-not-found-as-null": {
    does: "Items that are not found are null in the list of products.",
    wire: onResult((result) => {
      const missing = listOf(result.errors).filter(isNotFound);
      return {
        ...mapLists(result, (list) => [...list, ...missing.map(() => null)]),
        errors: listOf(result.errors).filter((entry) => !isNotFound(entry)),
      };
    }),
    fails: ["batch.partial/one-missing"],
  },
  "batch-ends-at-refused-item": {
    does: "A batch ends at the first item of a retailer that is unknown or not granted; `total` counts all items.",
    wire: onBody("batch", (result, request) => endingAtRefused(result, itemsOf(request))),
    fails: ["batch.summary/every-batch", "batch.summary/every-item"],
  },
  "batch-unentitled-answered": {
    does: "A batch returns products of retailers that the key has no access to.",
    wire: entitledToAll(isFor("batch")),
    fails: ["errors.unentitled-retailer/in-batch"],
  },
  "batch-total-is-found": {
    does: "`total` counts only the items that were found.",
    wire: onCounters((meta) => ({ ...meta, total: meta.found })),
    fails: ["batch.summary/every-item", "batch.summary/every-batch"],
  },
  "batch-not-found-counted-as-other": {
    does: "Items that are not found are counted in `other_errors`.",
    wire: onCounters((meta) => ({
      ...meta,
      not_found: 0,
      other_errors: numberOf(meta.other_errors) + numberOf(meta.not_found),
    })),
    fails: ["batch.partial/one-missing"],
  },
  "batch-half-item-found": {
    does: "An item without `product_id` returns a product.",
    wire: onStatus(
      400,
      () =>
        jsonResponse(200, {
          ...emptyResult,
          products: [{ title: "any" }],
          meta: { ...emptyMeta, total: 1, found: 1 },
        }),
      ({ body, ...request }) =>
        isBatch({ body, ...request }) && body.includes('"retailer"') && !body.includes('"product_id"'),
    ),
    fails: ["batch.malformed/incomplete-item"],
  },
  "batch-without-list-accepted": {
    does: "A batch body without a list gets 200 and an empty result.",
    wire: onStatus(
      400,
      () => jsonResponse(200, emptyResult),
      (request) => isBatch(request) && !request.body.includes("[") && request.body.includes("}"),
    ),
    fails: ["batch.malformed/bad-body"],
  },

  "batch-error-lacks-product-id": {
    does: "Entries of `errors` have no `product_id`.",
    wire: onBatchErrors((entry) => without("product_id", entry)),
    fails: [echo],
  },
  "batch-errors-omitted-when-empty": {
    does: "`errors` is omitted when it would be empty.",
    wire: onNoErrors((result) => without("errors", result)),
    fails: [errors],
  },
  "batch-meta-omitted": {
    does: "The result of a batch has no `meta`.",
    wire: onResult((result) => without("meta", result)),
    fails: [counters],
  },
  "batch-other-errors-omitted-when-zero": {
    does: "`other_errors` is omitted when it is 0.",
    wire: onCounters((meta) => (meta.other_errors === 0 ? without("other_errors", meta) : meta)),
    fails: [counters],
  },
  "batch-counters-strings": {
    does: "All counters are texts.",
    wire: onCounters((meta) =>
      Object.fromEntries(Object.entries(meta).map(([name, value]) => [name, String(value)])),
    ),
    fails: [counters],
  },
  "batch-found-unlisted": {
    does: "The result of a batch has no list of products.",
    wire: onResult((result) =>
      Object.fromEntries(
        Object.entries(result).filter(([name, value]) => name === "errors" || !Array.isArray(value)),
      ),
    ),
    fails: ["batch-result.found/every-batch"],
  },
  "batch-found-lacks-last": {
    does: "The last product that was found is missing from the list.",
    wire: onResult((result) => mapLists(result, (list) => (list.length > 1 ? list.slice(0, -1) : list))),
    fails: ["batch.lookup/known-products"],
  },
} satisfies FaultTable;
