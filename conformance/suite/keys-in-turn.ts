import { endpoints } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import { batch, byCategory, byGtin, byId, byUrl, type Request, retailers } from "../client/requests.ts";
import type { Caller } from "../client/target.ts";
import { slugsIn } from "../discovery/browsing.ts";
import { type CategoryFixture, need, type ProductFixture } from "../discovery/fixtures.ts";
import type { CheckContext } from "../engine/check.ts";
import { failed, type Outcome, passed } from "../engine/outcome.ts";
import { pointer } from "../response/body-path.ts";
import { identityOf, type ProductInBody, productsIn } from "../response/products-in.ts";
import { freshProducts } from "./check-inputs.ts";
import { hasStatus } from "./expectations.ts";

/** The same request with the keys of two organizations in turn: a cache that ignores the key mixes them up. */
export interface KeysInTurn {
  /** The end of the check's id. */
  readonly name: string;
  readonly label: string;
  readonly requests: number;
  readonly run: (context: CheckContext) => Promise<Outcome>;
}

interface Lookup {
  readonly name: string;
  readonly label: string;
  /** Undefined when the product lacks what the lookup needs. */
  readonly request: (product: ProductFixture, context: CheckContext) => Request | undefined;
}

const lookups: readonly Lookup[] = [
  {
    name: "by-id",
    label: endpoints["lookup-by-id"].label,
    request: ({ retailer, productId }) => byId(retailer, productId),
  },
  {
    name: "by-url",
    label: endpoints["lookup-by-url"].label,
    request: ({ url }) => (url === undefined ? undefined : byUrl(url)),
  },
  {
    name: "by-gtin",
    label: `${endpoints["lookup-by-gtin"].label} and retailer`,
    request: ({ gtin, retailer }) => (gtin === undefined ? undefined : byGtin(gtin, retailer)),
  },
  {
    name: "by-gtin-unscoped",
    label: endpoints["lookup-by-gtin"].label,
    request: ({ gtin }) => (gtin === undefined ? undefined : byGtin(gtin)),
  },
  {
    name: "batch",
    label: endpoints.batch.label,
    request: ({ retailer, productId }, { fixtures }) =>
      batch([{ retailer, product_id: productId }], need(fixtures.batch)),
  },
];

/** One entry for each lookup path, and for the lists. */
export const keysInTurn: readonly KeysInTurn[] = [
  ...lookups.map(({ name, label, request }) => ({
    name,
    label,
    requests: 6,
    run: async (context: CheckContext) => await lookupInTurn(context, (product) => request(product, context)),
  })),
  { name: "retailers", label: endpoints.retailers.label, requests: 4, run: retailersInTurn },
  { name: "by-category", label: endpoints["category-page"].label, requests: 5, run: pageInTurn },
];

/** Looks up a product of each organization with the key that may see it, with the other key, and with the first again. */
async function lookupInTurn(
  context: CheckContext,
  requestFor: (product: ProductFixture) => Request | undefined,
): Promise<Outcome> {
  const { unentitledProduct, ownProduct, otherOrgKey } = context.fixtures;
  need(otherOrgKey);
  const own = ownOnly(context);
  const foreign = unentitledProduct.present ? unentitledProduct.value : undefined;
  const turns: readonly Omit<Turn, "request">[] = [
    ...(own === undefined ? [] : [{ product: own, entitled: "primary", other: "otherOrg" } as const]),
    ...(foreign === undefined ? [] : [{ product: foreign, entitled: "otherOrg", other: "primary" } as const]),
  ];
  let count = 0;
  for (const turn of turns) {
    const request = requestFor(turn.product);
    if (request === undefined) continue;
    const outcome = await oneThenOther(context, { ...turn, request });
    if (outcome.kind !== "pass") return outcome;
    count += 3;
  }
  if (!ownProduct.present) need(unentitledProduct);
  return passed({ code: "checked", seen: { count, of: "requests" } });
}

interface Turn {
  readonly product: ProductFixture;
  readonly request: Request;
  readonly entitled: Caller;
  readonly other: Caller;
}

async function oneThenOther(
  { ask, dialect }: CheckContext,
  { product: { retailer, productId }, request, entitled, other }: Turn,
): Promise<Outcome> {
  const productIn = (exchange: Exchange) =>
    productsIn(exchange, dialect).find(
      ({ product }) => product.retailer === retailer && product.product_id === productId,
    );
  const first = await ask({ ...request, caller: entitled });
  if (productIn(first) === undefined)
    return passed({ code: "judged-elsewhere", subject: "service.four-ways" }, first);
  const second = await ask({ ...request, caller: other });
  const leaked = productIn(second);
  if (leaked !== undefined) return failed(notGranted(leaked, other), second, first);
  const third = await ask({ ...request, caller: entitled });
  if (productIn(third) !== undefined) return passed();
  const circumstances = {
    condition: "in-turn",
    product: { retailer, productId },
    details: { after: other },
  } as const;
  const otherProduct = { code: "other-product", path: pointer("product_id"), expected: productId } as const;
  return third.response.status === 200
    ? failed({ ...otherProduct, ...circumstances }, third, second)
    : hasStatus(third, 200, circumstances, second);
}

