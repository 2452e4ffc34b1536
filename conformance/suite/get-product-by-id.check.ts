import { need, type ProductFixture } from "../fixtures.ts";
import { broken, held } from "../outcome.ts";
import { wrappingsOf } from "../products-in.ts";
import { byId } from "../requests.ts";
import { unknownSlug } from "../stand-ins.ts";
import { hasStatus } from "./expectations.ts";
import { differsFrom, productOf } from "./product-comparison.ts";
import { section } from "./section.ts";
import { unknownProduct } from "./unknown-product.ts";

/** Products to fetch: of each retailer and of each form of identifier, up to this many. */
const productsToFetch = 8;

/** Spec, GET /v1/products/{retailer}/{product_id}. */
export default section("by-id", [
  {
    id: "by-id.product/every-retailer",
    requirement: "by-id.product",
    title: "Products that browsing shows, of every retailer and with odd identifiers, are found by id",
    requests: productsToFetch,
    async run({ fixtures, shared }) {
      need(fixtures.product);
      const chosen = chooseVaried(fixtures.products);
      for (const fixture of chosen) {
        const { retailer, productId } = fixture;
        const answer = await shared(byId(retailer, productId));
        const status = hasStatus(answer, 200, `browsing shows ${retailer} / ${productId}`);
        if (status.kind !== "held") return status;
        const around = wrappingsOf(answer.response.json);
        if (around.length > 0) return broken(`the answer is no product: ${around.join(", ")}`, answer);
        const difference = differsFrom(fixture, productOf(answer));
        if (difference !== undefined)
          return broken(`another product than the one asked for: ${difference}`, answer);
      }
      return held(`${chosen.length} products`);
    },
  },
  {
    id: "by-id.unknown-slug/known-product",
    requirement: "by-id.unknown-slug",
    title: "The id of a known product under a slug that does not exist gives 400",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const { retailer, productId } = need(fixtures.product);
      const succeeds = await control(byId(retailer, productId));
      const slug = unknownSlug(need(fixtures.retailers));
      return hasStatus(await ask(byId(slug, productId)), 400, `there is no retailer ${slug}`, succeeds);
    },
  },
  {
    id: "by-id.unentitled-slug/existing-product",
    requirement: "by-id.unentitled-slug",
    title: "A product of a retailer that the organization may not use gives 403",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const { retailer, productId } = need(fixtures.unentitledProduct);
      const succeeds = await control({ ...byId(retailer, productId), caller: "otherOrg" });
      const why = `${retailer} is granted to the other organization only`;
      return hasStatus(await ask(byId(retailer, productId)), 403, why, succeeds);
    },
  },
  {
    id: "by-id.unknown-product/unknown-id",
    requirement: "by-id.unknown-product",
    title: "An id that the retailer does not have gives 404",
    requests: 2,
    async run(context) {
      const known = need(context.fixtures.product);
      const succeeds = await context.control(byId(known.retailer, known.productId));
      const { retailer, productId } = await unknownProduct(context);
      return hasStatus(
        await context.ask(byId(retailer, productId)),
        404,
        `${retailer} has no product ${productId}`,
        succeeds,
      );
    },
  },
]);

// Identifiers with anything but letters and digits are where encoding goes wrong; one of each form is enough.
function chooseVaried(products: readonly ProductFixture[]): ProductFixture[] {
  const kinds = Map.groupBy(products, ({ retailer }) => retailer);
  const forms = Map.groupBy(products, ({ productId }) => productId.replace(/[\p{L}\p{N}]+/gu, "a"));
  const firsts = [...kinds.values(), ...forms.values()].flatMap(([first]) =>
    first === undefined ? [] : [first],
  );
  return [...new Set(firsts)]
    .filter(({ productId }) => !/^\.{1,2}$/.test(productId))
    .slice(0, productsToFetch);
}
