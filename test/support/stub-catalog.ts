import { isObject } from "../../schemas/json.ts";
import { type Received, sendJson, serve, type TestServer } from "./server.ts";
import { stubKeys } from "./stub-client.ts";

/** A product of the stub. */
export interface StubItem {
  readonly retailer: string;
  readonly id: string;
  readonly gtin?: string;
  readonly url?: string;
  /** The JSON of the product in responses; may lack any of the fields above. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** How a stub service differs from others, within what the spec leaves open. */
export interface StubCatalogOptions {
  /** Slugs that the first organization may use. */
  readonly own: readonly string[];
  /** Slugs that only the other organization may use, besides the first one of `own`. */
  readonly foreign?: readonly string[];
  /** All products, in the order of the one category. */
  readonly items: readonly StubItem[];
  readonly category: string;
  /** GET /retailers returns 404. */
  readonly withoutRetailers?: boolean;
  /** Optional parameters that the stub requires: without them it returns 400. */
  readonly demands?: readonly ("limit" | "retailer")[];
  /** Field names of a batch. An empty `request` stands for a body that is the list itself. */
  readonly batch?: {
    readonly request: string;
    readonly found: string;
    /** Field of an entry that holds the product. Default: the entry is the product */
    readonly wrappedIn?: string;
    /** Further fields before the others in the result. */
    readonly extra?: (items: readonly unknown[]) => Record<string, unknown>;
    /** The error message when the list of items is missing. */
    readonly complaint?: string;
  };
}

/** The part of a request that the stub reads. */
type ReceivedByStub = Pick<Received, "method" | "url" | "headers" | "body">;

/** A response of the stub. */
export interface StubResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Starts a stub service on a free port. */
export async function startStubCatalog(options: StubCatalogOptions): Promise<TestServer> {
  const respond = stubCatalog(options);
  return await serve((request, response) => {
    const { status, body } = respond(request);
    sendJson(response, status, body);
  });
}

const pageSize = 3;

/** The cursor of the page that begins at this index. */
const cursorTo = (offset: number) => `c${offset}`;

/** A stub service as a function. It accepts the keys of stub-client.ts and has no rate limit. */
export function stubCatalog(options: StubCatalogOptions): (request: ReceivedByStub) => StubResponse {
  const { own, foreign = [], items, category, demands = [] } = options;
  return (request) => {
    try {
      return respond(request);
    } catch (error) {
      // A malformed path or body.
      if (error instanceof URIError || error instanceof SyntaxError) return refusal(400, "bad_request");
      throw error;
    }
  };

  function respond(request: ReceivedByStub): StubResponse {
    const granted = slugsOfCaller(request);
    if (granted === undefined) return refusal(401, "unauthorized");
    const { pathname, searchParams } = new URL(request.url, "http://stub.example");
    const [first = "", second = "", third] = pathname.split("/").slice(2).map(decodeURIComponent);
    if (first === "retailers") {
      if (options.withoutRetailers === true) return refusal(404, "not_found");
      const retailers = granted.map((slug) => ({ slug, name: `The ${slug}`, domains: [] }));
      return { status: 200, body: { retailers } };
    }
    const visible = items.filter(({ retailer }) => granted.includes(retailer));
    if (third !== undefined) return productOrRefusal(granted, second, third);
    if (second === "batch-lookup") return batchResult(request, visible);
    return searchParams.has("category") ? page(searchParams, granted) : lookup(searchParams, visible);
  }

  function slugsOfCaller({ headers }: ReceivedByStub): readonly string[] | undefined {
    const keys = [headers.authorization?.replace(/^Bearer /i, ""), headers["x-api-key"]];
    if (keys.includes(stubKeys.primary) || keys.includes(stubKeys.sameOrg)) return own;
    return keys.includes(stubKeys.otherOrg) ? [...own.slice(0, 1), ...foreign] : undefined;
  }

  function productOrRefusal(granted: readonly string[], slug: string, id: string): StubResponse {
    if (![...own, ...foreign].includes(slug)) return refusal(400, "bad_request");
    if (!granted.includes(slug)) return refusal(403, "forbidden");
    return found(items.find((item) => item.retailer === slug && item.id === id));
  }

  function lookup(asked: URLSearchParams, visible: readonly StubItem[]): StubResponse {
    const [wantedUrl, wantedGtin, scope] = ["url", "gtin", "retailer"].map((name) => asked.get(name));
    if (demands.includes("retailer") && wantedGtin !== null && scope === null)
      return refusal(400, "bad_request");
    return found(
      visible.find(
        ({ gtin, url, retailer }) =>
          (url !== undefined && url === wantedUrl) ||
          (gtin !== undefined && gtin === wantedGtin && (scope ?? retailer) === retailer),
      ),
    );
  }

  function page(asked: URLSearchParams, granted: readonly string[]): StubResponse {
    if (demands.includes("limit") && !asked.has("limit")) return refusal(400, "bad_request");
    const cursors = items.map((_item, offset) => cursorTo(offset));
    const cursor = asked.get("cursor");
    const offset = cursor === null ? 0 : cursors.indexOf(cursor);
    if (offset < 0) return refusal(400, "bad_request");
    const slice = asked.get("category") === category ? items.slice(offset, offset + pageSize) : [];
    // Products that are not granted are filtered out, so a page may have fewer products than its size.
    const products = slice.filter(({ retailer }) => granted.includes(retailer)).map(({ shown }) => shown);
    const next = offset + pageSize < items.length && slice.length > 0 ? cursorTo(offset + pageSize) : "";
    return { status: 200, body: { products, meta: { next_cursor: next, count: products.length } } };
  }

  function batchResult(request: ReceivedByStub, visible: readonly StubItem[]): StubResponse {
    const { request: field, found: foundField, wrappedIn, extra, complaint } = options.batch ?? usualBatch;
    const body: unknown = JSON.parse(request.body);
    const sent = field === "" ? body : isObject(body) ? body[field] : undefined;
    if (!Array.isArray(sent)) return refusal(400, "bad_request", complaint);
    const wanted = sent.filter(isObject);
    const find = ({ retailer, product_id: id }: Record<string, unknown>) =>
      visible.find((item) => item.retailer === retailer && item.id === id);
    const hits = wanted.flatMap((item) => find(item)?.shown ?? []);
    const errors = wanted
      .filter((item) => find(item) === undefined)
      .map(({ retailer, product_id }) => ({ retailer, product_id, code: "not_found" }));
    return {
      status: 200,
      body: {
        ...extra?.(sent),
        [foundField]: hits.map((shown) => (wrappedIn === undefined ? shown : { [wrappedIn]: shown })),
        errors,
        meta: { total: sent.length, found: hits.length, not_found: errors.length, other_errors: 0 },
      },
    };
  }
}

const usualBatch: NonNullable<StubCatalogOptions["batch"]> = { request: "items", found: "products" };

function found(item: StubItem | undefined): StubResponse {
  return item === undefined ? refusal(404, "not_found") : { status: 200, body: item.shown };
}

function refusal(status: number, code: string, message = "No."): StubResponse {
  return { status, body: { error: { code, message } } };
}
