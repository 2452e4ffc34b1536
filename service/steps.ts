import { type AuthenticatedCaller, authenticate, organizations, type Permissions } from "./access.ts";
import { lookUpBatch } from "./batch.ts";
import type { ServiceRequest, ServiceResponse } from "./call.ts";
import type { Catalog, Eventually } from "./catalog/catalog.ts";
import type { Cursors } from "./cursor.ts";
import { notFound, rateLimited, unauthorized } from "./errors.ts";
import { findProduct, queryProducts } from "./products.ts";
import { parseProductQuery } from "./query.ts";

/** What the steps work with. */
export interface Sources {
  readonly permissions: Permissions;
  readonly catalog: Catalog;
  readonly limiter: Limiter;
  readonly cursors: Cursors;
}

/** The steps of a request, in this order. */
export interface Steps {
  /** @throws HttpError 401 */
  identify(call: ServiceRequest): AuthenticatedCaller;
  /** @throws HttpError 429 */
  admit(call: ServiceRequest, caller: AuthenticatedCaller): Promise<void>;
  /** @throws HttpError for anything else than 200 */
  respond(call: ServiceRequest): Eventually<ServiceResponse>;
}

/** The steps of a request, on the given catalog, keys and limiter. */
export function createSteps({ permissions, catalog, limiter, cursors }: Sources): Steps {
  return {
    identify: (call) => authenticate(call.headers, permissions),
    async admit(_call, { organization }) {
      const seconds = organization === organizations.everyRetailer ? undefined : limiter.take(organization);
      if (seconds !== undefined) throw rateLimited(seconds);
    },
    respond(call) {
      const { caller, route, parameters } = call;
      if (caller === undefined) throw unauthorized();
      const surroundings = { caller, catalog, cursors };
      switch (route) {
        case "retailers":
          return listRetailers(caller);
        case "lookup-by-id": {
          const { retailer: slug = "", product_id: productId = "" } = parameters;
          return findProduct({ slug, productId }, surroundings);
        }
        case "products":
          return queryProducts(parseProductQuery(call.query), surroundings);
        case "batch":
          return lookUpBatch(call.body, surroundings);
        case "none":
          throw notFound("There is no such endpoint.");
        default:
          return route satisfies never;
      }
    },
  };
}

/** GET /v1/retailers: what the organization may use. */
function listRetailers({ entitled, permissions }: AuthenticatedCaller): ServiceResponse {
  const retailers = [...entitled]
    .flatMap((id) => permissions.retailersById.get(id) ?? [])
    .sort((a, b) => (a.slug < b.slug ? -1 : 1))
    .map(({ slug, name, domains }) => ({ slug, name, domains }));
  return { status: 200, headers: {}, body: { retailers } };
}

/** The rate limit of each organization. */
export interface Limiter {
  /** Undefined when the request is accepted, otherwise the whole seconds (1 or more) to wait. */
  take(organization: number): number | undefined;
}

/** Tokens for each organization: `rate` a second (above 0), up to `burst` at once. A batch is one request. */
export function createLimiter(rate: number, burst: number): Limiter {
  const buckets = new Map<number, { tokens: number; at: number }>();
  const size = Math.max(1, Math.floor(burst));
  return {
    take(organization) {
      const now = Date.now();
      const { tokens, at } = buckets.get(organization) ?? { tokens: size, at: now };
      const left = Math.min(size, tokens + (Math.max(0, now - at) / 1000) * rate);
      const isAccepted = left >= 1;
      buckets.set(organization, { tokens: isAccepted ? left - 1 : left, at: now });
      return isAccepted ? undefined : Math.max(1, Math.ceil((1 - left) / rate));
    },
  };
}
