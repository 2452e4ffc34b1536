import { need } from "../fixtures.ts";
import { irrelevant, Unjudged } from "../outcome.ts";
import { byGtin } from "../requests.ts";
import { unknownSlug } from "../stand-ins.ts";
import { hasStatus } from "./expectations.ts";
import { section } from "./section.ts";

/** Spec, Errors. The table from status to code is held by the passive rules in rules/error-answers.ts. */
export default section("errors", [
  {
    id: "errors.unknown-retailer/by-gtin",
    requirement: "errors.unknown-retailer",
    title: "A known GTIN scoped to a slug that does not exist gives 400",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const [product] = need(fixtures.productsByGtin);
      if (product === undefined) return irrelevant("no product has a GTIN");
      const succeeds = await control(byGtin(product.gtin, product.retailer));
      const slug = unknownSlug(need(fixtures.retailers));
      return hasStatus(await ask(byGtin(product.gtin, slug)), 400, `there is no retailer ${slug}`, succeeds);
    },
  },
  {
    id: "errors.unentitled-retailer/by-gtin",
    requirement: "errors.unentitled-retailer",
    title: "A GTIN scoped to a retailer that the organization may not use gives 403",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const { retailer, gtin } = need(fixtures.unentitledProduct);
      if (gtin === undefined) {
        throw new Unjudged(
          `no product of ${retailer} with a GTIN is known`,
          "Give a category in which a retailer that is not granted has products with GTINs (--category).",
        );
      }
      const succeeds = await control({ ...byGtin(gtin, retailer), caller: "otherOrg" });
      const own = await ask(byGtin(gtin));
      const answer = await ask(byGtin(gtin, retailer));
      // Where the GTIN also leads to a product that is granted, "another retailer's product" (404) is as right.
      const allowed = own.response.status === 200 ? [403, 404] : [403];
      return hasStatus(answer, allowed, `${retailer} is granted to the other organization only`, succeeds);
    },
  },
]);
