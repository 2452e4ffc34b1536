import { itemName } from "../../schemas/accounts.ts";
import { mostBatchItems } from "../../schemas/api.ts";
import type { WireChange } from "../../service/wire.ts";
import { instead, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { type FaultTable, foundBy } from "../changes/entry.ts";
import { entitledToAll } from "../changes/key-entitlement.ts";
import {
  as,
  counting,
  emptyBatch,
  errorResponse,
  itemsOf,
  type Json,
  jsonResponse,
  listOf,
  mapLists,
  objectIn,
  objectOf,
  parsed,
  withItems,
  withJson,
  without,
} from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const onResult = (change: (result: Json) => Json | undefined): WireChange => on.body("batch", change);
const onCounters = (change: (meta: Json) => Json): WireChange => on.meta("batch", change);
const onFound = (change: (found: readonly Json[]) => readonly Json[]): WireChange =>
  on.listed("batch", change);

const isMissing = ({ code = "not_found" }: Json) => code === "not_found";
const withoutMissing = (result: Json): Json => ({
  ...result,
  errors: listOf(result.errors).filter((entry) => !isMissing(entry)),
});

/** Passes on only the first items of batches of some sizes. */
const dropping = (kept: number, size: (length: number) => boolean): WireChange =>
  where(
    is.batchOf(size),
    on.request((request) => withItems(request, itemsOf(request).slice(0, kept))),
  );

/** Refused after a larger batch only: otherwise the suite would not discover the names of fields. */
const onlyMore: WireChange = (send, keys) => {
  let sawMore = false;
  return async (request) => {
    const response = await send(request);
    if (response.status !== 200 || !is.all(is.of("primary"), is.batch)(request, keys)) return response;
    const { length } = itemsOf(request);
    sawMore ||= length > 1;
    return sawMore && length === 1 ? errorResponse(400) : response;
  };
};

/** The result as far as the first item that is refused; `total` counts all items. */
const endingAtRefused: WireChange = on.response(async (response, request, ask) => {
  const result = objectOf(response);
  const refused = listOf(result?.errors).filter((entry) => !isMissing(entry));
  const names = new Set(refused.map(itemName));
  const items = itemsOf(request);
  const end = items.findIndex((item) => names.has(itemName(objectIn(item))));
  if (response.status !== 200 || refused.length === 0 || end < 0) return undefined;
  const reached = objectOf(await ask(withItems(request, items.slice(0, end + 1))));
  return withJson(response, { ...reached, meta: { ...objectIn(reached?.meta), total: items.length } });
});

const oneFound = {
  ...emptyBatch,
  products: [{ title: "any" }],
  meta: { ...emptyBatch.meta, total: 1, found: 1 },
};

/** Faults in POST /products/batch-lookup and its result. */
export const batchFaults: readonly FaultTable[] = [
  {
    "batch-partial-404": {
      does: "A batch in which an item is not found gets 404.",
      wire: on.response((response) =>
        Number(objectIn(objectOf(response)?.meta).not_found) > 0 ? errorResponse(404) : undefined,
      ),
      fails: ["batch.partial/one-missing", "batch.partial/all-missing"],
    },
    // Counters and list agree with each other, but not with what was sent.
    "batch-lists-one-twice": {
      does: "A batch lists and counts its first product twice.",
      wire: onResult((result) =>
        Number(objectIn(result.meta).found) > 2
          ? mapLists(counting(result, { total: 1, found: 1 }), (found) => [...found, ...found.slice(0, 1)])
          : undefined,
      ),
      fails: ["batch.summary/every-item"],
    },
    "batch-finds-by-id-alone": {
      does: "An item that is not found gets the product of another item that has its id.",
      wire: onResult((result) => {
        const errors = listOf(result.errors);
        const found = listOf(result.products);
        const isFound = (entry: Json, one: Json) => isMissing(entry) && one.product_id === entry.product_id;
        const again = errors.flatMap((entry) => found.filter((one) => isFound(entry, one)));
        if (again.length === 0) return undefined;
        const counted = counting(result, { found: again.length, not_found: -again.length });
        const left = errors.filter((entry) => !again.some((one) => isFound(entry, one)));
        return { ...counted, products: [...found, ...again], errors: left };
      }),
      fails: ["batch.summary/id-of-another-retailer"],
      source: "api-platform/core#2580",
    },
    "one-refused-item-refuses-all": {
      does: "In a batch with an item of an unknown or a foreign retailer, every item is under `errors`.",
      wire: on.body("batch", (result, request) => {
        if (Number(objectIn(result.meta).other_errors) === 0) return undefined;
        const errors = itemsOf(request).map((item) => ({ ...objectIn(item), code: "forbidden" }));
        const meta = { ...emptyBatch.meta, total: errors.length, other_errors: errors.length };
        return { ...mapLists(result, () => []), errors, meta };
      }),
      fails: ["errors.unknown-retailer/in-batch"],
      source: "cyanheads/clinicaltrialsgov-mcp-server#32",
    },
    "batch-half-item-found": {
      does: "An item without `product_id` returns a product.",
      wire: on.status(
        400,
        () => jsonResponse(200, oneFound),
        is.all(is.batch, ({ body }) => body.includes('"retailer"') && !body.includes('"product_id"')),
      ),
      fails: ["batch.malformed/incomplete-item"],
    },
    "batch-without-list-accepted": {
      does: "A batch body without a list gets 200 and an empty result.",
      wire: on.status(
        400,
        () => jsonResponse(200, emptyBatch),
        is.all(is.batch, ({ body }) => !body.includes("[") && body.includes("}")),
      ),
      fails: ["batch.malformed/bad-body"],
    },
    "empty-body-500": {
      does: "A batch body that is empty or not JSON causes 500.",
      wire: instead(
        is.all(is.batch, ({ body }) => parsed(body) === undefined),
        as(500),
      ),
      fails: ["errors.hostile-input/batch-bodies", "batch.malformed/bad-body"],
    },
    "duplicates-not-counted": {
      does: "The same item twice in a batch is counted once, and returned twice.",
      wire: on.body("batch", (result, request) => {
        const items = itemsOf(request).map((item) => JSON.stringify(item));
        const { found } = objectIn(result.meta);
        const counters = { total: Number(found) - 1, found: Number(found) - 1, not_found: 0 };
        return new Set(items).size === items.length
          ? undefined
          : { ...result, meta: { ...objectIn(result.meta), ...counters } };
      }),
      fails: ["batch.lookup/duplicates"],
    },
    "other-organization-lacks-found-items": {
      does: "Batches of the other organization lack the products of a shared retailer.",
      wire: where(
        is.of("otherOrg"),
        onFound((found) => found.filter(({ retailer }) => retailer !== "tinkerbox")),
      ),
      fails: ["batch.lookup/other-organization"],
    },
    "batches-of-the-other-organization-500": {
      does: "Every batch of the other organization fails.",
      wire: instead(is.all(is.of("otherOrg"), is.batch), as(500)),
      fails: ["service.own-response/in-turn"],
    },
    "batch-found-lacks-last": {
      does: "The last product that was found is missing from the list.",
      wire: onFound((found) => (found.length > 1 ? found.slice(0, -1) : found)),
      fails: ["batch.lookup/known-products"],
    },
    "batch-error-lacks-product-id": {
      does: "Entries of `errors` have no `product_id`.",
      wire: on.batchErrors((entry) => without("product_id", entry)),
      fails: ["batch-result.echo/every-batch"],
    },
    "batch-errors-omitted-when-empty": {
      does: "`errors` is omitted when it would be empty.",
      wire: onResult((result) =>
        listOf(result.errors).length === 0 ? without("errors", result) : undefined,
      ),
      fails: ["batch-result.errors/every-batch"],
    },
    "batch-found-unlisted": {
      does: "A batch result has no list of products.",
      wire: onResult((result) => without("products", result)),
      fails: ["batch-result.found/every-batch"],
    },
  },
  foundBy("batch.size/fifty", {
    "long-batches-refused": [
      "Bodies of more than 8,192 bytes get 413.",
      instead(({ body }) => body.length > 8192, as(413, "too_large")),
      "matomo-org/matomo#13775",
    ],
    "batch-drops-last-of-50": [
      "The last item of a batch of 50 is ignored.",
      dropping(mostBatchItems - 1, (length) => length === mostBatchItems),
    ],
  }),
  foundBy("batch.size/one", { "batch-of-one-refused": ["A batch of one item is refused.", onlyMore] }),
  foundBy("batch.over-size/fifty-one", {
    "batch-51-accepted": [
      "A batch of 51 items is accepted, and its last item ignored.",
      dropping(mostBatchItems, (length) => length > mostBatchItems),
    ],
    "fifty-one-with-a-repeat": [
      "A batch of 51 items is accepted if one of them is repeated.",
      where(
        is.batchOf((length) => length > mostBatchItems),
        on.request((request) => {
          const distinct = new Map(itemsOf(request).map((item) => [JSON.stringify(item), item]));
          return distinct.size > 1 ? withItems(request, [...distinct.values()]) : undefined;
        }),
      ),
    ],
  }),
  foundBy("batch.partial/one-missing", {
    "batch-not-found-unlisted": ["Items that are not found are not in `errors`.", onResult(withoutMissing)],
    "batch-not-found-as-null": [
      "Items that are not found are null in the list of products.",
      onResult((result) => {
        const missing = listOf(result.errors).filter(isMissing);
        return mapLists(withoutMissing(result), (list) => [...list, ...missing.map(() => null)]);
      }),
    ],
    "batch-not-found-counted-as-other": [
      "Items that are not found are counted in `other_errors`.",
      onCounters((meta) => ({
        ...meta,
        not_found: 0,
        other_errors: Number(meta.other_errors) + Number(meta.not_found),
      })),
    ],
  }),
  foundBy(["batch.summary/every-batch", "batch.summary/every-item"], {
    "batch-ends-at-refused-item": [
      "A batch ends at the first item of a retailer that is unknown or not granted; `total` counts all items.",
      endingAtRefused,
    ],
    "batch-total-is-found": [
      "`total` counts only the items that were found.",
      onCounters((meta) => ({ ...meta, total: meta.found })),
    ],
    "large-batch-counts-one-more": [
      "A batch of more than ten items counts one more.",
      onResult((result) =>
        Number(objectIn(result.meta).total) > 10
          ? {
              ...counting(result, { total: 1, other_errors: 1 }),
              errors: [...listOf(result.errors), ...listOf(result.errors).slice(0, 1)],
            }
          : undefined,
      ),
    ],
  }),
  foundBy("errors.unentitled-retailer/in-batch", {
    "batch-unentitled-answered": [
      "A batch returns products of retailers that the key has no access to.",
      entitledToAll(is.batch),
    ],
    "large-batch-not-looked-through": [
      "From the eleventh item on, a batch does not look at what the key may use.",
      entitledToAll(is.batchOf((length) => length > 10)),
      "formancehq/ledger#1454",
    ],
  }),

  foundBy("batch-result.echo/to-the-letter", {
    "echo-digits-as-number": [
      "Entries of `errors` repeat ids of digits as numbers.",
      echoing((id) => (/^\d+$/.test(id) ? Number(id) : id)),
    ],
    "echo-lower-case": ["Entries of `errors` repeat ids in lower case.", echoing((id) => id.toLowerCase())],
    "echo-normalised": [
      "Entries of `errors` repeat ids in another Unicode form.",
      echoing((id) => id.normalize("NFC")),
    ],
  }),
  foundBy("batch-result.counters/every-batch", {
    "batch-meta-omitted": ["A batch result has no `meta`.", onResult((result) => without("meta", result))],
    "batch-other-errors-omitted-when-zero": [
      "`other_errors` is omitted when it is 0.",
      onCounters((meta) => (meta.other_errors === 0 ? without("other_errors", meta) : meta)),
    ],
    "batch-counters-strings": [
      "All counters are texts.",
      onCounters((meta) =>
        Object.fromEntries(Object.entries(meta).map(([name, value]) => [name, String(value)])),
      ),
    ],
  }),
];

function echoing(change: (id: string) => unknown): WireChange {
  return on.batchErrors((entry) => ({ ...entry, product_id: change(String(entry.product_id)) }));
}
