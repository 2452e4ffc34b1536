import { errorCodes } from "../../schemas/api.ts";
import type { WireChange, WireRequest } from "../../service/wire.ts";
import {
  errorResponse,
  isBatchOf,
  isFor,
  type Json,
  jsonResponse,
  listOf,
  objectIn,
  objectOf,
  onBatchErrors,
  onBody,
  onRequest,
  onStatus,
  parsed,
  remembering,
  withItems,
  withSent,
} from "../changes/change.ts";
import type { VariantTable } from "../changes/entry.ts";

const section = "POST /v1/products/batch-lookup";
const namesOpen = [
  section,
  "The exact request body field names, the name of the list of found products, and the fields of an error entry beyond `retailer` and `product_id`: not shown.",
] as const;
const upTo = [section, "Looks up up to 50 products in one call."] as const;

const isBatch = isFor("batch");
const onResult = (change: (result: Json) => Json): WireChange => onBody("batch", change);
const numberOf = (value: unknown): number => Number(value);

/** Reads the items from another place than `items`. */
const itemsFrom = (read: (sent: unknown) => unknown): WireChange =>
  onRequest((request) => {
    const sent = isBatch(request) ? parsed(request.body) : undefined;
    return sent === undefined ? undefined : withSent(request, { items: read(sent) });
  });

/** One such item causes the whole batch to be refused. */
const refusedFor = (status: 400 | 403): WireChange =>
  onStatus(
    200,
    (response) =>
      (listOf(objectOf(response)?.errors) as Json[]).some(({ code }) => code === errorCodes[status])
        ? errorResponse(status)
        : response,
    isBatch,
  );

const itemKey = (item: unknown) => {
  const { retailer, product_id } = objectIn(item);
  return JSON.stringify([retailer, product_id]);
};

const sent = ({ body }: WireRequest): unknown => objectIn(parsed(body)).items;

/** Batches with other field names, and with other results for items that are not found. */
export const batchVariants = {
  "batch-request-products": {
    does: "The items of a batch are in `products`.",
    wire: itemsFrom((body) => objectIn(body).products),
    allowedBy: namesOpen,
  },
  "batch-request-list": {
    does: "The body of a batch is a list of items.",
    wire: itemsFrom((body) => body),
    allowedBy: namesOpen,
  },
  "batch-found-named-found": {
    does: "The products of a batch are in `found`.",
    wire: onResult(({ products, ...result }) => ({ found: products, ...result })),
    allowedBy: namesOpen,
  },
  "batch-found-wrapped": {
    does: "The products of a batch are in entries that repeat the item.",
    wire: onResult(({ products, ...result }) => ({
      results: (listOf(products) as Json[]).map((product) => ({
        retailer: product.retailer,
        product_id: product.product_id,
        product,
      })),
      ...result,
    })),
    allowedBy: namesOpen,
  },
  "batch-error-bare": {
    does: "Entries of `errors` have only `retailer` and `product_id`.",
    wire: onBatchErrors(({ retailer, product_id }) => ({ retailer, product_id })),
    allowedBy: namesOpen,
  },
  "batch-unentitled-refused-whole": {
    does: "A batch with an item of a retailer without access gets 403.",
    wire: refusedFor(403),
    allowedBy: [
      section,
      "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).",
    ],
  },
  "batch-unknown-retailer-refused-whole": {
    does: "A batch with an item of an unknown retailer gets 400.",
    wire: refusedFor(400),
    allowedBy: [
      section,
      "400 | bad_request | Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    ],
  },
  "batch-unentitled-as-not-found": {
    does: "In a batch, an item of a retailer without access is not found.",
    wire: onResult((result) => {
      const entries = listOf(result.errors) as Json[];
      const isForbidden = ({ code }: Json) => code === errorCodes[403];
      const forbidden = entries.filter(isForbidden).length;
      const meta = objectIn(result.meta);
      return {
        ...result,
        errors: entries.map((entry) => (isForbidden(entry) ? { ...entry, code: errorCodes[404] } : entry)),
        meta: {
          ...meta,
          not_found: numberOf(meta.not_found) + forbidden,
          other_errors: numberOf(meta.other_errors) - forbidden,
        },
      };
    }),
    allowedBy: [
      section,
      "Those items are listed under `errors`, and `meta` (`total`, `found`, `not_found`, `other_errors`) summarizes the outcome.",
    ],
  },
  "batch-deduplicates": {
    does: "The same item twice in a batch counts once.",
    wire: onRequest((request) => {
      if (!isBatchOf((length) => length > 0 && length <= 50)(request)) return undefined;
      const items = listOf(sent(request));
      return withItems(request, [...new Map(items.map((item) => [itemKey(item), item])).values()]);
    }),
    allowedBy: upTo,
  },
  "batch-empty-accepted": {
    does: "A batch without items gets 200 and an empty result.",
    wire: onStatus(
      400,
      () => {
        const meta = { total: 0, found: 0, not_found: 0, other_errors: 0 };
        return jsonResponse(200, { products: [], errors: [], meta });
      },
      (request) => {
        const items = isBatch(request) ? sent(request) : undefined;
        return Array.isArray(items) && items.length === 0;
      },
    ),
    allowedBy: upTo,
  },
  "batch-items-fail-upstream": {
    does: "Now and then an item of a batch is listed with upstream_error.",
    // Now and then the catalog does not find out in time whether it has an item.
    wire: remembering(() => {
      let turn = 0;
      return onResult((result) => {
        const [first, ...others] = listOf(result.products);
        const { retailer, product_id } = objectIn(first);
        if (first === undefined || ++turn % 6 !== 0) return result;
        const { found, other_errors: other, ...meta } = objectIn(result.meta);
        return {
          ...result,
          products: others,
          errors: [...listOf(result.errors), { retailer, product_id, code: errorCodes[502] }],
          meta: { ...meta, found: numberOf(found) - 1, other_errors: numberOf(other) + 1 },
        };
      });
    }),
    allowedBy: [
      "Errors",
      "502 or 504 | upstream_error | The internal catalog returned an error or timed out.",
    ],
  },
} satisfies VariantTable;
