import type { CheckContext } from "../check.ts";
import type { Exchange } from "../exchange.ts";
import { need, needPart, type ProductFixture } from "../fixtures.ts";
import { broken, held, type Outcome } from "../outcome.ts";
import { productsIn } from "../products-in.ts";
import { batch, byCategory, byGtin, byId, byUrl, type Request } from "../requests.ts";
import { productOf, shapeDifference } from "./product-comparison.ts";
import { section } from "./section.ts";

/** Spec, Product. Types and values of the fields are held by the passive rules in rules/product-answers.ts. */
export default section("product", [
  {
    id: "product.same-shape/by-url",
    requirement: "product.same-shape",
    title: "A product found by URL has the fields that it has by id",
    requests: 2,
    async run(context) {
      const fixture = need(context.fixtures.productByUrl);
      return await sameFields(context, fixture, byUrl(fixture.url), productOf);
    },
  },
  {
    id: "product.same-shape/by-gtin",
    requirement: "product.same-shape",
    title: "A product found by GTIN has the fields that it has by id",
    requests: 2,
    async run(context) {
      const [fixture] = need(context.fixtures.productsByGtin);
      return await sameFields(context, fixture, byGtin(fixture.gtin, fixture.retailer), productOf);
    },
  },
  {
    id: "product.same-shape/by-category",
    requirement: "product.same-shape",
    title: "A product on a page of a category has the fields that it has by id",
    requests: 2,
    async run(context) {
      const { category, products } = need(context.fixtures.category);
      const mend = "Give a category whose first page has products (--category).";
      const fixture = needPart(products[0], `the first page of ${category} has no product`, mend);
      return await sameFields(context, fixture, byCategory(category), (page) =>
        listed(page, fixture, context),
      );
    },
  },
  {
    id: "product.same-shape/by-batch",
    requirement: "product.same-shape",
    title: "A product in a batch has the fields that it has by id",
    requests: 2,
    async run(context) {
      const fixture = need(context.fixtures.product);
      const items = [{ retailer: fixture.retailer, product_id: fixture.productId }];
      const request = batch(items, need(context.fixtures.batch));
      return await sameFields(
        context,
        fixture,
        request,
        (answer) => productsIn(answer, context.dialect)[0]?.product,
      );
    },
  },
]);

async function sameFields(
  { ask, control }: CheckContext,
  { retailer, productId }: ProductFixture,
  request: Request,
  pick: (answer: Exchange) => Record<string, unknown> | undefined,
): Promise<Outcome> {
  const byItsId = await control(byId(retailer, productId));
  const answer = await control(request);
  const product = pick(answer);
  if (answer.response.json === undefined || byItsId.response.json === undefined)
    return held("not JSON: see service.json");
  if (product === undefined || (product.product_id !== undefined && product.product_id !== productId)) {
    return held("that answer is about another product; see the requirements of its endpoint");
  }
  const fields = shapeDifference(productOf(byItsId), product);
  if (fields.length === 0) return held();
  // A product may gain or lose a field at any time. Asked again, in the other order, a field that depends on
  // the way differs on the same side; one that comes and goes does not.
  const secondAnswer = await ask(request);
  const secondById = await ask(byId(retailer, productId));
  const second = pick(secondAnswer);
  if (second === undefined) return held("the product is gone from that answer");
  const still = shapeDifference(productOf(secondById), second).filter(({ path, by }) =>
    fields.some((first) => first.path === path && first.by === by),
  );
  return still.length === 0
    ? held()
    : broken(
        `${retailer} / ${productId}: ${still.map(({ path, by }) => `${path} shows ${by === "one" ? "by id only" : "on the other way only"}`).join(", ")}`,
        secondAnswer,
        secondById,
      );
}

function listed(page: Exchange, { retailer, productId }: ProductFixture, { dialect }: CheckContext) {
  return productsIn(page, dialect).find(
    ({ product }) => product.product_id === productId && product.retailer === retailer,
  )?.product;
}
