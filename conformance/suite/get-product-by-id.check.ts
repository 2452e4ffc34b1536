import { wrappingsOf } from "../../schemas/product-values.ts";
import { failed, passed } from "../client/outcome.ts";
import { byId } from "../client/requests.ts";
import { need, type ProductFixture } from "../discovery/fixtures.ts";
import { sparsest } from "../discovery/identifiers.ts";
import { unknownProductIds, unknownSlug } from "../discovery/unknown-values.ts";
import { hasStatus } from "./check/expectations.ts";
import {
  browsedProducts,
  forbiddenProduct,
  inOtherCase,
  ofEveryKind,
  unknownProduct,
} from "./check/inputs.ts";
import { differsFrom, productOf } from "./check/product-comparison.ts";
import { section } from "./check/rows.ts";

/** Most products to look up, of each retailer and kind of id. */
const productsToFetch = 16;
/** Products among them that lack common fields: lookups of sparse products may fail. */
const sparseToFetch = 3;

/** Spec, GET /v1/products/{retailer}/{product_id}. */
export default section("by-id", [
  {
    id: "by-id.product/every-retailer",
    title: "Products from category pages are found by id, for every retailer and every kind of id",
    requests: productsToFetch,
    async run(context) {
      const { fixtures, shared, effort } = context;
      const most = productsToFetch * effort;
      // Without a listed product the fixture says why. Otherwise, that no product is found is a failure.
      if (fixtures.products.length === 0) need(fixtures.product);
      const seen = browsedProducts(context);
      const chosen = [
        ...new Set([...ordinary(seen), ...sparsest(seen, sparseToFetch), ...ofEveryKind(seen, most)]),
      ].slice(0, most);
      for (const fixture of chosen) {
        const { retailer, productId } = fixture;
        const exchange = await shared(byId(retailer, productId));
        const product = { retailer, productId };
        const status = hasStatus(exchange, 200, { condition: "known-product", product });
        if (status.kind !== "pass") return status;
        const around = wrappingsOf(exchange.response.json);
        if (around.length > 0) return failed(around, exchange);
        const difference = differsFrom(fixture, productOf(exchange));
        if (difference !== undefined) return failed(difference, exchange);
      }
      return passed({ code: "checked", seen: { count: chosen.length, of: "products" } });
    },
  },
  {
    id: "by-id.unknown-slug/known-product",
    title: "The id of a known product with an unknown retailer slug returns 400",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const { retailer, productId } = need(fixtures.product);
      const succeeds = await control(byId(retailer, productId));
      const slug = unknownSlug(need(fixtures.retailers));
      const exchange = await ask(byId(slug, productId));
      return hasStatus(exchange, 400, { condition: "unknown-retailer", subject: slug }, succeeds);
    },
  },
  {
    id: "by-id.unentitled-slug/other-organization",
    title: "A product of a retailer granted only to the first organization returns 403 to the other one",
    requests: 2,
    async run({ fixtures, shared, control }) {
      const { retailer, productId } = need(fixtures.ownProduct);
      const request = byId(retailer, productId);
      const succeeds = await control(request);
      const exchange = await shared({ ...request, caller: "otherOrg" });
      const product = { retailer, productId };
      const circumstances = { condition: "retailer-not-granted", subject: retailer, product } as const;
      return hasStatus(exchange, 403, circumstances, succeeds);
    },
  },
  {
    id: "by-id.unentitled-slug/existing-product",
    title: "A product of a retailer that the organization may not use returns 403",
    requests: 5,
    async run(context) {
      const { fixtures, ask, shared, control } = context;
      const { product: known, grantedTo, refusedTo: caller } = forbiddenProduct(context);
      const { retailer, productId } = known;
      const own = caller === "primary" ? fixtures.retailers : fixtures.otherRetailers;
      // Without a list of retailers, any other slug may be that of a granted one.
      const mayBeGranted = (slug: unknown) =>
        own.present ? typeof slug === "string" && own.value.includes(slug) : slug !== retailer;
      const succeeds = await control({ ...byId(retailer, productId), caller: grantedTo });
      const product = { retailer, productId };
      const circumstances = { condition: "retailer-not-granted", subject: retailer, product } as const;
      const refused = await shared({ ...byId(retailer, productId), caller });
      const status = hasStatus(refused, 403, circumstances, succeeds);
      if (status.kind !== "pass") return status;
      // Access may be checked before the id is looked up, or after.
      const [unknown = productId] = unknownProductIds(productId);
      const ofUnknown = await ask({ ...byId(retailer, unknown), caller });
      const nothing = { ...circumstances, product: { retailer, productId: unknown } };
      const statusOfUnknown = hasStatus(ofUnknown, [403, 404], nothing, succeeds);
      if (statusOfUnknown.kind !== "pass") return statusOfUnknown;
      // Access may be checked for the slug as sent, and the product looked up with a normalized one.
      const slugs = [inOtherCase(retailer), `${retailer} `].filter(
        (slug) => !own.present || !own.value.includes(slug),
      );
      const exchanges = await Promise.all(slugs.map((slug) => ask({ ...byId(slug, productId), caller })));
      for (const [index, exchange] of exchanges.entries()) {
        const found = productOf(exchange);
        if (exchange.response.status !== 200 || found.product_id !== productId) continue;
        if (mayBeGranted(found.retailer)) continue;
        return failed(
          {
            code: "wrong-status",
            ...circumstances,
            subject: slugs[index] ?? retailer,
            expected: [400, 403],
            actual: 200,
          },
          exchange,
          succeeds,
        );
      }
      return status;
    },
  },
  {
    id: "by-id.unknown-product/unknown-id",
    title: "An id that no product of the retailer has returns 404",
    requests: 5,
    async run(context) {
      const known = need(context.fixtures.product);
      const succeeds = await context.control(byId(known.retailer, known.productId));
      const { retailer, productId } = await unknownProduct(context);
      const exchange = await context.shared(byId(retailer, productId));
      const product = { retailer, productId };
      return hasStatus(exchange, 404, { condition: "unknown-product", product }, succeeds);
    },
  },
]);

/** For each retailer, the first product whose id has the most common form. */
function ordinary(products: readonly ProductFixture[]): ProductFixture[] {
  const formOf = ({ productId }: ProductFixture) =>
    productId.replace(/\p{L}+/gu, "a").replace(/\p{N}+/gu, "0");
  return [...Map.groupBy(products, ({ retailer }) => retailer).values()].flatMap((own) => {
    const forms = [...Map.groupBy(own, formOf).values()];
    return forms.toSorted((a, b) => b.length - a.length)[0]?.slice(0, 1) ?? [];
  });
}
