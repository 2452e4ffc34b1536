import {
  countersDisagree,
  entriesOf,
  itemName,
  itemNotSent,
  itemsIn,
  miscountedItems,
  otherGtin,
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
import { createSharedPrices, noValuesIn } from "../../schemas/no-values.ts";
import { formattedFields, hasProductFields, wrappingsOf, wrongFormat } from "../../schemas/product-values.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";

/** What the body of a 200 is. */
export type ResponseBody = "product" | "product-list" | "batch-result" | "retailer-list";

/** How the response to a kind of request is judged. */
interface RequestRules {
  /**
   * Statuses that are not failures, besides 429, which is counted separately. The latency of the first one is measured and has
   * limits.
   */
  readonly allowed: readonly [number, ...number[]];
  /** The body of a 200. */
  readonly body: ResponseBody;
}

/**
 * The rules of a kind of request. By URL and by GTIN, 404 is allowed: a retailer without domains does not resolve, and
 * a GTIN may belong to several retailers. 403 by GTIN is allowed too, because the spec leaves open which status an
 * unentitled retailer gets. A function, because a virtual user would hold a table whole.
 */
export function rulesOf(request: RequestKindId): RequestRules {
  switch (request) {
    case "lookup-by-id":
      return { allowed: [200], body: "product" };
    case "lookup-by-url":
      return { allowed: [200, 404], body: "product" };
    case "lookup-by-gtin":
      return { allowed: [200, 403, 404], body: "product" };
    case "lookup-unknown-product":
      return { allowed: [404], body: "product" };
    case "lookup-unknown-retailer":
      return { allowed: [400], body: "product" };
    case "lookup-unentitled-retailer":
      return { allowed: [403], body: "product" };
    case "category-page":
      return { allowed: [200], body: "product-list" };
    case "batch":
      return { allowed: [200], body: "batch-result" };
    case "retailers":
      return { allowed: [200], body: "retailer-list" };
    default:
      return request satisfies never;
  }
}

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
  /** What is odd about a right response, of which conformance warns: a value that seems to stand for a missing one. */
  oddity(request: RequestKindId, response: CheckedResponse): Finding | undefined;
}

type BodyFieldValues = Readonly<Record<string, unknown>>;

/** A product in the body of a 200, with its JSON Pointer; anything that stands where one is expected. */
interface ShownProduct {
  readonly path: string;
  readonly product: unknown;
}

const validatorOf = {
  product: "product",
  "product-list": "productList",
  "batch-result": "batchResult",
  "retailer-list": "retailers",
} as const satisfies Record<ResponseBody, keyof Validators>;

