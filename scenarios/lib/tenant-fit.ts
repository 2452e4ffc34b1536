import type { FindingOf } from "../../schemas/contracts/finding.ts";
import type { Tenant } from "../../schemas/contracts/load-fixtures.ts";
import type { FieldNames } from "../../schemas/contracts/product.ts";
import { pointer } from "../../schemas/json.ts";
import type { TextRedaction } from "../../schemas/redaction.ts";
import { evidenceLine, type LoggedExchange, log } from "./log.ts";
import type { LoadSettings } from "./settings.ts";
import { identityOf, type TenantCall } from "./tenant-calls.ts";

// Whether a response fits its key. Two signs show another organization's: a retailer that only that one may
// see, and a product that only that one requested at the same moment. All else is judged as ever.

/** A request of a volley with its response. */
export interface TenantExchange {
  readonly call: TenantCall;
  readonly status: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

/** The same with what is logged of it. */
export type SentExchange = TenantExchange & LoggedExchange;

/** A response that does not fit its key, and the place of the overlapping exchange that it fits. */
interface Misfit {
  readonly finding: FindingOf<"foreign-response">;
  readonly other: number;
}

interface Shown {
  readonly slug?: unknown;
  readonly retailer?: unknown;
  readonly product_id?: unknown;
}

/** Finds the first sign that the exchange at a place is another organization's; undefined if it fits. */
export function createFit(tenants: readonly Tenant[], fieldNames: FieldNames) {
  const slugs = tenants.map(({ retailers }) => new Set<unknown>(retailers));
  return (exchanges: readonly TenantExchange[], at: number): Misfit | undefined => {
    const { call, status, body } = exchanges[at] as TenantExchange;
    if (status !== 200) return undefined;
    const [own, others] = [slugs[call.tenant], slugs[1 - call.tenant]];
    const otherThat = (fits: (one: TenantCall) => boolean) =>
      exchanges.findIndex((one) => one.call.tenant !== call.tenant && fits(one.call));
    for (const [place, entry] of shownIn(call, body, fieldNames)) {
      const { slug, retailer = slug, product_id: id } = entry ?? {};
      const isForeign = own?.has(retailer) === false && others?.has(retailer) === true;
      const identity = identityOf({ retailer, product_id: id });
      const isAsked = call.items.length === 0 || id === undefined || call.items.includes(identity);
      const same = isForeign
        ? otherThat(({ path }) => path === call.path)
        : otherThat(({ items }) => !isAsked && items.includes(identity));
      if (!isForeign && same < 0) continue;
      const [what, actual, field] = isForeign
        ? (["retailer", retailer, slug === undefined ? "retailer" : "slug"] as const)
        : (["product", identity, "product_id"] as const);
      const seen = { subject: call.name, path: `${place}/${field}`, actual };
      const finding = { code: "foreign-response", ...seen, details: { what } } as const;
      return { finding, other: same < 0 ? otherThat(() => true) : same };
    }
    return undefined;
  };
}

/** The retailers, products and error entries in the body of a 200, each after its place. */
function shownIn(
  { name }: TenantCall,
  body: unknown,
  { batchFoundField = "", batchFoundProduct = "" }: FieldNames,
): readonly (readonly [place: string, entry: Shown | null | undefined])[] {
  const all = (body ?? {}) as Readonly<Record<string, unknown>>;
  const list = (field: string) => {
    const value = all[field];
    const entries = Array.isArray(value) ? (value as Readonly<Record<string, Shown | null>>[]) : [];
    return entries.map((one, at) => [pointer(field, at), one] as const);
  };
  if (name === "retailers") return list("retailers");
  if (name === "category-page") return list("products");
  if (name !== "batch") return [["", all]];
  const found = list(batchFoundField);
  const products =
    batchFoundProduct === ""
      ? found
      : found.map(([place, one]) => [place + pointer(batchFoundProduct), one?.[batchFoundProduct]] as const);
  return [...products, ...list("errors")];
}

/** Number of leaks that one virtual user keeps as evidence; the runner limits the total. */
const evidenceKept = 2;

/** Confirms such responses and logs some as evidence; false for one that is no leak under load. */
export function createMisfitReporter(
  {
    settings,
    redaction,
  }: { settings: Pick<LoadSettings, "requestIdHeader">; redaction: () => TextRedaction },
  misfitOf: ReturnType<typeof createFit>,
) {
  let kept = 0;
  /** @param send sends a call once more, alone */
  return (
    { finding, other }: Misfit,
    exchanges: readonly SentExchange[],
    at: number,
    send: (call: TenantCall) => SentExchange,
  ): boolean => {
    const [own, overlapping] = [exchanges[at], exchanges[other]];
    if (own === undefined) return false;
    const alone = exchanges.map((one, place) => (place === at ? send(own.call) : one));
    const comesAgain = misfitOf(alone, at)?.finding.actual === finding.actual;
    // A product that comes to the request alone: the service always responds so, which is for the conformance suite
    // to say. A retailer may come from a cache, unless the key's list has it since the start.
    if (comesAgain && (finding.details.what === "product" || mayBeListed(finding.actual, own.call)))
      return false;
    kept += 1;
    if (kept <= evidenceKept)
      log.warn(evidenceLine(finding, own, { redaction: redaction(), ...settings }, overlapping));
    return true;

    function mayBeListed(slug: unknown, { tenant }: TenantCall): boolean {
      const list = exchanges.find(({ call }) => call.name === "retailers" && call.tenant === tenant);
      const again = list && send(list.call);
      // A refusal now hides no leak: the list of the volley itself is as good.
      const now = again?.status === 200 ? again : list;
      return now?.status !== 200 || shownIn(now.call, now.body, {}).some(([, entry]) => entry?.slug === slug);
    }
  };
}
