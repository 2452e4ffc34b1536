import type { Permissions } from "../access.ts";
import type { Answer, Caller } from "../call.ts";
import { badRequest, type ErrorCode } from "../refusal.ts";
import { productText } from "../store/public-product.ts";
import type { Catalogue } from "../upstream.ts";

/** Spec, Limits. */
export const largestBatch = 50;

interface BatchItem {
  readonly retailer: string;
  readonly product_id: string;
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
export async function lookUpBatch(
  body: unknown,
  { caller, catalogue }: { caller: Caller; catalogue: Catalogue },
): Promise<Answer> {
  const items = readItems(body);
  const { permissions } = caller;
  const products: string[] = [];
  const errors: BatchError[] = [];
  const askable = items.map((item) => {
    const retailer = permissions.retailersBySlug.get(item.retailer);
    const refused = retailer === undefined || !caller.entitled.has(retailer.id);
    return refused ? undefined : { retailer, productId: item.product_id };
  });
  const asked = askable.filter((item) => item !== undefined);
  const found = await catalogue.byIdentifiers(
    asked.map(({ retailer, productId }) => ({ retailer: retailer.id, productId })),
  );
  let next = 0;
  let notFound = 0;
  for (const [index, item] of items.entries()) {
    const allowed = askable[index];
    if (allowed === undefined) {
      errors.push(refusedItem(item, permissions));
      continue;
    }
    const stored = found[next++];
    if (stored === undefined) {
      notFound++;
      errors.push({
        ...item,
        code: "not_found",
        message: "The retailer has no product with this identifier.",
      });
    } else {
      products.push(productText(allowed.retailer, stored));
    }
  }
  const meta = {
    total: items.length,
    found: products.length,
    not_found: notFound,
    other_errors: errors.length - notFound,
  };
  const rest = `"errors":${JSON.stringify(errors)},"meta":${JSON.stringify(meta)}`;
  return { status: 200, headers: {}, body: `{"products":[${products.join(",")}],${rest}}` };
}

function refusedItem(item: BatchItem, permissions: Permissions): BatchError {
  return permissions.retailersBySlug.has(item.retailer)
    ? { ...item, code: "forbidden", message: "Your organization may not use this retailer." }
    : { ...item, code: "bad_request", message: "There is no retailer with this slug." };
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
