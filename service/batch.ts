import { mostBatchItems } from "../schemas/api.ts";
import type { AuthenticatedCaller, StoredRetailer } from "./access.ts";
import type { ServiceResponse } from "./call.ts";
import type { Catalog, Eventually, Identifier, StoredFields } from "./catalog/catalog.ts";
import { badRequest, forbidden, type HttpError, notFound } from "./errors.ts";
import { ProductListEndpoint } from "./products.ts";

interface RequestedItem {
  readonly retailer: string;
  readonly product_id: string;
}

/** Why there is no product for an item. */
type ItemError = Pick<HttpError, "code" | "message">;

const noSuchRetailer: ItemError = badRequest("There is no retailer with this slug.");
const notEntitled: ItemError = forbidden("Your organization may not use this retailer.");
const noSuchProduct: ItemError = notFound("The retailer has no product with this identifier.");

/**
 * POST /v1/products/batch-lookup. Request `{ items: [ { retailer, product_id } ] }`, result `{ products,
 * errors, meta }` with the items in order and as often as sent. An unknown or unentitled retailer is an error
 * of its item; a malformed item has nothing to echo, so the whole batch is 400.
 */
export function lookUpBatch(
  body: unknown,
  { caller, catalog }: { caller: AuthenticatedCaller; catalog: Catalog },
): Eventually<ServiceResponse> {
  const items = readItems(body);
  const sources: (StoredRetailer | ItemError)[] = [];
  const asked: Identifier[] = [];
  for (const { retailer, product_id: productId } of items) {
    const source = sourceOf(retailer, caller);
    sources.push(source);
    if ("id" in source) asked.push({ retailer: source.id, productId });
  }
  const found = catalog.byIdentifiers(asked);
  return found instanceof Promise
    ? found.then((its) => summarize(items, sources, its))
    : summarize(items, sources, found);
}

function sourceOf(slug: string, { permissions, entitled }: AuthenticatedCaller): StoredRetailer | ItemError {
  const retailer = permissions.retailersBySlug.get(slug);
  if (retailer === undefined) return noSuchRetailer;
  return entitled.has(retailer.id) ? retailer : notEntitled;
}

/**
 * @param sources the retailer of each item, or why it has none.
 * @param found what the catalog has for the items with a retailer, in their order.
 */
function summarize(
  items: readonly RequestedItem[],
  sources: readonly (StoredRetailer | ItemError)[],
  found: readonly (StoredFields | undefined)[],
): ServiceResponse {
  const products = new ProductListEndpoint();
  const errors: (RequestedItem & ItemError)[] = [];
  const addError = ({ retailer, product_id }: RequestedItem, { code, message }: ItemError) =>
    errors.push({ retailer, product_id, code, message });
  let asked = 0;
  let notFound = 0;
  for (const [at, item] of items.entries()) {
    const source = sources[at] as StoredRetailer | ItemError;
    if (!("id" in source)) {
      addError(item, source);
      continue;
    }
    const fields = found[asked++];
    if (fields === undefined) {
      notFound++;
      addError(item, noSuchProduct);
    } else {
      products.add(source, fields);
    }
  }
  const meta = {
    total: items.length,
    found: products.length,
    not_found: notFound,
    other_errors: errors.length - notFound,
  };
  return products.answer(`"errors":${JSON.stringify(errors)},"meta":${JSON.stringify(meta)}`);
}

function readItems(body: unknown): readonly RequestedItem[] {
  const items: unknown = isRecord(body) ? body.items : undefined;
  if (!Array.isArray(items)) throw badRequest("The body is not `{ items: [ { retailer, product_id } ] }`.");
  if (items.length === 0) throw badRequest("`items` is empty.");
  if (items.length > mostBatchItems) throw badRequest(`\`items\` has more than ${mostBatchItems} entries.`);
  const malformed = items.findIndex((item) => !isItem(item));
  if (malformed === -1) return items;
  throw badRequest(
    `\`items[${malformed}]\` lacks \`retailer\` or \`product_id\`, each a string that is not empty.`,
  );
}

function isItem(item: unknown): item is RequestedItem {
  return isRecord(item) && isText(item.retailer) && isText(item.product_id);
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
