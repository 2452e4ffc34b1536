import { errorCodeOf } from "../../schemas/api.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import type { Dialect } from "../../schemas/types.ts";
import { productPath } from "./catalogue.ts";
import { type RequestRules, requests } from "./requests.ts";
import type { Validator, Validators } from "./validators.ts";

/** What a rule sees of an answer, as k6 has it. */
export interface Answer {
  readonly body: string | null;
  /** The body parsed; throws when it is not JSON. */
  json(): unknown;
}

/** Holds answers against the spec's shapes. */
export interface AnswerRules {
  /** What is wrong with the answer to a request for `path`, or undefined when nothing is. */
  flaw(name: RequestKindId, path: string, status: number, answer: Answer): string | undefined;
}

/** Products whose last good body is remembered, and the longest body: at most 32 KB a virtual user. */
const rememberedBodies = 16;
const longestRemembered = 2048;

/**
 * The rules. Every answer that is handed in is held against its schema in full. Two short cuts make that
 * cheap and take nothing away: a body that is equal to one already found good for the same path is good,
 * and a text in which neither `null` nor `""` occurs holds no null and no empty string at any depth.
 */
export function createAnswerRules(validators: Validators, dialect: Dialect): AnswerRules {
  const good = new Map<string, string>();

  function productAnswerFlaw(path: string, answer: Answer, byId: boolean): string | undefined {
    const text = answer.body ?? "";
    if (good.get(path) === text) return undefined;
    const product = answer.json();
    const flaw =
      shapeFlaw(validators.product, product) ??
      (mayHoldAbsence(text) ? shapeFlaw(validators.present, product) : undefined) ??
      (text.includes('"error"') ? errorAsProductFlaw(validators, product) : undefined) ??
      (byId ? identityFlaw(path, product as Named) : undefined);
    // The first ones stay: popular products come first and most often.
    const hasRoom = good.size < rememberedBodies || good.has(path);
    if (flaw === undefined && hasRoom && text.length <= longestRemembered) good.set(path, text);
    return flaw;
  }

  function successFlaw(name: RequestKindId, body: RequestRules["body"], path: string, answer: Answer) {
    switch (body) {
      case "product":
        return productAnswerFlaw(path, answer, name === "lookup-by-id");
      case "product-list": {
        const page = answer.json();
        const flaw = shapeFlaw(validators.productList, page);
        return (
          flaw ?? productsFlaw(validators, answer.body ?? "", (page as { products: unknown[] }).products, "")
        );
      }
      case "batch-result": {
        const result = answer.json();
        return (
          shapeFlaw(validators.batchResult, result) ??
          foundFlaw(validators, dialect, answer.body ?? "", result)
        );
      }
      default:
        return body satisfies never;
    }
  }

  return {
    flaw(name, path, status, answer) {
      try {
        return status === 200
          ? successFlaw(name, requests[name].body, path, answer)
          : errorFlaw(validators, status, answer);
      } catch (error) {
        return `not JSON: ${String(error)}`;
      }
    },
  };
}

/** True unless the text proves that no value in it is null or empty. */
export function mayHoldAbsence(text: string): boolean {
  return text.includes("null") || text.includes('""');
}

function shapeFlaw(validator: Validator, data: unknown): string | undefined {
  if (validator(data)) return undefined;
  const first = validator.errors?.[0];
  return first === undefined
    ? "does not fit the schema"
    : `${first.instancePath === "" ? "the body" : first.instancePath} breaks the rule ${first.keyword}`;
}

interface Named {
  readonly retailer?: unknown;
  readonly product_id?: unknown;
}

/** A lookup by identifier that returns another product is wrong, however well it is formed. */
function identityFlaw(path: string, { retailer, product_id }: Named): string | undefined {
  if (typeof product_id !== "string") return undefined;
  if (typeof retailer === "string") {
    return productPath(retailer, product_id) === path ? undefined : "another product than the one asked for";
  }
  return path.endsWith(productPath("", product_id).slice("/products/".length))
    ? undefined
    : "another product than the one asked for";
}

/** Every field of a product may be missing, so an error body would pass for a product without fields. */
function errorAsProductFlaw({ errorBody }: Validators, body: unknown): string | undefined {
  return errorBody(body) ? "an error body with status 200" : undefined;
}

function productsFlaw(validators: Validators, text: string, products: readonly unknown[], where: string) {
  if (!mayHoldAbsence(text)) return undefined;
  for (const [place, product] of products.entries()) {
    const flaw = shapeFlaw(validators.present, product);
    if (flaw !== undefined) return `${where}product ${place}: ${flaw}`;
  }
  return undefined;
}

function foundFlaw(validators: Validators, dialect: Dialect, text: string, result: unknown) {
  const { batchFoundField, batchFoundProduct } = dialect;
  if (batchFoundField === undefined) return undefined;
  const found = (result as Record<string, unknown>)[batchFoundField];
  if (!Array.isArray(found)) return `/${batchFoundField} is not a list`;
  const products = batchFoundProduct
    ? found.map((entry: Record<string, unknown> | null) => entry?.[batchFoundProduct])
    : found;
  for (const [place, product] of products.entries()) {
    const flaw = shapeFlaw(validators.product, product);
    if (flaw !== undefined) return `found ${place}: ${flaw}`;
  }
  return productsFlaw(validators, text, products, "found ");
}

function errorFlaw(validators: Validators, status: number, answer: Answer): string | undefined {
  const body = answer.json();
  const flaw = shapeFlaw(validators.errorBody, body);
  if (flaw !== undefined) return flaw;
  const expected = errorCodeOf(status);
  const { code } = (body as { error: { code: string } }).error;
  return expected === undefined || code === expected
    ? undefined
    : `status ${status} carries the code ${code}, not ${expected}`;
}
