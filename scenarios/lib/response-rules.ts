import {
  countersDisagree,
  entriesOf,
  itemName,
  itemNotSent,
  itemsIn,
  miscountedItems,
  type PlacedEntry,
  repeatedOnPage,
  wrongPageCount,
  wrongTotal,
} from "../../schemas/accounts.ts";
import { errorCodeOf } from "../../schemas/api.ts";
import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { pointer, valueAt } from "../../schemas/json.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import { isUtcTimestamp, isYearOne } from "../../schemas/timestamp.ts";
import { productPath } from "./catalog.ts";
import { isLikelyTime, mayHoldAbsence } from "./quick-check.ts";

/** What the body of a 200 is. */
export type ResponseBody = "product" | "product-list" | "batch-result" | "retailer-list";

/** How the response to a kind of request is judged. */
interface RequestRules {
  /** Statuses that are not failures, besides 429, which is counted separately. */
  readonly allowed: readonly number[];
  /** The status whose latency is measured and has limits. */
  readonly timed: number;
  /** The body of a 200. */
  readonly body: ResponseBody;
}

/**
 * The rules of each kind of request. By URL and by GTIN, 404 is allowed: a retailer without domains does not resolve, and
 * a GTIN may belong to several retailers. 403 by GTIN is allowed too, because the spec leaves open which status an
 * unentitled retailer gets.
 */
export const requestRules = {
  "lookup-by-id": { allowed: [200], timed: 200, body: "product" },
  "lookup-by-url": { allowed: [200, 404], timed: 200, body: "product" },
  "lookup-by-gtin": { allowed: [200, 403, 404], timed: 200, body: "product" },
  "lookup-unknown-product": { allowed: [404], timed: 404, body: "product" },
  "lookup-unknown-retailer": { allowed: [400], timed: 400, body: "product" },
  "lookup-unentitled-retailer": { allowed: [403], timed: 403, body: "product" },
  "category-page": { allowed: [200], timed: 200, body: "product-list" },
  batch: { allowed: [200], timed: 200, body: "batch-result" },
  retailers: { allowed: [200], timed: 200, body: "retailer-list" },
} as const satisfies Record<RequestKindId, RequestRules>;

/** A validator compiled when the scenario is bundled. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The validators of the response schemas in `schemas/`. */
export interface Validators {
  readonly product: Validator;
  readonly present: Validator;
  readonly productList: Validator;
  readonly batchResult: Validator;
  readonly retailers: Validator;
  readonly errorBody: Validator;
}

/** The parts of a k6 response that are checked. */
export interface CheckedResponse {
  readonly body: string | null;
  /** The body parsed; throws when it is not JSON. */
  json(): unknown;
}

/** Checks responses against the spec. */
export interface ResponseRules {
  /** The first violation in the response to a request for `path` with the body `sent`, or undefined. */
  check(
    request: RequestKindId,
    path: string,
    status: number,
    response: CheckedResponse,
    sent?: string,
  ): Finding | undefined;
}

/** Creates the rules: the complete check of a response against its schema. */
export function createResponseRules(validators: Validators, fieldNames: FieldNames): ResponseRules {
  function checkProduct(path: string, response: CheckedResponse, byId: boolean): Finding | undefined {
    const text = response.body ?? "";
    const product = response.json();
    return (
      shapeFinding(validators.product, product) ??
      (mayHoldAbsence(text) ? shapeFinding(validators.present, product) : undefined) ??
      (text.includes('"error"') ? errorAsProduct(validators, product) : undefined) ??
      timeFinding([{ path: "", entry: product as BodyFieldValues }]) ??
      (byId ? otherProduct(path, product as Named) : undefined)
    );
  }

  function checkSuccess(request: RequestKindId, path: string, response: CheckedResponse, sent: string) {
    const { body } = requestRules[request];
    switch (body) {
      case "product":
        return checkProduct(path, response, request === "lookup-by-id");
      case "product-list": {
        const page = response.json();
        return (
          shapeFinding(validators.productList, page) ??
          absenceFinding(validators, response, (page as { products: unknown[] }).products, "/products") ??
          pageFinding(page as BodyFieldValues)
        );
      }
      case "batch-result": {
        const result = response.json();
        return (
          shapeFinding(validators.batchResult, result) ??
          checkFound(validators, fieldNames, response, result) ??
          batchFinding(result as BodyFieldValues, sent, fieldNames)
        );
      }
      case "retailer-list":
        return shapeFinding(validators.retailers, response.json());
      default:
        return body satisfies never;
    }
  }

  return {
    check(request, path, status, response, sent = "") {
      try {
        return status === 200
          ? checkSuccess(request, path, response, sent)
          : checkError(validators, status, response);
      } catch {
        const cause = (response.body ?? "") === "" ? ({ cause: "empty" } as const) : {};
        return { code: "not-json", details: { status, ...cause } };
      }
    },
  };
}

/** The first violation of a schema; `at` is the place of the data in the body. */
function shapeFinding(validator: Validator, data: unknown, at = ""): Finding | undefined {
  if (validator(data)) return undefined;
  const first = validator.errors?.[0];
  if (first === undefined) return { code: "wrong-format", path: at };
  const { instancePath, keyword, params } = first;
  const path = at + instancePath;
  const actual = valueAt(data, instancePath);
  if (keyword === "required") {
    return { code: "missing-field", path: path + pointer(String(params.missingProperty)) };
  }
  if (keyword === "minLength") return { code: "empty-string", path };
  const { type: expected } = params;
  if (typeof expected !== "string" && !Array.isArray(expected)) {
    return { code: "wrong-format", path, expected: { minimum: params.limit }, actual: shown(actual) };
  }
  return actual === null
    ? { code: "null-value", path }
    : { code: "wrong-type", path, expected, actual: shown(actual) };
}

