import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import type { Tenant } from "../../schemas/contracts/load-fixtures.ts";
import { identityOf, type TenantCall } from "./tenant-calls.ts";

// Whether a response fits the key that requested it, told from what was requested at the same time. Only what shows that a
// response is another organization's counts: anything else that is wrong with it is judged like any response.

/** A request of a volley with its response. */
export interface TenantExchange {
  readonly call: TenantCall;
  readonly status: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
  /** A response header, by its canonical name. */
  header(name: string): string | undefined;
  /** The id that was sent with the request; empty for none. */
  readonly requestId: string;
}

export type Foreign = FindingOf<"foreign-response">;
type What = Foreign["details"]["what"];

/** A response that does not fit its key, and the place of the exchange that overlapped with it and that it fits. */
export interface Misfit {
  readonly finding: Foreign;
  readonly other: number;
}

interface JsonObject {
  readonly [name: string]: unknown;
}

/** Finds the responses that do not fit the key that requested them. */
export function createFit(tenants: readonly Tenant[], fieldNames: FieldNames) {
  const own = tenants.map(({ retailers }) => new Set(retailers));
  /** Slugs that an organization does not have, and another one has. */
  const isForeign = (tenant: number, slug: unknown): boolean =>
    typeof slug === "string" &&
    own[tenant]?.has(slug) === false &&
    own.some((slugs, place) => place !== tenant && slugs.has(slug));
  const lists = tenants.map(({ retailers }) => signatureOf(retailers));

  /** The first sign that the exchange at `at` is another organization's; undefined if it fits. */
  return function misfit(exchanges: readonly TenantExchange[], at: number): Misfit | undefined {
    const exchange = exchanges[at] as TenantExchange;
    const { call, status, body } = exchange;
    const { rules } = tenants[call.tenant] as Tenant;
    const found = (what: What, fields: Partial<Foreign>, fits: (other: TenantExchange) => boolean) => ({
      finding: { code: "foreign-response", subject: call.name, ...fields, details: { what } } as Foreign,
      other: otherOf(exchanges, at, fits),
    });
    return inHeaders() ?? (status === 200 ? inBody() : refused());

    function inHeaders(): Misfit | undefined {
      const { echo } = rules;
      const echoed = echo === undefined ? undefined : exchange.header(echo);
      if (echo !== undefined && echoed !== undefined && echoed !== exchange.requestId) {
        return found(
          "request-id",
          { expected: exchange.requestId, actual: echoed },
          (one) => one.requestId === echoed,
        );
      }
      for (const [name, expected] of Object.entries(rules.limits)) {
        const actual = exchange.header(name);
        if (actual === undefined || actual === expected) continue;
        const owner = tenants.findIndex(({ rules: { limits } }) => limits[name] === actual);
        if (owner >= 0) return found("limit", { expected, actual }, (one) => one.call.tenant === owner);
      }
      return undefined;
    }

    function refused(): Misfit | undefined {
      if (status !== 403 || call.isOutsider === true || call.items.length === 0) return undefined;
      return found("refusal", { actual: status }, (one) => one.status === 403);
    }

    function inBody(): Misfit | undefined {
      switch (call.name) {
        case "retailers":
          return inList();
        case "category-page":
          return inPage((body as { products?: unknown } | null)?.products);
        case "batch":
          return inBatch(body as JsonObject | null);
        default:
          return inProduct(body as JsonObject | null);
      }
    }

    function inList(): Misfit | undefined {
      const list = (body as { retailers?: unknown } | null)?.retailers;
      if (!Array.isArray(list)) return undefined;
      const slugs = list.map((one) => (one as JsonObject | null)?.slug);
      const foreign = slugs.find((slug) => isForeign(call.tenant, slug));
      const ofOther = (one: TenantExchange) => one.call.name === "retailers";
      if (foreign !== undefined) return found("retailer", { actual: foreign }, ofOther);
      const signature = signatureOf(slugs);
      const isOthers = signature !== lists[call.tenant] && lists.includes(signature);
      return isOthers ? found("list", { actual: slugs.length }, ofOther) : undefined;
    }

    function inProduct(product: JsonObject | null): Misfit | undefined {
      if (typeof product?.product_id !== "string" || typeof product.retailer !== "string") return undefined;
      const identity = identityOf(product);
      const named = (one: TenantExchange) => one.call.items.includes(identity);
      if (isForeign(call.tenant, product.retailer)) {
        return found("retailer", { actual: product.retailer }, named);
      }
      const isOthers =
        !call.items.includes(identity) && exchanges.some((one) => isOfOther(one) && named(one));
      return isOthers ? found("product", { expected: call.items[0], actual: identity }, named) : undefined;
    }

    function inPage(products: unknown): Misfit | undefined {
      if (!Array.isArray(products)) return undefined;
      const category = categoryOf(call);
      const samePath = (one: TenantExchange) => categoryOf(one.call) === category;
      for (let place = 0; place < products.length; place += 1) {
        const retailer = (products[place] as JsonObject | null)?.retailer;
        if (isForeign(call.tenant, retailer)) return found("retailer", { actual: retailer }, samePath);
      }
      const { limit } = call;
      if (!rules.pageLimit || limit === undefined || products.length <= limit) return undefined;
      return found(
        "limit",
        { expected: limit, actual: products.length },
        (one) => samePath(one) && (one.call.limit ?? 0) >= products.length,
      );
    }

    function inBatch(result: JsonObject | null): Misfit | undefined {
      const { batchFoundField, batchFoundProduct } = fieldNames;
      const list = batchFoundField === undefined ? undefined : result?.[batchFoundField];
      const products = Array.isArray(list)
        ? list.map((one) => (batchFoundProduct ? (one as JsonObject | null)?.[batchFoundProduct] : one))
        : [];
      const errors = Array.isArray(result?.errors) ? result.errors : [];
      for (const entry of [...products, ...errors] as (JsonObject | null)[]) {
        const identity = identityOf(entry ?? {});
        if (call.items.includes(identity)) continue;
        const named = (one: TenantExchange) => one.call.items.includes(identity);
        if (isForeign(call.tenant, entry?.retailer))
          return found("retailer", { actual: entry?.retailer }, named);
        if (exchanges.some((one) => isOfOther(one) && named(one)))
          return found("item", { actual: identity }, named);
      }
      const meta = (result?.meta ?? {}) as JsonObject;
      const isBatch = (one: TenantExchange) => one.call.name === "batch";
      const wrong = (expected: number, actual: unknown) =>
        found("counter", { expected, actual }, (one) => isBatch(one) && one.call.items.length === actual);
      if (rules.total && meta.total !== call.items.length) return wrong(call.items.length, meta.total);
      return rules.found && meta.found !== products.length ? wrong(products.length, meta.found) : undefined;
    }

    function isOfOther(one: TenantExchange): boolean {
      return one.call.tenant !== call.tenant;
    }
  };
}

/** The path of a category page without its size. */
function categoryOf({ path }: TenantCall): string {
  return path.split("&limit=", 1)[0] ?? path;
}

/** The exchange of another organization that a response fits, or any that overlapped. */
function otherOf(
  exchanges: readonly TenantExchange[],
  at: number,
  fits: (other: TenantExchange) => boolean,
): number {
  const { tenant } = (exchanges[at] as TenantExchange).call;
  const others = [...exchanges.keys()].filter((place) => exchanges[place]?.call.tenant !== tenant);
  return others.find((place) => fits(exchanges[place] as TenantExchange)) ?? others[0] ?? at;
}

function signatureOf(slugs: readonly unknown[]): string {
  return JSON.stringify([...slugs].map(String).sort());
}

/** Whether no change of the service explains it: what the response shows was sent by another request of the same moment. */
export function isCertain({ finding: { details } }: Misfit): boolean {
  return details.what === "request-id" || details.what === "item" || details.what === "counter";
}
