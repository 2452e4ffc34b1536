import { type BatchItem, batch, byGtin, query } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { unknownSlug } from "../discovery/stand-ins.ts";
import type { CheckContext } from "../engine/check.ts";
import { failed, NotJudged, type Outcome, passed } from "../engine/outcome.ts";
import { section } from "../engine/section.ts";
import { entriesUnderErrors, listsErrors } from "../response/batch-answer.ts";
import { productsIn } from "../response/products-in.ts";
import { knownItems } from "./batch-items.ts";
import { hasStatus } from "./expectations.ts";

/** Spec, Errors. The table from status to code is held by the passive rules in rules/error-answers.ts. */
export default section("errors", [
  {
    id: "errors.unknown-retailer/by-gtin",
    requirement: "errors.unknown-retailer",
    title: "A known GTIN scoped to a slug that does not exist gives 400",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const [product] = need(fixtures.productsByGtin);
      const succeeds = await control(byGtin(product.gtin, product.retailer));
      const slug = unknownSlug(need(fixtures.retailers));
      return hasStatus(await ask(byGtin(product.gtin, slug)), 400, `there is no retailer ${slug}`, succeeds);
    },
  },
  {
    id: "errors.unknown-retailer/in-batch",
    requirement: "errors.unknown-retailer",
    title: "A batch item with a slug that does not exist is reported, or the batch refused with 400",
    requests: 2,
    async run(context) {
      const [known] = knownItems(context, 1);
      const item = {
        retailer: unknownSlug(need(context.fixtures.retailers)),
        product_id: known?.product_id ?? "0",
      };
      return await reportedOrRefused(context, item, 400);
    },
  },
  {
    id: "errors.unentitled-retailer/by-gtin",
    requirement: "errors.unentitled-retailer",
    title: "A GTIN scoped to a retailer that the organization may not use gives 403",
    requests: 3,
    async run({ fixtures, ask, control }) {
      const { retailer, gtin } = need(fixtures.unentitledProduct);
      if (gtin === undefined) {
        throw new NotJudged(
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
  {
    id: "errors.unentitled-retailer/in-batch",
    requirement: "errors.unentitled-retailer",
    title: "A batch item of a retailer that is not granted is reported, or the batch refused with 403",
    requests: 2,
    async run(context) {
      const { retailer, productId } = need(context.fixtures.unentitledProduct);
      return await reportedOrRefused(context, { retailer, product_id: productId }, 403);
    },
  },
  {
    id: "errors.shape/unknown-route",
    requirement: "errors.shape",
    title: "A path that is no endpoint is answered with an error in the error shape",
    requests: 1,
    async run({ ask }) {
      const answer = await ask({ ...query("other", {}), path: "/shelfcheck-no-such-endpoint" });
      const { status } = answer.response;
      // Its shape is the passive rule's business; that it is an error at all is this check's.
      return status >= 400
        ? passed(`answered ${status}`)
        : failed(`an unknown path was answered with ${status}`, answer);
    },
  },
]);

// A batch may refuse one bad item whole or report it; what it must not do is to find it or to swallow it.
async function reportedOrRefused(context: CheckContext, item: BatchItem, refusal: number): Promise<Outcome> {
  const dialect = need(context.fixtures.batch);
  const [known] = knownItems(context, 1);
  const succeeds = await context.control(batch([known], dialect));
  const answer = await context.ask(batch([known, item], dialect));
  const status = hasStatus(answer, [200, refusal], `the retailer of one item is ${item.retailer}`, succeeds);
  if (status.kind !== "pass" || answer.response.status === refusal) return status;
  const found = productsIn(answer, context.dialect).some(
    ({ product }) => product.product_id === item.product_id && product.retailer === item.retailer,
  );
  if (found) return failed(`the item of ${item.retailer} was found`, answer, succeeds);
  // That an entry echoes its item is another requirement's (batch-result.echo), and so is a missing list.
  return !listsErrors(answer) || entriesUnderErrors(answer).length > 0
    ? passed("reported under errors")
    : failed(`the item of ${item.retailer} is neither found nor listed under errors`, answer, succeeds);
}
