import { errorCodes } from "../../schemas/api.ts";
import { type FieldNames, productFields } from "../../schemas/contracts/product.ts";
import { given, isObject } from "../../schemas/json.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { batch } from "../client/requests.ts";
import { absent, type Fixture, type Fixtures, type ProductFixture, present } from "./fixtures.ts";

type BatchFields = Fixtures["batch"] extends Fixture<infer T> ? T : never;

// Common names of the field with the list of items. The empty name stands for a body that is the list itself.
const requestFields = [
  ..."items products lookups requests identifiers queries entries".split(" "),
  "",
  ..."ids product_ids keys data".split(" "),
];
const wordsToTry = 8;

/**
 * Finds the field names of a batch (spec, POST /v1/products/batch-lookup: "not shown") by lookups of known
 * products under common names and those that error messages mention.
 */
export async function findBatchFields(
  client: Pick<PoliteClient, "ask">,
  [product, ...others]: readonly [ProductFixture, ...ProductFixture[]],
  fieldNames: FieldNames,
): Promise<Fixture<BatchFields>> {
  const second = others.find(({ productId }) => productId !== product.productId);
  const items = [product, ...(second === undefined ? [] : [second])].map(
    ({ retailer, productId: product_id }) => ({ retailer, product_id }),
  );
  const tried = new Set<string>();
  const queue =
    fieldNames.batchRequestField === undefined ? [...requestFields] : [fieldNames.batchRequestField];
  let answered = false;
  let refusal: { status: number; location?: string } | undefined;
  for (let field = queue.shift(); field !== undefined; field = queue.shift()) {
    if (tried.has(field)) continue;
    tried.add(field);
    const { response } = await client.ask(batch(items, { batchRequestField: field }));
    const { status, headers } = response;
    if (!isAboutForm(status)) {
      refusal = { status, ...given({ location: headers.location }) };
      break;
    }
    if (status < 300) {
      answered = true;
      const found = foundList(response.json, product, fieldNames);
      if (found !== undefined) return present({ batchRequestField: field, ...found });
    }
    if (status === 400 && fieldNames.batchRequestField === undefined && tried.size === 1)
      queue.unshift(...wordsIn(response.json).slice(0, wordsToTry));
  }
  return absent({
    code: "batch-not-understood",
    endpoint: "batch",
    details: { answered, tried: [...tried], ...refusal },
  });
}

/** Whether a response may be about the names of fields, as a redirect, 403, 404, 405 or 413 is not. */
function isAboutForm(status: number): boolean {
  return status < 300 || [400, 415, 422].includes(status) || status >= 500;
}

// The list of found products is the one, besides `errors`, that contains the product.
function foundList(
  body: unknown,
  wanted: ProductFixture,
  { batchFoundField: known, batchFoundProduct }: FieldNames,
): Omit<BatchFields, "batchRequestField"> | undefined {
  const lists = Object.entries(isObject(body) ? body : {}).filter(([name]) =>
    known === undefined ? name !== "errors" : name === known,
  );
  const candidates = lists.flatMap(([batchFoundField, list]) => {
    const entry: unknown = Array.isArray(list) ? list[0] : undefined;
    if (!isObject(entry)) return [];
    const isWhole = isTheProduct(entry);
    const inner = isWhole ? undefined : Object.entries(entry).find(([, one]) => looksLike(one, wanted))?.[0];
    const fields = { batchFoundField, batchFoundProduct: batchFoundProduct ?? inner ?? "" };
    return [{ fields, isWhole: isWhole || inner !== undefined }];
  });
  // A list that echoes the request also contains objects: prefer the one with complete products.
  return (candidates.find(({ isWhole }) => isWhole) ?? candidates[0])?.fields;
}

function looksLike(inner: unknown, wanted: ProductFixture): boolean {
  return isObject(inner) && (inner.product_id === wanted.productId || isTheProduct(inner));
}

// An echoed item has only retailer and product_id; a product has other fields too.
const { retailer: _retailer, product_id: _id, ...othersOfProduct } = productFields;

function isTheProduct(entry: Record<string, unknown>): boolean {
  return Object.keys(othersOfProduct).some((field) => field in entry);
}

// An error message may mention the missing field: quoted words first, then plurals and compounds.
function wordsIn(body: unknown): string[] {
  const error = JSON.stringify(isObject(body) ? (body.error ?? body) : "");
  const quoted = [...error.matchAll(/(?<=["'`“‘])[A-Za-z_][\w-]{1,40}(?=\\?["'`”’])/g)].map(([word]) => word);
  const plural = [...error.matchAll(/\b[a-z][\w-]*(?:s|_\w+)\b/gi)].map(([word]) => word);
  const ofErrors = `retailer product_id code message error errors details ${errorCodes[400]}`.split(" ");
  const known = new Set([...ofErrors, ...requestFields]);
  return [...new Set([...quoted, ...plural])].filter((word) => !known.has(word));
}
