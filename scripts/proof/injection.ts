import type { Caller } from "../../conformance/client/target.ts";
import type { Expectation } from "./expectation.ts";

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** The part of the API that a request is for, by method, path and parameters. */
export type Way = "retailers" | "by-id" | "url" | "gtin" | "category" | "batch" | "other";

/** A request on its way to the target. */
export interface Asked {
  readonly method: string;
  readonly way: Way;
  /** Below the base URL, without the query, as it was sent. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** Whose key it carries; `stranger` for one that is none of the target's. */
  readonly caller: Caller | "stranger";
  readonly body: Buffer;
}

/** An answer on its way back. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when it is JSON, else the bytes as they came. */
  readonly body: Answered;
}

type Answered = { readonly json: unknown } | { readonly bytes: Buffer };

/** Changes an answer; undefined leaves it as it is. May ask the target for something else instead. */
export type Change = (
  answer: Answer,
  asked: Asked,
  ask: (instead: Asked) => Promise<Answer>,
) => Answer | undefined | Promise<Answer | undefined>;

/** A fault that is put on answers from outside, with what the suite must say of it. */
export interface Injection extends Expectation {
  /** Makes the change for one run: what it must remember is its own. */
  readonly start: () => Change;
}

/** An injection that remembers nothing. */
export function inject(
  fault: string,
  red: string | readonly string[],
  change: Change,
  also: Expectation["also"] = {},
): Injection {
  return injectRemembering(fault, red, () => change, also);
}

/** An injection that goes by what it saw before in the same run. */
export function injectRemembering(
  fault: string,
  red: string | readonly string[],
  start: () => Change,
  also: Expectation["also"] = {},
): Injection {
  return { fault, red: typeof red === "string" ? [red] : red, also, start };
}

/** The JSON of an answer, when it is an object. */
export function objectOf({ body }: Answer): Json | undefined {
  return "json" in body && isObject(body.json) ? body.json : undefined;
}

/** The answer with other JSON. */
export function withJson(answer: Answer, json: unknown): Answer {
  return { ...answer, body: { json } };
}

/** An error in the shape of the spec. */
export function errorAnswer(status: number, code: string): Answer {
  const json = { error: { code, message: "Injected by shelfcheck proof." } };
  return { status, headers: { "content-type": "application/json" }, body: { json } };
}

/** Changes answers of one status, as `onStatus(404, …)`; `when` narrows it to some requests. */
export function onStatus(
  status: number,
  change: (answer: Answer, asked: Asked) => Answer,
  when: (asked: Asked) => boolean = () => true,
): Change {
  return (answer, asked) => (answer.status === status && when(asked) ? change(answer, asked) : undefined);
}

/** Changes the JSON object of successful answers of one way. */
export function onBody(way: Way, change: (body: Json, asked: Asked) => unknown): Change {
  return (answer, asked) => {
    const body = asked.way === way && answer.status === 200 ? objectOf(answer) : undefined;
    return body === undefined ? undefined : withJson(answer, change(body, asked));
  };
}

/** Changes each product, in answers of the given ways. */
export function onProducts(
  change: (product: Json) => Json,
  ways: readonly Way[] = ["by-id", "url", "gtin", "category", "batch"],
): Change {
  return (answer, asked) => {
    const body = answer.status === 200 && ways.includes(asked.way) ? objectOf(answer) : undefined;
    if (body === undefined) return undefined;
    switch (asked.way) {
      case "by-id":
      case "url":
      case "gtin":
        return withJson(answer, change(body));
      case "category":
      case "batch":
        return withJson(answer, onLists(body, change));
      case "retailers":
      case "other":
        return undefined;
      default:
        return asked.way satisfies never;
    }
  };
}

// The list of found products has a name of the target's own, and its entries may wrap the product.
function onLists(body: Json, change: (product: Json) => Json): Json {
  const entry = (one: unknown): unknown => {
    if (!isObject(one)) return one;
    const wrapped = one.product;
    return isObject(wrapped) ? { ...one, product: change(wrapped) } : change(one);
  };
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) =>
      name !== "errors" && Array.isArray(value) ? [name, value.map(entry)] : [name, value],
    ),
  );
}

/** Changes each entry of GET /retailers. */
export function onRetailers(change: (entry: Json) => Json): Change {
  return onBody("retailers", (body) => ({
    ...body,
    retailers: Array.isArray(body.retailers)
      ? body.retailers.map((entry) => (isObject(entry) ? change(entry) : entry))
      : body.retailers,
  }));
}

/** Changes the meta of successful answers of one way. */
export function onMeta(way: "category" | "batch", change: (meta: Json) => Json): Change {
  return onBody(way, (body) => ({ ...body, meta: change(isObject(body.meta) ? body.meta : {}) }));
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same without one of its fields. */
export function without<T>(
  name: string,
  { [name]: _left, ...rest }: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  return rest;
}
