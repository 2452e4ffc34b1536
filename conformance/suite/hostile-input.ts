import { type EndpointId, endpoints } from "../../schemas/api.ts";
import type { HostileKind } from "../../schemas/contracts/vocabulary.ts";
import { TransportError } from "../client/no-response.ts";
import { byId, type Request, retailers } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { unknownPath } from "../discovery/unknown-values.ts";
import { failed, type Outcome, passed, statusOf, together } from "../requirements/outcome.ts";
import type { CheckContext } from "./check/check.ts";
import { lookupOf, succeeding, unknownProduct } from "./check/inputs.ts";

// Legal HTTP that may make a service fail. URLs stay below 8 kB, which common servers accept.

/** A hostile request, and what is hostile about it. */
export interface HostileInput {
  readonly endpoint: EndpointId;
  /** The parameter, or the part of the message, with the hostile value. */
  readonly parameter: string;
  readonly kind: HostileKind;
  readonly request: Request;
  /** Statuses that fit. Default: those of unusable values */
  readonly expected?: readonly number[];
}

/** A parameter of a URL, and how to put a percent-encoded value there. */
export interface HostilePlace {
  readonly endpoint: EndpointId;
  readonly parameter: string;
  /** Names of `values` below. */
  readonly kinds: readonly HostileKind[];
  readonly path: (context: CheckContext, encoded: string) => string;
}

type ByKind = Readonly<Partial<Record<HostileKind, string>>>;

const longest = 5000;
const ofJson = { "content-type": "application/json" };

/** Texts that both a URL and JSON can express. */
const texts: ByKind = {
  nul: "shelf\u0000check",
  long: "x".repeat(longest),
  unicode: "e\u0301\u202eשלום\u200d👩‍👩‍👧𝒳😀İ\uffff\ufeff",
  punctuation: `'"\\;:([{*?#&=+%_$|~^,!@)]}\``,
  "line-break": "shelf\r\ncheck\t",
  blank: " ",
  "64-bit": "9223372036854775808",
  "huge-number": "9".repeat(40),
  "negative-number": "-1",
  // A service in JavaScript may find what every object has.
  prototype: "__proto__",
};

/** Percent-encoded values of a parameter. */
const values: ByKind = {
  ...Object.fromEntries(byKind(texts).map(([kind, text]) => [kind, encodeURIComponent(text)])),
  "invalid-utf8": "shelf%C3%28check%FF",
  "long-number": "9".repeat(longest),
  "bad-escape": "shelf%zzcheck%",
  // Alone: a server may refuse a backslash or slash before the service sees the quotes.
  quotes: "shelf%27%22check",
  empty: "",
  zero: "0",
  "32-bit": "2147483647",
  // More than a search engine returns at once.
  "large-number": "20000",
};

const [productsPath = ""] = endpoints["lookup-by-url"].path.split("?");
const parameters = (...pairs: readonly string[]) => `${productsPath}?${pairs.join("&")}`;

/** Every parameter of a URL. */
export const hostilePlaces = {
  "product-id": {
    endpoint: "lookup-by-id",
    parameter: "product_id",
    kinds: ["nul", "invalid-utf8", "long", "unicode", "bad-escape", "quotes", "punctuation", "huge-number"],
    path: (context, encoded) => byId(slugIn(context), "").path + encoded,
  },
  slug: {
    endpoint: "lookup-by-id",
    parameter: "retailer",
    kinds: ["nul", "prototype"],
    path: (_context, encoded) => `${productsPath}/${encoded}/0`,
  },
  url: inQuery("lookup-by-url", "url", ["nul", "long", "unicode"], ({ fixtures: { sites } }) => {
    const origin = URL.parse(sites[0]?.url ?? "")?.origin ?? "https://shop.example";
    return `url=${encodeURIComponent(`${origin}/`)}`;
  }),
  gtin: inQuery("lookup-by-gtin", "gtin", ["nul", "long-number"]),
  scope: inQuery("lookup-by-gtin", "retailer", ["nul"], () => "gtin=4006381333931&retailer="),
  category: inQuery("category-page", "category", ["nul", "invalid-utf8", "unicode", "quotes"]),
  limit: inQuery(
    "category-page",
    "limit",
    ["32-bit", "64-bit", "large-number", "empty", "negative-number", "zero"],
    inCategory("limit"),
  ),
  cursor: inQuery("category-page", "cursor", ["nul", "empty"], inCategory("cursor")),
} as const satisfies Record<string, HostilePlace>;

