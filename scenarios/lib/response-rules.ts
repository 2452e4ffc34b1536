import {
  canBeOf,
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
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { type FieldNames, product } from "../../schemas/contracts/product.ts";
import { batchResult, errorBody, productList, retailers } from "../../schemas/contracts/responses.ts";
import type { Schema } from "../../schemas/contracts/schema.ts";
import { blankErrorText, errorInSuccess, errorRows, wrongErrorCode } from "../../schemas/error-body.ts";
import { isJsonType, jsonType, pointer, shownValue } from "../../schemas/json.ts";
import { hiddenIn } from "../../schemas/json-text.ts";
import { createSharedPrices, noValuesIn } from "../../schemas/no-values.ts";
import { formattedFields, hasProductFields, wrappingsOf, wrongFormat } from "../../schemas/product-values.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import type { LoadCall } from "./traffic.ts";

/**
 * Statuses that are not failures, besides 429, which is counted separately. The latency of the first one is measured and has
 * limits. By URL and by GTIN, 404 is allowed: a retailer without domains does not resolve, and a GTIN may belong to several
 * retailers. 403 by GTIN is allowed too, because the spec leaves open which status an unentitled retailer gets. A function,
 * because a virtual user would hold a table whole.
 */
export function allowedOf(request: RequestKindId): readonly [number, ...number[]] {
  switch (request) {
    case "lookup-by-url":
      return [200, 404];
    case "lookup-by-gtin":
      return [200, 403, 404];
    case "lookup-unknown-product":
      return [404];
    case "lookup-unknown-retailer":
      return [400];
    case "lookup-unentitled-retailer":
      return [403];
    case "lookup-by-id":
    case "category-page":
    case "batch":
    case "retailers":
      return [200];
    default:
      return request satisfies never;
  }
}

/** The parts of a k6 response that are checked. */
interface CheckedResponse {
  readonly status: number;
  readonly body: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body parsed; throws when it is not JSON. */
  json(): unknown;
}

type BodyFieldValues = Readonly<Record<string, unknown>>;

/** Creates the rules of the complete check. */
export function createResponseRules({
  batchFoundField: foundField,
  batchFoundProduct: inner = "",
  gtin,
}: FieldNames) {
  const prices = createSharedPrices();
  const found = inner === "" ? product : objectWith(inner, product);
  const foundList = foundField === undefined ? [] : [objectWith(foundField, { type: "array", items: found })];

  /** The schemas of the body of a 200. */
  function schemasOf(request: RequestKindId): readonly Schema[] {
    if (request === "category-page") return [productList];
    if (request === "batch") return [batchResult, ...foundList];
    return request === "retailers" ? [retailers] : [product];
  }

  function productsIn(request: RequestKindId, body: BodyFieldValues): readonly PlacedEntry[] {
    if (request === "category-page") return entriesOf(body, "products");
    if (request === "batch") return foundField === undefined ? [] : entriesOf(body, foundField, inner);
    return request === "retailers" ? [] : [{ path: "", entry: body }];
  }

  /** The findings on the values of a product by themselves. */
  function valueFindings(request: RequestKindId, entry: BodyFieldValues): Finding[] {
    return [
      ...noValuesIn(entry, "must", prices),
      ...formattedFields.flatMap((field) => wrongFormat(entry, field)),
      // In a batch result a wrapper is allowed.
      ...(request === "batch" ? [] : wrappingsOf(entry)),
    ];
  }

  /** The findings on a body that does not add up, or is not what was requested. */
  function accountFindings(call: LoadCall, body: BodyFieldValues): Finding[] {
    const { name, body: sent = "" } = call;
    if (name === "category-page")
      return [
        ...wrongPageCount(body),
        ...repeatedOnPage(entriesOf(body, "products")),
        ...emptied(call, body),
      ];
    if (name === "batch") return unaccounted(body, sent);
    return name === "retailers" ? [] : otherThan(call, body);
  }

  /** The findings on a product that is not the one that was requested. */
  function otherThan(call: LoadCall, body: BodyFieldValues): Finding[] {
    const { name, path } = call;
    const [error] = errorInSuccess(body, 200);
    if (error !== undefined) return [error];
    // A product that is requested was shown with its id before, so a body without any of its fields is not that product.
    if (!hasProductFields(body)) return [{ code: "missing-field", path: "/product_id" }];
    if (name === "lookup-by-id") return otherProduct(path, body);
    if (name === "lookup-by-url") return otherPage(call, body);
    const asked = /[?&]gtin=([^&]*)/.exec(path)?.[1];
    return asked === undefined || gtin === undefined ? [] : otherGtin(body, asked, gtin);
  }

  /** The findings on a batch result that does not account for the items that were sent. */
  function unaccounted(result: BodyFieldValues, sent: string): Finding[] {
    const items = itemsIn(sent) as BodyFieldValues[];
    const names = items.map((item) => itemName(item) ?? "");
    const counted = countersDisagree(result, foundField, names);
    if (names.length === 0) return counted;
    const [products, errors] = [productsIn("batch", result), entriesOf(result, "errors")];
    const stray =
      products.find(({ entry }) => !items.some((item) => canBeOf(entry, item))) ??
      errors.find(({ entry }) => !names.includes(itemName(entry) ?? ""));
    return [
      ...counted,
      ...(stray === undefined ? [] : [itemNotSent(stray.path, stray.entry)]),
      ...wrongTotal((result.meta as BodyFieldValues).total, names),
      ...(foundField === undefined ? [] : miscountedItems(names, [...products, ...errors])),
    ];
  }

  function successFinding(call: LoadCall, body: BodyFieldValues): Finding | undefined {
    for (const schema of schemasOf(call.name)) {
      const wrong = shapeFinding(schema, body);
      if (wrong !== undefined) return wrong;
    }
    const products = productsIn(call.name, body);
    for (const { entry } of products) prices.note(entry);
    return firstIn(products, (entry) => valueFindings(call.name, entry)) ?? accountFindings(call, body)[0];
  }

  return {
    /** The first violation in the response to a request, or undefined. */
    check(call: LoadCall, response: CheckedResponse): Finding | undefined {
      const { status } = response;
      const text = response.body ?? "";
      // It would fill the memory of k6 if it were parsed.
      if (text.length > maxBodyBytes)
        return { code: "response-too-big", actual: maxBodyBytes, unit: "bytes" };
      try {
        if (isTooDeep(text)) return { code: "not-json", details: { status } };
        const body = response.json();
        const finding =
          status === 200 ? successFinding(call, body as BodyFieldValues) : errorFinding(status, body);
        return finding ?? writingFinding(response, body);
      } catch {
        const cause = text === "" ? ({ cause: "empty" } as const) : {};
        return { code: "not-json", details: { status, ...cause } };
      }
    },
  };
}

/** A catalog lives, but a category of so many products does not lose all of them between two walks. */
const fewestToMiss = 10;

function emptied({ had = 0 }: LoadCall, { products, meta }: BodyFieldValues): Finding[] {
  const isEnd = (meta as BodyFieldValues).next_cursor === "" && (products as unknown[]).length === 0;
  return isEnd && had >= fewestToMiss ? [{ code: "category-emptied", path: "/products", expected: had }] : [];
}

/** The schema of an object with this field. */
function objectWith(name: string, schema: Schema): Schema {
  return { type: "object", required: [name], properties: { [name]: schema } };
}

/** The first finding on any of these products, with its place in the body. */
function firstIn(
  products: readonly PlacedEntry[],
  judge: (entry: BodyFieldValues) => readonly Finding[],
): Finding | undefined {
  for (const { path, entry } of products) {
    const [first] = judge(entry);
    if (first !== undefined) return { ...first, path: path + (first.path ?? "") };
  }
  return undefined;
}

const surelyShallow = 16_384;
const longest = 131_072;
/** Where so many arrays and objects end at one place, k6 needs seconds and hundreds of megabytes to parse a large text. */
const deepEnd = /(?:[\]}]\s*){200}/;