/** The value, or type and size of an array or object. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return { type: "array", size: value.length };
  if (typeof value === "object" && value !== null) return { type: "object", size: Object.keys(value).length };
  return value;
}

type BodyFieldValues = Readonly<Record<string, unknown>>;

/** The first finding on a page that does not add up, or on a time in it; see schemas/accounts.ts. */
function pageFinding(page: BodyFieldValues): Finding | undefined {
  const products = entriesOf(page, "products");
  const [first] = [...wrongPageCount(page), ...repeatedOnPage(products)];
  return first === undefined ? timeFinding(products) : { ...first, endpoint: "category-page" };
}

/** The first finding on a batch result that does not account for the items that were sent. */
function batchFinding(
  result: BodyFieldValues,
  sent: string,
  { batchFoundField, batchFoundProduct }: FieldNames,
): Finding | undefined {
  const found = batchFoundField === undefined ? [] : entriesOf(result, batchFoundField, batchFoundProduct);
  const names = itemsIn(sent).map((item) => itemName(item as BodyFieldValues) ?? "");
  const listed = [...found, ...entriesOf(result, "errors")];
  const stray =
    names.length === 0 ? undefined : listed.find(({ entry }) => !names.includes(itemName(entry) ?? ""));
  const [first] = [
    ...countersDisagree(result, batchFoundField, true),
    ...(stray === undefined ? [] : [itemNotSent(stray.path, stray.entry)]),
    ...(names.length === 0 ? [] : wrongTotal((result.meta as BodyFieldValues).total, names)),
    ...(batchFoundField === undefined ? [] : miscountedItems(names, listed)),
  ];
  return first === undefined ? timeFinding(found) : { ...first, endpoint: "batch" };
}

/** The first finding on the last_updated of products: the year 1, or no timestamp in UTC. */
function timeFinding(products: readonly PlacedEntry[]): Finding | undefined {
  for (const { path, entry } of products) {
    const { last_updated: time } = entry;
    if (typeof time !== "string" || time === "" || isLikelyTime(time)) continue;
    const at = `${path}/last_updated`;
    if (isYearOne(time)) return { code: "stand-in", path: at, actual: time };
    if (!isUtcTimestamp(time))
      return { code: "wrong-format", path: at, expected: "utc-timestamp", actual: time };
  }
  return undefined;
}

interface Named {
  readonly retailer?: unknown;
  readonly product_id?: unknown;
}

/** The finding that a lookup by id returned another product, or undefined. */
function otherProduct(path: string, { retailer, product_id }: Named): Finding | undefined {
  if (typeof product_id !== "string") return undefined;
  const isSame =
    typeof retailer === "string"
      ? productPath(retailer, product_id) === path
      : path.endsWith(productPath("", product_id).slice("/products/".length));
  if (isSame) return undefined;
  const [, , requestedRetailer = "", requestedId = ""] = path.split("/").map(decodeURIComponent);
  return product_id === requestedId
    ? { code: "other-product", path: "/retailer", expected: requestedRetailer, actual: retailer }
    : { code: "other-product", path: "/product_id", expected: requestedId, actual: product_id };
}

/** The finding that an error body came with 200. Its schema does not exclude it: all fields of a product may be missing. */
function errorAsProduct({ errorBody }: Validators, body: unknown): Finding | undefined {
  return errorBody(body) ? { code: "error-in-success", details: { status: 200 } } : undefined;
}

function absenceFinding(
  validators: Validators,
  response: CheckedResponse,
  products: readonly unknown[],
  at: string,
  below = "",
): Finding | undefined {
  if (!mayHoldAbsence(response.body ?? "")) return undefined;
  for (const [index, product] of products.entries()) {
    const finding = shapeFinding(validators.present, product, `${at}/${index}${below}`);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

function checkFound(
  validators: Validators,
  fieldNames: FieldNames,
  response: CheckedResponse,
  result: unknown,
) {
  const { batchFoundField, batchFoundProduct } = fieldNames;
  if (batchFoundField === undefined) return undefined;
  const found = (result as Record<string, unknown>)[batchFoundField];
  const at = pointer(batchFoundField);
  if (!Array.isArray(found)) {
    return found === undefined
      ? ({ code: "missing-field", path: at } as const)
      : ({ code: "wrong-type", path: at, expected: "array", actual: shown(found) } as const);
  }
  const products = batchFoundProduct
    ? found.map((entry: Record<string, unknown> | null) => entry?.[batchFoundProduct])
    : found;
  const below = batchFoundProduct ? pointer(batchFoundProduct) : "";
  for (const [index, product] of products.entries()) {
    const finding = shapeFinding(validators.product, product, `${at}/${index}${below}`);
    if (finding !== undefined) return finding;
  }
  return absenceFinding(validators, response, products, at, below);
}

function checkError(validators: Validators, status: number, response: CheckedResponse): Finding | undefined {
  const body = response.json();
  const finding = shapeFinding(validators.errorBody, body);
  if (finding !== undefined) return finding;
  const expected = errorCodeOf(status);
  const { code } = (body as { error: { code: string } }).error;
  return expected === undefined || code === expected
    ? undefined
    : { code: "error-code-mismatch", path: "/error/code", expected, actual: code, details: { status } };
}
