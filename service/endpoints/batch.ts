import type { Retailer } from "../access/permissions.ts";
import type { Answer, Caller, Eventually } from "../call.ts";
import { badRequest, type ErrorCode } from "../refusal.ts";
import type { Catalogue, Identifier, StoredFields } from "../upstream.ts";
import { ProductList } from "./product-answer.ts";

/** Spec, Limits. */
export const largestBatch = 50;

interface BatchItem {
  readonly retailer: string;
  readonly product_id: string;
}

/** An item whose retailer the caller may use, ready to be asked for. */
interface AskableItem extends Identifier {
  readonly item: BatchItem;
  readonly from: Retailer;
}

interface BatchError extends BatchItem {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * POST /v1/products/batch-lookup. Request `{ items: [ { retailer, product_id } ] }`, result
 * `{ products, errors, meta }`. Each item is answered for itself, in the order of the request and as often as it
 * was sent; an unknown or unentitled retailer is an error of its item. A malformed item has nothing to
 * echo, so that the whole batch is refused.
 */
export function lookUpBatch(
  body: unknown,
  { caller, catalogue }: { caller: Caller; catalogue: Catalogue },
): Eventually<Answer> {
  const items = readItems(body).map((item) => judge(item, caller));
  const found = catalogue.byIdentifiers(items.filter((item) => "productId" in item));
  return found instanceof Promise ? found.then((its) => summarize(items, its)) : summarize(items, found);
}

function judge(item: BatchItem, { permissions, entitled }: Caller): AskableItem | BatchError {
  const from = permissions.retailersBySlug.get(item.retailer);
  if (from === undefined) {
    return { ...item, code: "bad_request", message: "There is no retailer with this slug." };
  }
  if (!entitled.has(from.id)) {
    return { ...item, code: "forbidden", message: "Your organization may not use this retailer." };
  }
  return { retailer: from.id, productId: item.product_id, item, from };
}

/** @param found what there is of the askable items, in their order. */
function summarize(
  items: readonly (AskableItem | BatchError)[],
  found: readonly (StoredFields | undefined)[],
): Answer {
  const products = new ProductList();
  const errors: BatchError[] = [];
  let asked = 0;
  let notFound = 0;
  for (const item of items) {
    if ("code" in item) {
      errors.push(item);
      continue;
    }
    const fields = found[asked++];
    if (fields === undefined) {
      notFound++;
      const message = "The retailer has no product with this identifier.";
      errors.push({ ...item.item, code: "not_found", message });
    } else {
      products.add(item.from, fields);
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

function readItems(body: unknown): BatchItem[] {
  const items = isRecord(body) ? body.items : undefined;
  if (!Array.isArray(items)) throw badRequest("The body is not `{ items: [ { retailer, product_id } ] }`.");
  if (items.length === 0) throw badRequest("`items` is empty.");
  if (items.length > largestBatch) throw badRequest(`\`items\` has more than ${largestBatch} entries.`);
  return items.map((item: unknown, index) => {
    const { retailer, product_id } = isRecord(item) ? item : {};
    if (
      typeof retailer !== "string" ||
      retailer === "" ||
      typeof product_id !== "string" ||
      product_id === ""
    ) {
      throw badRequest(
        `\`items[${index}]\` lacks \`retailer\` or \`product_id\`, each a string that is not empty.`,
      );
    }
    return { retailer, product_id };
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
