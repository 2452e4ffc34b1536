import type { Answer, Call } from "../call.ts";
import {
  type BatchBody,
  bodyOf,
  type Change,
  errorAnswer,
  type Json,
  onAnswer,
  onBody,
  onRespond,
  onStatus,
  withEveryRetailer,
} from "../changes/answer-changes.ts";
import { badRequest } from "../refusal.ts";
import { faultsOf } from "./fault.ts";

const isBatch = (call: Call) => call.endpoint === "batch";
const onResult = (change: (result: BatchBody) => Json | undefined): Change =>
  onBody(["batch"], (body) => change(body as BatchBody));
const onErrors = (change: (error: Json) => Json): Change =>
  onResult((result) => ({ ...result, errors: result.errors.map(change) }));
const onMeta = (change: (meta: BatchBody["meta"]) => Json): Change =>
  onResult((result) => ({ ...result, meta: change(result.meta) }));

const itemsOf = (call: Call): readonly Json[] => {
  const items = (call.body as { items?: unknown } | undefined)?.items;
  return Array.isArray(items) ? items : [];
};
const withItems = (call: Call, items: readonly Json[]): Call => ({ ...call, body: { items } });

const echoes =
  "Each sent item has `retailer` and `product_id`, and each error entry echoes them, so results can be matched to the request.";
const partial =
  "A batch in which some items are not found still returns 200. Those items are listed under `errors`, and `meta` (`total`, `found`, `not_found`, `other_errors`) summarizes the outcome.";
const carries =
  "Carries a list of found products, a list under `errors`, and a `meta` block with the counters `total`, `found`, `not_found` and `other_errors`.";
const upTo = "Looks up up to 50 products in one call.";
const overSize = "A batch over the size limit gives 400 (`bad_request`).";

const lookupFaults = faultsOf("POST /v1/products/batch-lookup", [
  [
    "batch-51-accepted",
    "batch.size-limit",
    overSize,
    onRespond(async (call, inner) => {
      const items = isBatch(call) ? itemsOf(call) : [];
      if (items.length <= 50) return inner(call);
      return inner(withItems(call, items.slice(0, 50)));
    }),
  ],
  [
    "batch-51-is-413",
    "batch.size-limit",
    overSize,
    onStatus(
      400,
      () => errorAnswer(413, "bad_request"),
      (call) => isBatch(call) && itemsOf(call).length > 50,
    ),
  ],
  [
    "batch-50-refused",
    "batch.up-to-50",
    upTo,
    onRespond(async (call, inner) => {
      if (isBatch(call) && itemsOf(call).length === 50) throw badRequest("Too many items.");
      return inner(call);
    }),
  ],
  [
    "batch-drops-last-of-50",
    "batch.up-to-50",
    upTo,
    onRespond(async (call, inner) => {
      const items = isBatch(call) ? itemsOf(call) : [];
      return inner(items.length === 50 ? withItems(call, items.slice(0, 49)) : call);
    }),
  ],
  [
    "batch-partial-404",
    "batch.partial-200",
    partial,
    onAnswer((answer, call) =>
      answer.status === 200 && isBatch(call) && notFoundOf(answer) > 0
        ? errorAnswer(404, "not_found")
        : undefined,
    ),
  ],
  [
    "batch-partial-207",
    "batch.partial-200",
    partial,
    onAnswer((answer, call) =>
      answer.status === 200 && isBatch(call) && notFoundOf(answer) > 0
        ? { ...answer, status: 207 }
        : undefined,
    ),
  ],
  [
    "batch-not-found-unlisted",
    "batch.errors-listed",
    partial,
    onResult((result) => ({
      ...result,
      errors: result.errors.filter((error) => error.code !== "not_found"),
    })),
  ],
  [
    "batch-not-found-as-null",
    "batch.errors-listed",
    partial,
    onResult((result) => {
      const missing = result.errors.filter((error) => error.code === "not_found");
      const errors = result.errors.filter((error) => error.code !== "not_found");
      return { ...result, products: [...result.products, ...missing.map(() => null)], errors };
    }),
  ],
  [
    "batch-unknown-retailer-unlisted",
    "batch.unknown-retailer-listed",
    "An unknown retailer slug gives 400 and an unentitled one gives 403. Neither returns a silent empty result.",
    onResult((result) => {
      const errors = result.errors.filter((error) => error.code !== "bad_request");
      const other_errors = errors.filter((error) => error.code !== "not_found").length;
      const total = result.meta.found + result.meta.not_found + other_errors;
      return { ...result, errors, meta: { ...result.meta, other_errors, total } };
    }),
  ],
  [
    "batch-unentitled-answered",
    "batch.unentitled",
    "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).",
    {
      steps: (steps, sources) => ({
        ...steps,
        respond: (call) =>
          steps.respond(isBatch(call) ? withEveryRetailer(call, sources.permissions()) : call),
      }),
    },
  ],
  ["batch-total-is-found", "batch.meta-true", partial, onMeta((its) => ({ ...its, total: its.found }))],
  ["batch-found-is-total", "batch.meta-true", partial, onMeta((its) => ({ ...its, found: its.total }))],
  [
    "batch-not-found-counted-as-other",
    "batch.meta-true",
    partial,
    onMeta((its) => ({ ...its, not_found: 0, other_errors: its.other_errors + its.not_found })),
  ],
  [
    "batch-bad-json-500",
    "batch.malformed",
    "400 | bad_request | Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    onStatus(
      400,
      () => errorAnswer(500, "internal_error"),
      (call) => isBatch(call) && call.body === undefined,
    ),
  ],
  [
    "batch-malformed-item-200",
    "batch.malformed",
    "A missing or invalid parameter gives 400 (`bad_request`).",
    onStatus(
      400,
      () => ({
        status: 200,
        headers: {},
        body: { products: [], errors: [], meta: { total: 0, found: 0, not_found: 0, other_errors: 0 } },
      }),
      (call) => isBatch(call) && itemsOf(call).length > 0 && itemsOf(call).length <= 50,
    ),
  ],
]);

