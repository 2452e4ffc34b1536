import type { Exchange } from "../client/exchange.ts";
import { failed, type Outcome, passed, statusOf } from "../client/outcome.ts";
import { batch, byCategory, byGtin, byId, byUrl, type Request } from "../client/requests.ts";
import { need, needPart, type ProductFixture } from "../discovery/fixtures.ts";
import { type ProductInBody, productsIn } from "../response/products-in.ts";
import type { Check, CheckContext } from "./check/check.ts";
import {
  differsFrom,
  fieldDifference,
  lengthsAt,
  productOf,
  shapeDifference,
  valueDifference,
} from "./check/product-comparison.ts";
import { section } from "./check/rows.ts";
import { fieldsOfEntries } from "./statistics/lookup-pairs.ts";

/** A product, and a request that finds it other than by id. */
interface OtherLookup {
  readonly fixture: ProductFixture;
  readonly request: Request;
  /** The product in the response; undefined when it has none. */
  readonly pick: (exchange: Exchange) => ProductInBody | undefined;
}

/** The lookup paths besides the lookup by id. @throws NotJudged when a fixture is missing. */
const otherLookups: Readonly<
  Record<string, { readonly name: string; readonly find: (context: CheckContext) => OtherLookup }>
> = {
  url: {
    name: "found by URL",
    find({ fixtures }) {
      const fixture = need(fixtures.productByUrl);
      return { fixture, request: byUrl(fixture.url), pick: alone };
    },
  },
  gtin: {
    name: "found by GTIN",
    find({ fixtures }) {
      const [fixture] = need(fixtures.productsByGtin);
      return { fixture, request: byGtin(fixture.gtin, fixture.retailer), pick: alone };
    },
  },
  category: {
    name: "on a category page",
    find(context) {
      const { category, products } = need(context.fixtures.category);
      // Without any product, the product fixture says why.
      if (products[0] === undefined) need(context.fixtures.product);
      const fixture = needPart(products[0], {
        code: "no-product",
        details: { categories: [category] },
      });
      return { fixture, request: byCategory(category), pick: (page) => listed(page, fixture, context) };
    },
  },
  batch: {
    name: "in a batch",
    find({ fixtures, fieldNames }) {
      const fixture = need(fixtures.product);
      const items = [{ retailer: fixture.retailer, product_id: fixture.productId }];
      const pick = (exchange: Exchange) => productsIn(exchange, fieldNames)[0];
      return { fixture, request: batch(items, need(fixtures.batch)), pick };
    },
  },
};

/** Spec, Product. Passive rules judge types and values of the fields: rules/product-responses.ts. */
export default section(
  "product",
  Object.entries(otherLookups).flatMap(([ending, { name, find }]): Check[] => [
    {
      id: `product.same-shape/by-${ending}`,
      title: `A product ${name} has the same fields as by id`,
      requests: 2,
      run: (context) => sameFields(context, find(context)),
    },
    {
      id: `product.same-values/by-${ending}`,
      title: `A product ${name} has the same values as by id`,
      requests: 2,
      run: (context) => sameValues(context, find(context)),
    },
  ]),
);

async function sameFields(context: CheckContext, lookup: OtherLookup): Promise<Outcome> {
  const { ask, control } = context;
  const { request, pick } = lookup;
  const { retailer, productId } = lookup.fixture;
  const byItsId = await control(byId(retailer, productId));
  const exchange = await control(request);
  const found = pick(exchange);
  if (exchange.response.json === undefined || byItsId.response.json === undefined)
    return passed({ code: "judged-elsewhere", subject: "service.json" });
  const id = found?.product.product_id;
  if (found === undefined || (id !== undefined && id !== productId)) return otherProduct;
  const fields = shapeDifference(productOf(byItsId), found.product);
  if (fields.length === 0) return passed();
  // A product may gain or lose a field at any time. Repeated in reverse order, a field that depends on the lookup
  // path differs in the same way again.
  const secondExchange = await ask(request);
  const secondById = await ask(byId(retailer, productId));
  const second = pick(secondExchange);
  if (second === undefined) return passed({ code: "product-gone", product: { retailer, productId } });
  // Without the product by id, its status is the fact.
  const ofEntries = secondById.response.status === 200 ? fieldsOfEntries(context) : new Set<string>();
  const still = shapeDifference(productOf(secondById), second.product).filter(
    ({ path, by, type }) =>
      !ofEntries.has(path) &&
      fields.some((first) => first.path === path && first.by === by && first.type === type),
  );
  return differing(
    lookup,
    still.map(({ path }) => path),
    { found: second, exchange: secondExchange, byId: secondById },
  );
}

