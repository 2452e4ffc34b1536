import {
  countersDisagree,
  entriesOf,
  itemName,
  itemNotSent,
  itemsIn,
  miscountedItems,
  otherGtin,
  type PlacedEntry,
  repeatedOnPage,
  wrongPageCount,
  wrongTotal,
} from "../../schemas/accounts.ts";
import { maxBodyBytes } from "../../schemas/api.ts";
import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { blankErrorText, errorRows, wrongErrorCode } from "../../schemas/error-body.ts";
import { isJsonType, pointer, valueAt } from "../../schemas/json.ts";
import { hiddenIn } from "../../schemas/json-text.ts";
import {
  formattedFields,
  hasProductFields,
  missingTimes,
  standIns,
  wrappingsOf,
  wrongFormat,
} from "../../schemas/product-values.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";

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
  readonly headers?: Readonly<Record<string, string>>;
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
  /** What is odd about a right response, of which conformance warns: a value that stands for a missing one, half a character. */
  oddity(request: RequestKindId, response: CheckedResponse): Finding | undefined;
}

/** Creates the rules: the complete check of a response against its schema. */
export function createResponseRules(validators: Validators, fieldNames: FieldNames): ResponseRules {
  function checkProduct(
    path: string,
    response: CheckedResponse,
    request: RequestKindId,
  ): Finding | undefined {
    const text = response.body ?? "";
    const product = response.json();
    return (
      shapeFinding(validators.product, product) ??
      (mayHoldAbsence(text) ? shapeFinding(validators.present, product) : undefined) ??
      (text.includes('"error"') ? errorAsProduct(validators, product) : undefined) ??
      wrappingsOf(product)[0] ??
      // A product that is requested was shown with its id before, so a body without any of its fields is not that product.
      (hasProductFields(product as BodyFieldValues)
        ? undefined
        : { code: "missing-field", path: "/product_id" }) ??
      valueFinding([{ path: "", entry: product as BodyFieldValues }]) ??
      (request === "lookup-by-id" ? otherProduct(path, product as Named) : undefined) ??
      (request === "lookup-by-gtin" && fieldNames.gtin !== undefined
        ? otherGtin(product as BodyFieldValues, gtinIn(path), fieldNames.gtin)[0]
        : undefined)
    );
  }

  function checkSuccess(request: RequestKindId, path: string, response: CheckedResponse, sent: string) {
    const { body } = requestRules[request];
    switch (body) {
      case "product":
        return checkProduct(path, response, request);
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

  function productsIn(request: RequestKindId, body: unknown): readonly PlacedEntry[] {
    const { batchFoundField, batchFoundProduct } = fieldNames;
    switch (requestRules[request].body) {
      case "product":
        return [{ path: "", entry: body as BodyFieldValues }];
      case "product-list":
        return entriesOf(body as BodyFieldValues, "products");
      default:
        return batchFoundField === undefined
          ? []
          : entriesOf(body as BodyFieldValues, batchFoundField, batchFoundProduct);
    }
  }

  return {
    oddity(request, response) {
      for (const { path, entry } of productsIn(request, response.json())) {
        const [first] = standIns(entry);
        if (first !== undefined) return { ...first, path: path + (first.path ?? "") };
      }
      const text = response.body ?? "";
      const [half] = halfEscape.test(text) ? hiddenIn(text).halved : [];
      return half && { code: "half-character", ...half };
    },
    check(request, path, status, response, sent = "") {
      // It would fill the memory of k6 if it were parsed.
      if ((response.body ?? "").length > maxBodyBytes)
        return { code: "response-too-big", actual: maxBodyBytes, unit: "bytes" };
      try {
        if (isTooDeep(response.body ?? "")) return { code: "not-json", details: { status } };
        const finding =
          status === 200
            ? checkSuccess(request, path, response, sent)
            : checkError(validators, status, response);
        return finding ?? writingFinding(status, response);
      } catch {
        const cause = (response.body ?? "") === "" ? ({ cause: "empty" } as const) : {};
        return { code: "not-json", details: { status, ...cause } };
      }
    },
  };
}

const surelyShallow = 16_384;
const longest = 131_072;
/** Where so many arrays and objects end at one place, k6 needs seconds and hundreds of megabytes to parse a large text. */
const deepEnd = /(?:[\]}]\s*){200}/;

