import { byId, inOtherCase } from "../client/requests.ts";
import { type Identity, need, type ProductFixture } from "../discovery/fixtures.ts";
import { sparsest } from "../discovery/identifiers.ts";
import { unknownProductIds, unknownSlug } from "../discovery/unknown-values.ts";
import type { CheckContext } from "./check/check.ts";
import {
  choosableProducts,
  forbiddenProduct,
  lookupOf,
  ofEveryKind,
  succeeding,
  unknownProduct,
} from "./check/inputs.ts";
import { otherThanKnown } from "./check/product-comparison.ts";
import { section } from "./check/rows.ts";
import { notGranted } from "./entitlement.ts";

/** Most products to look up, of each retailer and kind of id. */
const productsToFetch = 16;
/** Products among them that lack common fields: lookups of sparse products may fail. */
const sparseToFetch = 3;

/** Spec, GET /v1/products/{retailer}/{product_id}. */
export default section("by-id", [
  {
    id: "by-id.product/every-retailer",
    title: "Products from category pages, of different retailers and kinds of id, are found by id",
    requests: productsToFetch,
    bad: (context) =>
      everyKind(context).map((product) => ({
        request: lookupOf(product),
        condition: "known-product",
        product,
      })),
    expect: 200,
    unfit: otherThanKnown,
  },
  {
    id: "by-id.unknown-slug/known-product",
    title: "The id of a known product with an unknown retailer slug returns 400",
    good: succeeding["lookup-by-id"],
    bad({ fixtures }) {
      const subject = unknownSlug(need(fixtures.retailers));
      const request = byId(subject, need(fixtures.product).productId);
      return { request, condition: "unknown-retailer", subject };
    },
    expect: 400,
  },
  {
    id: "by-id.unentitled-slug/other-organization",
    title: "A product of a retailer granted only to the first organization returns 403 to the other one",
    good: ({ fixtures }) => lookupOf(need(fixtures.ownProduct)),
    bad: ({ fixtures }) => refused(need(fixtures.ownProduct), "otherOrg"),
    expect: 403,
  },
  {
    id: "by-id.unentitled-slug/existing-product",
    title:
      "A product of a retailer that is not granted returns 403, an unknown id there 403 or 404, and other forms of the slug no such product",
    requests: 5,
    good(context) {
      const { product, grantedTo } = forbiddenProduct(context);
      return lookupOf(product, grantedTo);
    },
    bad(context) {
      const { product, refusedTo } = forbiddenProduct(context);
      const { retailer, productId } = product;
      const [unknown = productId] = unknownProductIds(productId);
      return [
        refused(product, refusedTo),
        // Access may be checked before the id is looked up, or after.
        { ...refused({ retailer, productId: unknown }, refusedTo), expect: [403, 404] },
        // Access may be checked for the slug as sent, and the product looked up with a normalized one.
        ...[inOtherCase(retailer), `${retailer} `].map((slug) => ({
          ...refused({ retailer: slug, productId }, refusedTo),
          expect: "any" as const,
        })),
      ];
    },
    expect: 403,
    rules: ["authentication.entitlement/every-product"],
  },
  {
    id: "by-id.unknown-product/unknown-id",
    title: "An id that no product of the retailer has returns 404 when it is requested again",
    requests: 5,
    // What a cache keeps of a missing product shows at the second request.
    alone: true,
    good: succeeding["lookup-by-id"],
    async bad(context) {
      const product = await unknownProduct(context);
      return { request: lookupOf(product), condition: "unknown-product", product };
    },
    expect: 404,
  },
]);

/** A lookup by id at a retailer that its caller may not use. */
function refused(product: Identity, caller: "primary" | "otherOrg") {
  return notGranted(product, lookupOf(product, caller));
}

/** Products of each retailer and kind of id. Without a listed product the fixture says why. */
function everyKind(context: CheckContext): ProductFixture[] {
  if (context.fixtures.products.length === 0) need(context.fixtures.product);
  const seen = choosableProducts(context);
  const kinds = ofEveryKind(seen, productsToFetch);
  return [...new Set([...ordinary(seen), ...sparsest(seen, sparseToFetch), ...kinds])].slice(
    0,
    productsToFetch,
  );
}

/** For each retailer, the first product whose id has the most common form. */
function ordinary(products: readonly ProductFixture[]): ProductFixture[] {
  const formOf = ({ productId }: ProductFixture) =>
    productId.replace(/\p{L}+/gu, "a").replace(/\p{N}+/gu, "0");
  return [...Map.groupBy(products, ({ retailer }) => retailer).values()].flatMap((own) => {
    const forms = [...Map.groupBy(own, formOf).values()];
    return forms.toSorted((a, b) => b.length - a.length)[0]?.slice(0, 1) ?? [];
  });
}
