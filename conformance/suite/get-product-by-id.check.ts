import { need } from "../fixtures.ts";
import { Unjudged } from "../outcome.ts";
import { byId } from "../requests.ts";
import { unknownProductIds, unknownSlug } from "../stand-ins.ts";
import { hasStatus } from "./expectations.ts";
import { section } from "./section.ts";

/** Spec, GET /v1/products/{retailer}/{product_id}. */
export default section("by-id", [
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
    async run({ fixtures, ask, control }) {
      const { retailer, productId } = need(fixtures.product);
      const succeeds = await control(byId(retailer, productId));
      for (const id of unknownProductIds(productId)) {
        const answer = await ask(byId(retailer, id));
        const { status, json } = answer.response;
        // A made-up id may belong to something by chance: then the answer is that very product.
        const exists = status === 200 && (json as { product_id?: unknown } | undefined)?.product_id === id;
        if (!exists) return hasStatus(answer, 404, `${retailer} has no product ${id}`, succeeds);
      }
      throw new Unjudged("every made-up id belongs to a product", "Run again with another category.");
    },
  },
]);