function notGranted({ path, product }: ProductInBody, subject: Caller): Finding {
  return {
    code: "not-granted",
    path: path + pointer("retailer"),
    actual: product.retailer,
    subject,
    ...identityOf(product),
  };
}

/** A product that only the first organization may see; preferably with a GTIN, otherwise one not looked up before. */
function ownOnly(context: CheckContext): ProductFixture | undefined {
  const { fixtures } = context;
  if (!fixtures.otherRetailers.present || !fixtures.ownProduct.present) return undefined;
  const granted = new Set(fixtures.otherRetailers.value);
  const gtins = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const shared = new Set(fixtures.sharedGtins.map(({ gtin }) => gtin));
  const isOwn = ({ retailer, url }: ProductFixture) => !granted.has(retailer) && url !== undefined;
  return (
    gtins.find((product) => isOwn(product) && !shared.has(product.gtin)) ??
    freshProducts(context).find(isOwn) ??
    fixtures.ownProduct.value
  );
}

async function retailersInTurn({ fixtures, ask }: CheckContext): Promise<Outcome> {
  const own = need(fixtures.retailers);
  const others = need(fixtures.otherRetailers);
  const onlyOwn = own.filter((slug) => !others.includes(slug));
  const onlyOthers = others.filter((slug) => !own.includes(slug));
  for (const caller of ["primary", "otherOrg", "primary", "otherOrg"] as const) {
    const [expected, foreign] = caller === "primary" ? [onlyOwn, onlyOthers] : [onlyOthers, onlyOwn];
    const exchange = await ask({ ...retailers(), caller });
    const slugs = slugsIn(exchange.response.json);
    const alien = slugs.find((slug) => foreign.includes(slug));
    // It may have been granted in the meantime. Then the caller's own retailers are listed, too.
    if (alien !== undefined && !expected.some((slug) => slugs.includes(slug)))
      return failed(
        {
          code: "retailer-of-other-organization",
          subject: alien,
          path: pointer("retailers", slugs.indexOf(alien)),
        },
        exchange,
      );
  }
  return passed({ code: "checked", seen: { count: 4, of: "requests" } });
}

/** Limits of the pages: the second one was not requested with the primary key before. */
const limits = { ordinary: "9", longer: "11" } as const;

async function pageInTurn(context: CheckContext): Promise<Outcome> {
  const { fixtures, ask, dialect } = context;
  const others = new Set(need(fixtures.otherRetailers));
  // A page whose products both organizations may see looks the same with either key.
  const isOwn = ({ products }: CategoryFixture) =>
    products.slice(0, Number(limits.ordinary)).some(({ retailer }) => !others.has(retailer));
  const { category } = fixtures.categories.find(isOwn) ?? need(fixtures.category);
  const own = new Set(need(fixtures.retailers));
  const page = async (limit: string, caller: Caller) =>
    await ask({ ...byCategory(category, { limit }), caller });
  const leak = (exchange: Exchange, before: Exchange) => {
    const { caller } = exchange;
    const [granted, foreign] = caller === "primary" ? [own, others] : [others, own];
    const alien = productsIn(exchange, dialect).find(
      ({ product: { retailer } }) =>
        typeof retailer === "string" && !granted.has(retailer) && foreign.has(retailer),
    );
    return alien && failed(notGranted(alien, caller), exchange, before);
  };
  const first = await page(limits.ordinary, "primary");
  const second = await page(limits.ordinary, "otherOrg");
  const third = await page(limits.ordinary, "primary");
  const longerOfOther = await page(limits.longer, "otherOrg");
  const longer = await page(limits.longer, "primary");
  const leaked = leak(second, first) ?? leak(third, second) ?? leak(longer, longerOfOther);
  if (leaked !== undefined) return leaked;
  // Products that only the first organization may see stay on its page after a request of the other one.
  const ownOnly = productsIn(first, dialect).filter(
    ({ product: { retailer } }) => typeof retailer === "string" && !others.has(retailer),
  );
  for (const [exchange, before, limit] of [
    [third, second, limits.ordinary],
    [longer, longerOfOther, limits.longer],
  ] as const) {
    const shown = new Set(productsIn(exchange, dialect).map(nameOf));
    const isHidden = ownOnly.length > 0 && ownOnly.every((one) => !shown.has(nameOf(one)));
    if (exchange.response.status === 200 && isHidden)
      return failed(
        {
          code: "item-missing",
          condition: "in-turn",
          subject: category,
          ...identityOf(ownOnly[0]?.product ?? {}),
          seen: { count: ownOnly.length, of: "products" },
          details: { after: "otherOrg", limit },
        },
        exchange,
        before,
      );
  }
  return passed({ code: "checked", seen: { count: 5, of: "requests" } });
}

function nameOf({ product: { retailer, product_id: id } }: ProductInBody): string {
  return JSON.stringify([retailer, id]);
}