/** A parameter of a query, behind others that make its endpoint understand it. */
function inQuery(
  endpoint: EndpointId,
  parameter: string,
  kinds: readonly HostileKind[],
  before: (context: CheckContext) => string = () => `${parameter}=`,
): HostilePlace {
  const path = (context: CheckContext, encoded: string) => parameters(before(context) + encoded);
  return { endpoint, parameter, kinds, path };
}

function inCategory(parameter: string) {
  return ({ fixtures }: CheckContext) =>
    `category=${encodeURIComponent(need(fixtures.category).category)}&${parameter}=`;
}

function byKind(texts: ByKind): [HostileKind, string][] {
  return Object.entries(texts) as [HostileKind, string][];
}

function slugIn({ fixtures }: CheckContext): string {
  return need(fixtures.retailers)[0] ?? "";
}

// Rules for an endpoint expect a well-formed request; for `other`, only rules for every response apply.
function getRequest(path: string): Request {
  return { ...retailers(), endpoint: "other", path };
}

/** The hostile requests for one parameter. @throws NotJudged when a fixture for it is missing. */
export function hostileInputs(place: HostilePlace, context: CheckContext): HostileInput[] {
  return place.kinds.map((kind) => inputIn(place, kind, values[kind] ?? "", context));
}

/** The request with a percent-encoded value in one place. */
export function inputIn(
  { endpoint, parameter, path }: HostilePlace,
  kind: HostileKind,
  encoded: string,
  context: CheckContext,
): HostileInput {
  return { endpoint, parameter, kind, request: getRequest(path(context, encoded)) };
}

/** Requests with a path or a method that the API does not have. The product does not exist. */
export async function hostileMethods(context: CheckContext): Promise<HostileInput[]> {
  const { path } = lookupOf(await unknownProduct(context));
  const patch = { ...getRequest(path), method: "PATCH", headers: ofJson, body: "{}" } as const;
  const [get, unknown] = [getRequest(endpoints.batch.path), getRequest(unknownPath)];
  return [
    { endpoint: "lookup-by-id", parameter: "method", kind: "patch", request: patch, expected: notThere },
    { endpoint: "batch", parameter: "method", kind: "get", request: get, expected: notThere },
    { endpoint: "retailers", parameter: "path", kind: "unknown-path", request: unknown, expected: notThere },
  ];
}

/** Requests with repeated, renamed or malformed parameters. */
export const hostileQueries: readonly HostileInput[] = (
  [
    ["lookup-by-gtin", "repeated", parameters("gtin=4006381333931", "gtin=96385074")],
    ["lookup-by-url", "repeated", parameters("url=shelfcheck", "url=shelfcheck")],
    ["category-page", "in-brackets", parameters("category[]=shelfcheck", "category[x][y]=1")],
    ["lookup-by-url", "no-url", parameters("url=not%20a%20url")],
    // Parsers throw at such a host, as that of Python.
    ["lookup-by-url", "no-url", parameters("url=https%3A%2F%2F%5B%3A99999")],
    ["lookup-by-url", "no-pairs", parameters("", "&", "=", "%00=%00", "%zz=%", "url")],
  ] as const
).map(([endpoint, kind, path]) => ({ endpoint, parameter: "query", kind, request: getRequest(path) }));

/** Batches with unusual ids: one with all of them, and one for each. The last one has an unusual slug. */
export function hostileItems(context: CheckContext): { all: HostileInput; each: HostileInput[] } {
  const retailer = slugIn(context);
  const ids = byKind({ ...texts, surrogate: "shelf\ud800check" });
  const items = ids.map(([, id]) => ({ retailer, product_id: id }));
  const each = ids.map(([kind], at) => itemsInput(context, kind, items.slice(at, at + 1)));
  const long = itemsInput(context, "long", [{ retailer: texts.long, product_id: "0" }], "retailer");
  return { all: itemsInput(context, "several-kinds", items), each: [...each, long] };
}

