import type { Exchange } from "../client/exchange.ts";
import { batch, byCategory, byGtin, byId, byUrl, type Request } from "../client/requests.ts";
import { need, needPart, type ProductFixture } from "../discovery/fixtures.ts";
import type { Check, CheckContext } from "../engine/check.ts";
import { failed, type Outcome, passed } from "../engine/outcome.ts";
import { section } from "../engine/section.ts";
import { productsIn } from "../response/products-in.ts";
import { differsFrom, productOf, shapeDifference, valueDifference } from "./product-comparison.ts";

/** One product, and a request that finds it in another way than by id. */
interface OtherWay {
  readonly fixture: ProductFixture;
  readonly request: Request;
  /** The product in the answer, if it is in there. */
  readonly pick: (answer: Exchange) => Record<string, unknown> | undefined;
}

/** The ways to find a product besides its id. @throws NotJudged when nothing is known that is found so. */
const otherWays: Readonly<
  Record<string, { readonly name: string; readonly find: (context: CheckContext) => OtherWay }>
> = {
  url: {
    name: "found by URL",
    find({ fixtures }) {
      const fixture = need(fixtures.productByUrl);
      return { fixture, request: byUrl(fixture.url), pick: productOf };
    },
  },
  gtin: {
    name: "found by GTIN",
    find({ fixtures }) {
      const [fixture] = need(fixtures.productsByGtin);
      return { fixture, request: byGtin(fixture.gtin, fixture.retailer), pick: productOf };
    },
  },
  category: {
    name: "on a page of a category",
    find(context) {
      const { category, products } = need(context.fixtures.category);
      const fix = "Give a category whose first page has products (--category).";
      const fixture = needPart(products[0], `the first page of ${category} has no product`, fix);
      return { fixture, request: byCategory(category), pick: (page) => listed(page, fixture, context) };
    },
  },
  batch: {
    name: "in a batch",
    find({ fixtures, dialect }) {
      const fixture = need(fixtures.product);
      const items = [{ retailer: fixture.retailer, product_id: fixture.productId }];
      const pick = (answer: Exchange) => productsIn(answer, dialect)[0]?.product;
      return { fixture, request: batch(items, need(fixtures.batch)), pick };
    },
  },
};

/** Spec, Product. Types and values of the fields are held by the passive rules in rules/product-answers.ts. */
export default section(
  "product",
  Object.entries(otherWays).flatMap(([way, { name, find }]): Check[] => [
    {
      id: `product.same-shape/by-${way}`,
      requirement: "product.same-shape",
      title: `A product ${name} has the fields that it has by id`,
      requests: 2,
      run: (context) => sameFields(context, find(context)),
    },
    {
      id: `product.same-values/by-${way}`,
      requirement: "product.same-values",
      title: `A product ${name} says what it says by id`,
      requests: 2,
      run: (context) => sameValues(context, find(context)),
    },
  ]),
);

async function sameFields({ ask, control }: CheckContext, way: OtherWay): Promise<Outcome> {
  const { request, pick } = way;
  const { retailer, productId } = way.fixture;
  const byItsId = await control(byId(retailer, productId));
  const answer = await control(request);
  const product = pick(answer);
  if (answer.response.json === undefined || byItsId.response.json === undefined)
    return passed("not JSON: see service.json");
  if (product === undefined || (product.product_id !== undefined && product.product_id !== productId)) {
    return passed("that answer is about another product; see the requirements of its endpoint");
  }
  const fields = shapeDifference(productOf(byItsId), product);
  if (fields.length === 0) return passed();
  // A product may gain or lose a field at any time. Asked again, in the other order, a field that depends on
  // the way differs on the same side; one that comes and goes does not.
  const secondAnswer = await ask(request);
  const secondById = await ask(byId(retailer, productId));
  const second = pick(secondAnswer);
  if (second === undefined) return passed("the product is gone from that answer");
  const still = shapeDifference(productOf(secondById), second).filter(({ path, by }) =>
    fields.some((first) => first.path === path && first.by === by),
  );
  return still.length === 0
    ? passed()
    : failed(
        `${retailer} / ${productId}: ${still.map(({ path, by }) => `${path} shows ${by === "one" ? "by id only" : "on the other way only"}`).join(", ")}`,
        secondAnswer,
        secondById,
      );
}

/**
 * A value may change at any time, and so may a link that is made for each answer. Asked again, in the other
 * order, one that depends on the way is what it was on both sides.
 */
async function sameValues({ ask, control, dialect }: CheckContext, way: OtherWay): Promise<Outcome> {
  const { request, pick } = way;
  const { retailer, productId } = way.fixture;
  const byItsId = await control(byId(retailer, productId));
  const product = pick(await control(request));
  if (product === undefined || differsFrom(way.fixture, product) !== undefined)
    return passed("that answer is about another product; see the requirements of its endpoint");
  // Another GTIN is query.gtin's business.
  const differing = valueDifference(productOf(byItsId), product).filter((path) => path !== dialect.gtin);
  if (differing.length === 0) return passed();
  const secondAnswer = await ask(request);
  const secondById = await ask(byId(retailer, productId));
  const changed = new Set([
    ...valueDifference(productOf(byItsId), productOf(secondById)),
    ...valueDifference(product, pick(secondAnswer) ?? {}),
  ]);
  const still = valueDifference(productOf(secondById), pick(secondAnswer) ?? {}).filter(
    (path) => differing.includes(path) && !changed.has(path),
  );
  return still.length === 0
    ? passed()
    : failed(
        `${retailer} / ${productId} says something else by id: ${still.join(", ")}`,
        secondAnswer,
        secondById,
      );
}

function listed(page: Exchange, { retailer, productId }: ProductFixture, { dialect }: CheckContext) {
  return productsIn(page, dialect).find(
    ({ product }) => product.product_id === productId && product.retailer === retailer,
  )?.product;
}