/** Times to look a product up again before a list of another length counts: short lists may agree by chance. */
const roundsForLists = 4;

/**
 * A value may change at any time, and a link may be generated for each response. Repeated in reverse order, a value
 * that depends on the lookup path is the same as before on both paths.
 */
async function sameValues({ ask, control, fieldNames }: CheckContext, lookup: OtherLookup): Promise<Outcome> {
  const { request, pick } = lookup;
  const { retailer, productId } = lookup.fixture;
  const first = await control(byId(retailer, productId));
  const found = pick(await control(request));
  if (found === undefined || differsFrom(lookup.fixture, found.product) !== undefined) return otherProduct;
  let before = { byId: productOf(first), found: found.product };
  // The GTIN is judged by query.gtin.
  let paths = valueDifference(before.byId, before.found).filter((path) => path !== fieldNames.gtin);
  for (let round = 1; paths.length > 0; round++) {
    const exchange = await ask(request);
    const secondById = await ask(byId(retailer, productId));
    const second = pick(exchange) ?? { path: "", product: {} };
    const now = { byId: productOf(secondById), found: second.product };
    const changed = new Set([
      ...valueDifference(before.byId, now.byId),
      ...valueDifference(before.found, now.found),
    ]);
    const earlier = paths;
    paths = valueDifference(now.byId, now.found).filter(
      (path) => earlier.includes(path) && !changed.has(path),
    );
    const hasList = paths.some((path) => lengthsAt(now.byId, path).length > 0);
    if (!hasList || round === roundsForLists)
      return differing(lookup, paths, { found: second, exchange, byId: secondById });
    before = now;
  }
  return passed();
}

// The requirements of each endpoint judge which product it returns.
const otherProduct = passed({ code: "judged-elsewhere", subject: "service.four-ways" });

interface TwoLookups {
  readonly found: ProductInBody;
  readonly exchange: Exchange;
  readonly byId: Exchange;
}

/** The failure for fields that differ between two responses; passed without any. */
function differing(
  { fixture: { retailer, productId } }: OtherLookup,
  paths: readonly string[],
  { found, exchange, byId: other }: TwoLookups,
): Outcome {
  // Without the product there is nothing to compare: its status is the fact.
  const [absent] = [other, exchange].filter(({ response }) => response.status !== 200);
  if (paths.length > 0 && absent !== undefined)
    return failed(
      {
        code: "wrong-status",
        endpoint: absent.endpoint,
        ...(absent === other ? { condition: "known-product" as const } : {}),
        product: { retailer, productId },
        expected: [200],
        ...statusOf(absent),
      },
      absent,
    );
  const findings = [...new Set(paths)].map((path) => ({
    ...fieldDifference(productOf(other), found.product, path, found.path),
    product: { retailer, productId },
    comparedWith: 1,
  }));
  return findings.length === 0 ? passed() : failed(findings, exchange, other);
}

function listed(page: Exchange, { retailer, productId }: ProductFixture, { fieldNames }: CheckContext) {
  return productsIn(page, fieldNames).find(
    ({ product }) => product.product_id === productId && product.retailer === retailer,
  );
}

function alone(exchange: Exchange): ProductInBody {
  return { path: "", product: productOf(exchange) };
}
