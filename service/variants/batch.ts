import type { Answer, Call } from "../call.ts";
import {
  type BatchBody,
  type Change,
  errorAnswer,
  type Json,
  onAnswer,
  onBody,
  onRespond,
  respondOr,
} from "../changes/answer-changes.ts";
import { Refusal } from "../refusal.ts";
import { variantsOf } from "./variant.ts";

const onResult = (change: (result: BatchBody, call: Call) => Json): Change =>
  onBody(["batch"], (body, call) => change(body as BatchBody, call));
const onErrors = (change: (error: Json) => Json): Change =>
  onResult((result) => ({ ...result, errors: result.errors.map(change) }));

/** Reads the items from elsewhere than `items`. */
const itemsFrom = (read: (body: unknown) => unknown): Change =>
  onRespond((call, inner) =>
    inner(call.endpoint === "batch" ? { ...call, body: { items: read(call.body) } } : call),
  );

/** The whole batch is refused because of one item. */
const refusedFor = (code: string, answer: Answer): Change =>
  onAnswer((given, call) => {
    if (call.endpoint !== "batch" || given.status !== 200 || typeof given.body !== "string") return undefined;
    const result = JSON.parse(given.body) as BatchBody;
    return result.errors.some((error) => error.code === code) ? answer : undefined;
  });

const field = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? (body as Json)[name] : undefined;

const namesOpen =
  "The exact request body field names, the name of the list of found products, and the fields of an error entry beyond `retailer` and `product_id`: not shown.";
const itemOpen =
  "Those items are listed under `errors`, and `meta` (`total`, `found`, `not_found`, `other_errors`) summarizes the outcome.";

export const batchVariants = variantsOf("POST /v1/products/batch-lookup", [
  ["batch-request-products", "batch.dialect", namesOpen, itemsFrom((body) => field(body, "products"))],
  ["batch-request-lookups", "batch.dialect", namesOpen, itemsFrom((body) => field(body, "lookups"))],
  ["batch-request-list", "batch.dialect", namesOpen, itemsFrom((body) => body)],
  [
    "batch-found-named-found",
    "batch.dialect",
    namesOpen,
    onResult(({ products, ...result }) => ({ found: products, ...result })),
  ],
  [
    "batch-found-wrapped",
    "batch.dialect",
    namesOpen,
    onResult(({ products, ...result }) => ({
      results: products.map((product) => ({
        retailer: product.retailer,
        product_id: product.product_id,
        product,
      })),
      ...result,
    })),
  ],
  [
    "batch-error-bare",
    "batch.dialect",
    namesOpen,
    onErrors(({ retailer, product_id }) => ({ retailer, product_id })),
  ],
  [
    "batch-error-nested",
    "batch.dialect",
    namesOpen,
    onErrors(({ code, message, ...echo }) => ({ ...echo, error: { code, message } })),
  ],
  [
    "batch-unentitled-refused-whole",
    "batch.unentitled",
    "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).",
    refusedFor(
      "forbidden",
      errorAnswer(403, "forbidden", "The batch has an item of a retailer you may not use."),
    ),
  ],
  [
    "batch-unknown-retailer-refused-whole",
    "batch.unknown-retailer-listed",
    "400 | bad_request | Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    refusedFor(
      "bad_request",
      errorAnswer(400, "bad_request", "The batch has an item of an unknown retailer."),
    ),
  ],
  [
    "batch-unentitled-as-not-found",
    "batch.unentitled",
    itemOpen,
    onResult((result) => {
      const forbidden = result.errors.filter((error) => error.code === "forbidden").length;
      return {
        ...result,
        errors: result.errors.map((error) =>
          error.code === "forbidden" ? { ...error, code: "not_found" } : error,
        ),
        meta: {
          ...result.meta,
          not_found: result.meta.not_found + forbidden,
          other_errors: result.meta.other_errors - forbidden,
        },
      };
    }),
  ],
  [
    "batch-found-sorted",
    "batch.order",
    "Each sent item has `retailer` and `product_id`, and each error entry echoes them, so results can be matched to the request.",
    onResult((result) => ({
      ...result,
      products: result.products.toSorted((a, b) => (String(a.product_id) < String(b.product_id) ? -1 : 1)),
      errors: result.errors.toReversed(),
    })),
  ],
  [
    "batch-deduplicates",
    "batch.duplicates",
    "Looks up up to 50 products in one call.",
    onRespond((call, inner) => {
      const items = call.endpoint === "batch" ? field(call.body, "items") : undefined;
      if (!Array.isArray(items) || items.length > 50) return inner(call);
      const unique = new Map(
        items.map((item) => [JSON.stringify([field(item, "retailer"), field(item, "product_id")]), item]),
      );
      return inner({ ...call, body: { items: [...unique.values()] } });
    }),
  ],
  [
    "batch-empty-accepted",
    "batch.empty",
    "Looks up up to 50 products in one call.",
    onRespond((call, inner) =>
      respondOr(inner, call, (error) => {
        const items = call.endpoint === "batch" ? field(call.body, "items") : undefined;
        if (!(error instanceof Refusal) || !Array.isArray(items) || items.length > 0) throw error;
        const meta = { total: 0, found: 0, not_found: 0, other_errors: 0 };
        return { status: 200, headers: {}, body: { products: [], errors: [], meta } };
      }),
    ),
  ],
]);