/** Whether a text is nested more deeply than conformance reads. */
function isTooDeep(text: string): boolean {
  if (text.length <= surelyShallow) return false;
  const ends = ["]]]]]]]]", "}}}}}}}}", "]}]}]}]}"];
  return (text.length > longest || ends.some((end) => text.includes(end))) && deepEnd.test(text);
}

/** The keywords that the schemas of responses have. */
interface ShapeKeywords {
  readonly type?: string | readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minLength?: number;
  /** Of counters only. */
  readonly minimum?: number;
}

type ShapeFinding = FindingOf<
  "null-value" | "wrong-type" | "empty-string" | "wrong-format" | "missing-field"
>;

/** The first violation of a schema. Not compiled by ajv, whose code is several times as long as the whole check. */
function shapeFinding(schema: Schema, value: unknown, path = ""): ShapeFinding | undefined {
  const keywords = schema as ShapeKeywords;
  const [expected = "", orNull] = [keywords.type ?? []].flat();
  if (value === null) return orNull === undefined ? { code: "null-value", path } : undefined;
  // A counter that is no whole number is a number of another form, as for the suite.
  const wanted = expected === "integer" ? "number" : expected;
  if (jsonType(value) !== wanted)
    return { code: "wrong-type", path, expected: wanted, actual: shownValue(value) };
  if (value === "" && keywords.minLength !== undefined) return { code: "empty-string", path };
  const { minimum } = keywords;
  if (minimum !== undefined && !(Number.isInteger(value) && Number(value) >= minimum))
    return { code: "wrong-format", path, expected: "count", actual: value };
  const fields = value as BodyFieldValues;
  const missing = keywords.required?.find((name) => !Object.hasOwn(fields, name));
  if (missing !== undefined) return { code: "missing-field", path: path + pointer(missing) };
  for (const [name, inner] of Object.entries(keywords.properties ?? {})) {
    const wrong = Object.hasOwn(fields, name) && shapeFinding(inner, fields[name], path + pointer(name));
    if (wrong) return wrong;
  }
  const { items } = keywords;
  if (items === undefined) return undefined;
  for (const [place, item] of (value as unknown[]).entries()) {
    const wrong = shapeFinding(items, item, path + pointer(place));
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** The finding on how a response is written that is otherwise right: no content type of JSON, half a character, or a name with two values. */
function writingFinding(
  { status, body: sent, headers = {} }: CheckedResponse,
  body: unknown,
): Finding | undefined {
  const { "Content-Type": type } = headers;
  if (type !== undefined && !isJsonType(type)) {
    const expected = "json-content-type";
    return { code: "wrong-header", subject: "Content-Type", expected, actual: type, details: { status } };
  }
  const text = sent ?? "";
  const [half] = halfEscape.test(text) ? hiddenIn(text).halved : [];
  if (half !== undefined) return { code: "half-character", ...half };
  // Reading each character of a text takes k6 many times as long as to count the names in it.
  if (text.split('":').length - 1 === namesIn(body)) return undefined;
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

/** The finding that a lookup by URL returned the product of another page. Several products may have one page. */
function otherPage({ path, sought = "" }: LoadCall, product: BodyFieldValues): Finding[] {
  const { product_id: actual, product_url: page } = product;
  const isOfPage = typeof page !== "string" || path.endsWith(`=${encodeURIComponent(page)}`);
  if (isOfPage || typeof actual !== "string" || sought === "" || JSON.stringify(actual) === sought) return [];
  return [{ code: "other-product", path: "/product_id", expected: JSON.parse(sought), actual }];
}

function errorFinding(status: number, body: unknown): Finding | undefined {
  const wrong = shapeFinding(errorBody, body);
  if (wrong !== undefined) return { ...wrong, details: { status } };
  const { code, message } = (body as { error: { code: string; message: string } }).error;
  const [first] = [
    ...blankErrorText("code", code, status),
    ...blankErrorText("message", message, status),
    ...errorRows.flatMap((row) => wrongErrorCode(row, status, code) ?? []),
  ];
  return first;
}
