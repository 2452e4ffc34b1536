import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import type { Tenant } from "../../schemas/contracts/load-fixtures.ts";
import { identityOf, type TenantCall } from "./tenant-calls.ts";

// Whether a response fits the key that requested it. Two signs show that it is another organization's: a retailer that only
// that one may see, and a product that only that one requested at the same moment. Anything else is judged like any response.

/** A request of a volley with its response. */
export interface TenantExchange {
  readonly call: TenantCall;
  readonly status: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

export type Foreign = FindingOf<"foreign-response">;

/** A response that does not fit its key, and the place of the exchange that overlapped with it and that it fits. */
export interface Misfit {
  readonly finding: Foreign;
  readonly other: number;
}

/** The first sign that the exchange at `at` is another organization's; undefined if it fits. */
export type MisfitFinder = (exchanges: readonly TenantExchange[], at: number) => Misfit | undefined;

interface Shown {
  readonly slug?: unknown;
  readonly retailer?: unknown;
  readonly product_id?: unknown;
}

/** Finds the responses that do not fit the key that requested them. */
export function createFit(tenants: readonly Tenant[], fieldNames: FieldNames): MisfitFinder {
  const own = tenants.map(({ retailers }) => new Set(retailers));
  /** Slugs that an organization does not have, and another one has. */
  const isForeign = (tenant: number, slug: unknown): boolean =>
    typeof slug === "string" &&
    own[tenant]?.has(slug) === false &&
    own.some((slugs, place) => place !== tenant && slugs.has(slug));

  return (exchanges, at) => {
    const { call, status, body } = exchanges[at] as TenantExchange;
    if (status !== 200) return undefined;
    const otherThat = (fits: (one: TenantCall) => boolean) =>
      exchanges.findIndex((one) => one.call.tenant !== call.tenant && fits(one.call));
    for (const entry of shownIn(call, body, fieldNames)) {
      const { slug, retailer = slug } = entry ?? {};
      if (isForeign(call.tenant, retailer)) {
        return misfit(
          "retailer",
          retailer,
          otherThat(({ path }) => path === call.path),
        );
      }
      if (call.items.length === 0 || entry?.product_id === undefined) continue;
      const identity = identityOf(entry);
      const other = call.items.includes(identity) ? -1 : otherThat(({ items }) => items.includes(identity));
      if (other >= 0) return misfit("product", identity, other);
    }
    return undefined;

    function misfit(what: Foreign["details"]["what"], actual: unknown, other: number): Misfit {
      const finding: Foreign = { code: "foreign-response", subject: call.name, actual, details: { what } };
      return {
        finding,
        other: Math.max(
          other,
          otherThat(() => true),
          0,
        ),
      };
    }
  };
}

/** The retailers, products and error entries in the body of a 200. */
function shownIn(
  { name }: TenantCall,
  body: unknown,
  { batchFoundField, batchFoundProduct }: FieldNames,
): readonly (Shown | null | undefined)[] {
  const all = (body ?? {}) as Readonly<Record<string, unknown>>;
  const list = (field: string | undefined) => {
    const value = field === undefined ? undefined : all[field];
    return Array.isArray(value) ? (value as Readonly<Record<string, Shown | null>>[]) : [];
  };
  switch (name) {
    case "retailers":
      return list("retailers");
    case "category-page":
      return list("products");
    case "batch": {
      const found = list(batchFoundField);
      return [
        ...(batchFoundProduct ? found.map((one) => one?.[batchFoundProduct]) : found),
        ...list("errors"),
      ];
    }
    default:
      return [all];
  }
}