/** A batch request with any items. */
export function itemsInput(
  context: CheckContext,
  kind: HostileKind,
  items: readonly unknown[],
  parameter = "product_id",
): HostileInput {
  return bodyInput(kind, inField(context, JSON.stringify(items)), parameter);
}

// Deep enough to overflow a recursive parser, and small enough for usual body size limits.
const deepest = 5000;

/** Batch requests with wrong, unusual, malformed and empty bodies. */
export function hostileBodies(context: CheckContext): HostileInput[] {
  const retailer = JSON.stringify(slugIn(context));
  const withId = (id: string) => `{"retailer":${retailer},"product_id":${id}}`;
  const list = (...entries: readonly string[]) => inField(context, `[${entries.join(",")}]`);
  const bodies: ByKind = {
    empty: "",
    "null-body": "null",
    "empty-list": list(),
    "null-list": inField(context, "null"),
    "null-item": list(withId('"0"'), "null"),
    "number-id": list(withId("7")),
    "object-id": list(withId('{"$ne":null}')),
    "deep-nesting": list(`${"[".repeat(deepest)}${"]".repeat(deepest)}`),
  };
  return [
    ...byKind(bodies).map(([kind, body]) => bodyInput(kind, body)),
    bodyInput("empty", list(withId('"0"')), "content-type", {}),
  ];
}

function inField({ fixtures }: CheckContext, list: string): string {
  const { batchRequestField: field } = need(fixtures.batch);
  return field === "" ? list : `{${JSON.stringify(field)}:${list}}`;
}

/** A batch request with exactly this body. */
function bodyInput(
  kind: HostileKind,
  body: string,
  parameter = "body",
  headers: Request["headers"] = ofJson,
): HostileInput {
  const { method, path } = endpoints.batch;
  return { endpoint: "batch", parameter, kind, request: { ...getRequest(path), method, headers, body } };
}

/** A success is correct, or that a service refuses unusable input, by the spec or by HTTP. */
const ofValues = [200, 400, 404, 413, 414, 415, 431];
/** 405 and 501 are HTTP's own statuses for a method. */
const notThere = [400, 404, 405, 501];
/** Most failures to find: each may take a whole time-out, so the rest is not tried. */
const mostShown = 3;
/** Transport errors that an input may cause: a response that is too big to read, for example, is none. */
const failures: ReadonlySet<TransportError["failure"]> = new Set(["reset", "silent", "not HTTP"]);

/**
 * Sends each input. Fails for those that make the target fail while it handles other requests.
 * @throws NotJudged when the target fails on a well-formed request as well
 */
export async function survives(context: CheckContext, inputs: readonly HostileInput[]): Promise<Outcome> {
  const found: Outcome[] = [];
  for (const input of inputs) if (found.length < mostShown) found.push(...(await failureOn(context, input)));
  return found.length > 0
    ? together(found)
    : passed({ code: "checked", seen: { count: inputs.length, of: "requests" } });
}

/**
 * How the target fails on an input; nothing when it handles it.
 * @throws NotJudged when the target fails on a well-formed request as well
 */
export async function failureOn(
  context: CheckContext,
  { endpoint, parameter, kind, request, expected = ofValues }: HostileInput,
): Promise<Outcome[]> {
  const result = await context.tryOut(request);
  const isBroken = result instanceof TransportError;
  const isHandled = (status: number) => status < 500 || expected.includes(status);
  if (isBroken ? !failures.has(result.failure) : isHandled(result.response.status)) return [];
  // The input is to blame only if the endpoint works otherwise.
  const { caller, number } = await context.control(succeeding[endpoint](context));
  const about = { endpoint, condition: "hostile-input", subject: parameter, expected } as const;
  if (!isBroken) {
    const { actual, details } = statusOf(result);
    return [failed({ code: "wrong-status", ...about, actual, details: { ...details, kind } }, result)];
  }
  const { failure, request: sent } = result;
  const details = { kind, failure };
  // A request without a response, as an exchange.
  const response = { status: 0, headers: {}, text: "", utf8: true, milliseconds: 0 };
  return [
    failed(
      { code: "closed-on-input", ...about, details },
      { caller, number, endpoint, request: sent, response },
    ),
  ];
}