/** Creates the rules: the complete check of a response against its schema. */
export function createResponseRules(validators: Validators, fieldNames: FieldNames): ResponseRules {
  const { batchFoundField, batchFoundProduct = "", gtin } = fieldNames;
  const prices = createSharedPrices();

  function productsIn(kind: ResponseBody, body: BodyFieldValues): ShownProduct[] {
    if (kind === "product") return [{ path: "", product: body }];
    const [field, inner] = kind === "product-list" ? ["products", ""] : [batchFoundField, batchFoundProduct];
    const list = kind === "retailer-list" || field === undefined ? [] : body[field];
    return (Array.isArray(list) ? (list as (BodyFieldValues | null)[]) : []).map((one, index) =>
      inner === ""
        ? { path: pointer(field ?? "", index), product: one }
        : { path: pointer(field ?? "", index, inner), product: one?.[inner] },
    );
  }

  /** The finding that the list of found products is missing or no list. */
  function noList(result: BodyFieldValues): Finding | undefined {
    const found = batchFoundField === undefined ? [] : result[batchFoundField];
    const path = pointer(batchFoundField ?? "");
    if (Array.isArray(found)) return undefined;
    return found === undefined
      ? { code: "missing-field", path }
      : { code: "wrong-type", path, expected: "array", actual: shown(found) };
  }

  /** The first finding on the products of a body, each by itself. */
  function productFinding(kind: ResponseBody, all: readonly ShownProduct[]): Finding | undefined {
    for (const { path, product } of all) {
      // The schema of a page has that of its products.
      const wrong = kind === "product-list" ? undefined : shapeFinding(validators.product, product, path);
      if (wrong !== undefined) return wrong;
      prices.note(product as BodyFieldValues);
    }
    for (const { path, product } of all) {
      const [first] = [
        ...noValuesIn(product, "must", prices),
        ...formattedFields.flatMap((field) => wrongFormat(product as BodyFieldValues, field)),
        // In a batch result a wrapper is allowed.
        ...(kind === "batch-result" ? [] : wrappingsOf(product)),
      ];
      if (first !== undefined) return { ...first, path: path + (first.path ?? "") };
    }
    return undefined;
  }

  /** The findings on a product that is not the one that was requested, or none. */
  function otherThan(request: RequestKindId, path: string, product: BodyFieldValues): Finding[] {
    if (validators.errorBody(product)) return [{ code: "error-in-success", details: { status: 200 } }];
    // A product that is requested was shown with its id before, so a body without any of its fields is not that product.
    if (!hasProductFields(product)) return [{ code: "missing-field", path: "/product_id" }];
    if (request === "lookup-by-id") return otherProduct(path, product);
    const asked = /[?&]gtin=([^&]*)/.exec(path)?.[1];
    return asked === undefined || gtin === undefined ? [] : otherGtin(product, asked, gtin);
  }

  /** The findings on a batch result that does not account for the items that were sent. */
  function unaccounted(result: BodyFieldValues, sent: string): Finding[] {
    const found = batchFoundField === undefined ? [] : entriesOf(result, batchFoundField, batchFoundProduct);
    const names = itemsIn(sent).map((item) => itemName(item as BodyFieldValues) ?? "");
    const counted = countersDisagree(result, batchFoundField, new Set(names).size === names.length);
    if (names.length === 0) return counted;
    const listed = [...found, ...entriesOf(result, "errors")];
    const stray = listed.find(({ entry }) => !names.includes(itemName(entry) ?? ""));
    return [
      ...counted,
      ...(stray === undefined ? [] : [itemNotSent(stray.path, stray.entry)]),
      ...wrongTotal((result.meta as BodyFieldValues).total, names),
      ...(batchFoundField === undefined ? [] : miscountedItems(names, listed)),
    ];
  }

  function checkSuccess(request: RequestKindId, path: string, response: CheckedResponse, sent: string) {
    const { body: kind } = rulesOf(request);
    const body = response.json() as BodyFieldValues;
    const wrong =
      shapeFinding(validators[validatorOf[kind]], body) ??
      (kind === "batch-result" ? noList(body) : undefined) ??
      productFinding(kind, productsIn(kind, body));
    if (wrong !== undefined) return wrong;
    switch (kind) {
      case "product":
        return otherThan(request, path, body)[0];
      case "product-list":
        return at("category-page", [...wrongPageCount(body), ...repeatedOnPage(entriesOf(body, "products"))]);
      case "batch-result":
        return at("batch", unaccounted(body, sent));
      case "retailer-list":
        return undefined;
      default:
        return kind satisfies never;
    }
  }

  return {
    oddity(request, response) {
      for (const { path, product } of productsIn(rulesOf(request).body, response.json() as BodyFieldValues)) {
        const [first] = noValuesIn(product, "should", prices);
        if (first !== undefined) return { ...first, path: path + (first.path ?? "") };
      }
      return undefined;
    },
    check(request, path, status, response, sent = "") {
      const text = response.body ?? "";
      // It would fill the memory of k6 if it were parsed.
      if (text.length > maxBodyBytes)
        return { code: "response-too-big", actual: maxBodyBytes, unit: "bytes" };
      try {
        if (isTooDeep(text)) return { code: "not-json", details: { status } };
        const finding =
          status === 200
            ? checkSuccess(request, path, response, sent)
            : checkError(validators, status, response);
        return finding ?? writingFinding(status, response);
      } catch {
        const cause = text === "" ? ({ cause: "empty" } as const) : {};
        return { code: "not-json", details: { status, ...cause } };
      }
    },
  };
}

function at(endpoint: "category-page" | "batch", [first]: readonly Finding[]): Finding | undefined {
  return first && { ...first, endpoint };
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

/** The first violation of a schema; `place` is that of the data in the body. */
function shapeFinding(validator: Validator, data: unknown, place = ""): Finding | undefined {
  if (validator(data)) return undefined;
  const first = validator.errors?.[0];
  if (first === undefined) return { code: "wrong-format", path: place };
  const { instancePath, keyword, params } = first;
  const path = place + instancePath;
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

/** The finding on how a response is written that is otherwise right: no content type of JSON, half a character, or a name with two values. */
function writingFinding(status: number, response: CheckedResponse): Finding | undefined {
  const { body, headers = {} } = response;
  const { "Content-Type": type } = headers;
  if (type !== undefined && !isJsonType(type)) {
    const expected = "json-content-type";
    return { code: "wrong-header", subject: "Content-Type", expected, actual: type, details: { status } };
  }
  const text = body ?? "";
  const [half] = halfEscape.test(text) ? hiddenIn(text).halved : [];
  if (half !== undefined) return { code: "half-character", ...half };
  // Reading each character of a text takes k6 many times as long as to count the names in it.
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

/** The finding that a lookup by id returned another product. A service may ignore the case of ids. */
function otherProduct(path: string, { retailer, product_id }: BodyFieldValues): Finding[] {
  const [, , requestedRetailer = "", requestedId = ""] = path.split("/").map(decodeURIComponent);
  if (typeof product_id === "string" && product_id.toLowerCase() !== requestedId.toLowerCase())
    return [{ code: "other-product", path: "/product_id", expected: requestedId, actual: product_id }];
  return typeof retailer === "string" && retailer !== requestedRetailer
    ? [{ code: "other-product", path: "/retailer", expected: requestedRetailer, actual: retailer }]
    : [];
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