/** Whether a text is nested more deeply than conformance reads. */
export function isTooDeep(text: string): boolean {
  if (text.length <= surelyShallow) return false;
  const ends = ["]]]]]]]]", "}}}}}}}}", "]}]}]}]}"];
  return (text.length > longest || ends.some((end) => text.includes(end))) && deepEnd.test(text);
}

/** Whether a value in the JSON text may be null or empty; false only if none can be. */
function mayHoldAbsence(text: string): boolean {
  return text.includes("null") || text.includes('""');
}

/** The GTIN in the path of a lookup; empty in any other. */
function gtinIn(path: string): string {
  return /[?&]gtin=([^&]*)/.exec(path)?.[1] ?? "";
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
  const { type } = params;
  // Null has a finding of its own: the schemas allow it only for that.
  const expected = Array.isArray(type) ? type.filter((one) => one !== "null").join() : type;
  if (typeof expected !== "string") {
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
  return first === undefined ? valueFinding(products, wrappingsOf) : { ...first, endpoint: "category-page" };
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
    ...countersDisagree(result, batchFoundField, new Set(names).size === names.length),
    ...(stray === undefined ? [] : [itemNotSent(stray.path, stray.entry)]),
    ...(names.length === 0 ? [] : wrongTotal((result.meta as BodyFieldValues).total, names)),
    ...(batchFoundField === undefined ? [] : miscountedItems(names, listed)),
  ];
  return first === undefined ? valueFinding(found) : { ...first, endpoint: "batch" };
}

/** The first finding on a value in one of some products, by itself. */
function valueFinding(
  products: readonly PlacedEntry[],
  more: (product: BodyFieldValues) => readonly Finding[] = () => [],
): Finding | undefined {
  for (const { path, entry } of products) {
    const [first] = [
      ...missingTimes(entry),
      ...formattedFields.flatMap((field) => wrongFormat(entry, field)),
      ...more(entry),
    ];
    if (first !== undefined) return { ...first, path: path + (first.path ?? "") };
  }
  return undefined;
}

/** The finding on how a response is written that is otherwise right: no content type of JSON, or a name with two values. */
function writingFinding(status: number, response: CheckedResponse): Finding | undefined {
  const { body, headers = {} } = response;
  const { "Content-Type": type } = headers;
  if (type !== undefined && !isJsonType(type)) {
    const expected = "json-content-type";
    return { code: "wrong-header", subject: "Content-Type", expected, actual: type, details: { status } };
  }
  // Reading each character of a text takes k6 many times as long as to count the names in it.
  const text = body ?? "";
  if (text.split('":').length - 1 === namesIn(response.json())) return undefined;
  const repeated = hiddenIn(text).repeated.find(({ differs }) => differs);
  return repeated && { code: "repeated-name", path: repeated.path, details: { differs: true } };
}

/** Number of names of all objects in a value: a name that is there twice counts once. */
function namesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const inner of Object.values(value)) if (typeof inner === "object") count += namesIn(inner);
  return count;
}

/** The beginning of an escape that may be half a character. */
const halfEscape = /\\u[dD][89a-fA-F]/;

interface Named {
  readonly retailer?: unknown;
  readonly product_id?: unknown;
}

/** The finding that a lookup by id returned another product, or undefined. A service may ignore the case of ids. */
function otherProduct(path: string, { retailer, product_id }: Named): Finding | undefined {
  const [, , ...asked] = path.split("/").map(decodeURIComponent);
  const [requestedRetailer = "", requestedId = ""] = asked;
  if (typeof product_id === "string" && product_id.toLowerCase() !== requestedId.toLowerCase())
    return { code: "other-product", path: "/product_id", expected: requestedId, actual: product_id };
  return typeof retailer === "string" && retailer !== requestedRetailer
    ? { code: "other-product", path: "/retailer", expected: requestedRetailer, actual: retailer }
    : undefined;
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
  const { code, message } = (body as { error: { code: string; message: string } }).error;
  const [first] = [
    ...blankErrorText("code", code, status),
    ...blankErrorText("message", message, status),
    ...errorRows.flatMap((row) => wrongErrorCode(row, status, code) ?? []),
  ];
  return first;
}