const resultFaults = faultsOf("Batch result", [
  [
    "batch-error-lacks-product-id",
    "batch.errors-echo",
    echoes,
    onErrors(({ product_id: _id, ...its }) => its),
  ],
  [
    "batch-error-lacks-retailer",
    "batch.errors-echo",
    echoes,
    onErrors(({ retailer: _retailer, ...its }) => its),
  ],
  [
    "batch-error-changes-product-id",
    "batch.errors-echo",
    echoes,
    onErrors((its) => ({ ...its, product_id: String(its.product_id).toUpperCase().trim().slice(0, 8) })),
  ],
  [
    "batch-error-echo-swapped",
    "batch.errors-echo",
    echoes,
    onErrors((its) => ({ ...its, retailer: its.product_id, product_id: its.retailer })),
  ],
  [
    "batch-errors-omitted-when-empty",
    "batch.errors-present",
    carries,
    onResult(({ errors, ...result }) => (errors.length === 0 ? result : { ...result, errors })),
  ],
  [
    "batch-errors-null-when-empty",
    "batch.errors-present",
    carries,
    onResult((result) => (result.errors.length === 0 ? { ...result, errors: null } : undefined)),
  ],
  [
    "batch-errors-by-identifier",
    "batch.errors-present",
    carries,
    onResult((result) => ({
      ...result,
      errors: Object.fromEntries(result.errors.map((error) => [error.product_id, error])),
    })),
  ],
  ["batch-meta-omitted", "batch.meta-present", carries, onResult(({ meta: _meta, ...result }) => result)],
  ["batch-total-omitted", "batch.meta-present", carries, onMeta(({ total: _total, ...its }) => its)],
  ["batch-found-omitted", "batch.meta-present", carries, onMeta(({ found: _found, ...its }) => its)],
  [
    "batch-not-found-omitted",
    "batch.meta-present",
    carries,
    onMeta(({ not_found: _missing, ...its }) => its),
  ],
  [
    "batch-other-errors-omitted-when-zero",
    "batch.meta-present",
    carries,
    onMeta(({ other_errors, ...its }) => (other_errors === 0 ? its : { ...its, other_errors })),
  ],
  [
    "batch-counters-strings",
    "batch.meta-present",
    carries,
    onMeta((its) => Object.fromEntries(Object.entries(its).map(([name, value]) => [name, String(value)]))),
  ],
  [
    "batch-found-unlisted",
    "batch.found-listed",
    carries,
    onResult(({ products: _products, ...result }) => result),
  ],
  [
    "batch-found-lacks-last",
    "batch.found-listed",
    carries,
    onResult((result) =>
      result.products.length > 1 ? { ...result, products: result.products.slice(0, -1) } : undefined,
    ),
  ],
]);

export const batchFaults = [...lookupFaults, ...resultFaults];

function notFoundOf(answer: Answer): number {
  return (bodyOf(answer) as BatchBody).meta.not_found;
}
