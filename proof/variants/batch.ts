import type { WireChange } from "../../service/wire.ts";
import { everySo, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { allowedBy, type VariantTable } from "../changes/entry.ts";
import {
  counting,
  emptyBatch,
  errorResponse,
  itemsOf,
  type Json,
  jsonResponse,
  listOf,
  objectIn,
  objectOf,
  parsed,
  withItems,
  withRefused,
  withSent,
} from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const section = "POST /v1/products/batch-lookup";

const onResult = (change: (result: Json) => Json): WireChange => on.body("batch", change);

/** Reads the items from another place than `items`. */
const itemsFrom = (read: (sent: unknown) => unknown): WireChange =>
  where(
    is.batch,
    on.request((request) => {
      const sent = parsed(request.body);
      return sent === undefined ? undefined : withSent(request, { items: read(sent) });
    }),
  );

/** One such item causes the whole batch to be refused. */
const refusedFor = (status: number, code: string): WireChange =>
  on.status(
    200,
    (response) =>
      listOf(objectOf(response)?.errors).some((entry) => entry.code === code)
        ? errorResponse(status)
        : response,
    is.batch,
  );

/** Batches with other field names, and with other results for items that are not found. */
export const batchVariants: readonly VariantTable[] = [
  {
    "batch-unentitled-refused-whole": {
      does: "A batch with an item of a retailer without access gets 403.",
      wire: refusedFor(403, "forbidden"),
      allowedBy: [
        section,
        "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).",
      ],
    },
    "batch-unknown-retailer-refused-whole": {
      does: "A batch with an item of an unknown retailer gets 400.",
      wire: refusedFor(400, "bad_request"),
      allowedBy: [
        section,
        "400 | bad_request | Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
      ],
    },
    "batch-unentitled-as-not-found": {
      does: "In a batch, an item of a retailer without access is not found.",
      wire: onResult((result) => {
        const entries = listOf(result.errors);
        const forbidden = entries.filter(({ code }) => code === "forbidden").length;
        const errors = entries.map((entry) =>
          entry.code === "forbidden" ? { ...entry, code: "not_found" } : entry,
        );
        return counting({ ...result, errors }, { not_found: forbidden, other_errors: -forbidden });
      }),
      allowedBy: [
        section,
        "Those items are listed under `errors`, and `meta` (`total`, `found`, `not_found`, `other_errors`) summarizes the outcome.",
      ],
    },
    // Now and then the catalog does not find out in time whether it has an item.
    "batch-items-fail-upstream": {
      does: "Now and then an item of a batch is listed with upstream_error.",
      wire: everySo(
        6,
        onResult((result) => {
          const [first] = listOf(result.products);
          return withRefused(result, (product) => product === first, "other_errors", "upstream_error");
        }),
        is.batch,
      ),
      allowedBy: [
        "Errors",
        "502 or 504 | upstream_error | The internal catalog returned an error or timed out.",
      ],
    },
  },
  allowedBy(
    [
      section,
      "The exact request body field names, the name of the list of found products, and the fields of an error entry beyond `retailer` and `product_id`: not shown.",
    ],
    {
      "batch-request-products": [
        "Batch items are in `products`.",
        itemsFrom((body) => objectIn(body).products),
      ],
      "batch-request-list": ["The body of a batch is a list of items.", itemsFrom((body) => body)],
      "batch-found-named-found": [
        "The products of a batch are in `found`.",
        onResult(({ products, ...result }) => ({ found: products, ...result })),
      ],
      "batch-found-wrapped": [
        "The products of a batch are in entries that repeat the item.",
        onResult(({ products, ...result }) => ({
          results: listOf(products).map((product) => {
            const { retailer, product_id } = product;
            return { retailer, product_id, product };
          }),
          ...result,
        })),
      ],
      "batch-error-bare": [
        "Entries of `errors` have only `retailer` and `product_id`.",
        on.batchErrors(({ retailer, product_id }) => ({ retailer, product_id })),
      ],
    },
  ),
  allowedBy([section, "Looks up up to 50 products in one call."], {
    "batch-deduplicates": [
      "The same item twice in a batch counts once.",
      where(
        is.batchOf((length) => length > 0 && length <= 50),
        on.request((request) => {
          const items = itemsOf(request).map((item) => [JSON.stringify(item), item] as const);
          return withItems(request, [...new Map(items).values()]);
        }),
      ),
    ],
    "batch-empty-accepted": [
      "A batch without items gets 200 and an empty result.",
      on.status(
        400,
        () => jsonResponse(200, emptyBatch),
        ({ body }) => JSON.stringify(parsed(body)) === '{"items":[]}',
      ),
    ],
  }),
];
