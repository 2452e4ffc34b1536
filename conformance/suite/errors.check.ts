import { mostBatchItems } from "../../schemas/api.ts";
import type { Exchange } from "../client/exchange.ts";
import { failed, NotJudged, type Outcome, passed } from "../client/outcome.ts";
import { type BatchItem, batch, byGtin, query } from "../client/requests.ts";
import { needGtin } from "../discovery/entitlement.ts";
import { need } from "../discovery/fixtures.ts";
import { unknownSlug } from "../discovery/unknown-values.ts";
import { entriesUnderErrors, listsErrors } from "../response/batch-result.ts";
import { productsIn } from "../response/products-in.ts";
import { type CheckContext, section } from "./check/check.ts";
import { hasStatus } from "./check/expectations.ts";
import { forbiddenProduct, knownItems, variedItems } from "./check/inputs.ts";

/** Spec, Errors. Passive rules judge the table from status to code: rules/error-responses.ts. */
export default section("errors", [
  {
    id: "errors.unknown-retailer/by-gtin",
    title: "A known GTIN scoped to an unknown retailer slug returns 400",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const [product] = need(fixtures.productsByGtin);
      const succeeds = await control(byGtin(product.gtin, product.retailer));
      const slug = unknownSlug(need(fixtures.retailers));
      const exchange = await ask(byGtin(product.gtin, slug));
      return hasStatus(exchange, 400, { condition: "unknown-retailer", subject: slug }, succeeds);
    },
  },
  {
    id: "errors.unknown-retailer/in-batch",
    title: "A batch item with an unknown retailer slug is listed under errors, or the batch returns 400",
    requests: 2,
    async run(context) {
      const [known] = knownItems(context, 1);
      const item = {
        retailer: unknownSlug(need(context.fixtures.retailers)),
        product_id: known?.product_id ?? "0",
      };
      return await reportedOrRefused(context, item, "unknown-retailer", 400);
    },
  },
  {
    id: "errors.unentitled-retailer/by-gtin",
    title: "A GTIN scoped to a retailer that the organization may not use returns 403",
    requests: 3,
    async run(context) {
      const { ask, control, shared } = context;
      const { product, grantedTo, refusedTo: caller } = forbiddenProduct(context);
      const { retailer, productId } = product;
      const gtin = needGtin(product);
      const succeeds = await control({ ...byGtin(gtin, retailer), caller: grantedTo });
      const own = await shared({ ...byGtin(gtin), caller });
      const exchange = await ask({ ...byGtin(gtin, retailer), caller });
      // If the GTIN also leads to a granted product, 404 is correct as well: it resolves to another retailer.
      const allowed = own.response.status === 200 ? [403, 404] : [403];
      const circumstances = {
        condition: "retailer-not-granted",
        subject: retailer,
        product: { retailer, productId },
      } as const;
      return hasStatus(exchange, allowed, circumstances, succeeds);
    },
  },
  {
    id: "errors.unentitled-retailer/in-batch",
    title: "A batch item of a retailer that is not granted is listed under errors, or the batch returns 403",
    requests: 2,
    async run(context) {
      const { product, refusedTo } = forbiddenProduct(context);
      const item = { retailer: product.retailer, product_id: product.productId };
      return await reportedOrRefused(context, item, "retailer-not-granted", 403, refusedTo);
    },
  },
  {
    id: "errors.shape/unknown-route",
    title: "A path that is not an endpoint returns an error",
    requests: 1,
    async run({ ask }) {
      const exchange = await ask({ ...query("other", {}), path: "/shelfcheck-no-such-endpoint" });
      const { status: actual } = exchange.response;
      // Passive rules judge the error body; this check judges that it is an error.
      return actual >= 400
        ? passed({ code: "answered", actual }, exchange)
        : failed({ code: "wrong-status", condition: "unknown-path", actual }, exchange);
    },
  },
]);

/** Known products of retailers that both organizations have, as batch items. */
function itemsOfBoth({ fixtures }: CheckContext): BatchItem[] {
  const granted = need(fixtures.otherRetailers);
  return fixtures.products
    .filter(({ retailer }) => granted.includes(retailer))
    .map(({ retailer, productId }) => ({ retailer, product_id: productId }));
}

const most = mostBatchItems - 1;
/** Fewest known items for which it is no chance that none is found. */
const fewestLost = 3;

function hasRefusedAll(exchange: Exchange, known: readonly BatchItem[]): boolean {
  const isUnderErrors = (item: BatchItem) =>
    entriesUnderErrors(exchange).some(
      (entry) => entry.product_id === item.product_id && entry.retailer === item.retailer,
    );
  return exchange.response.status === 200 && listsErrors(exchange) && known.every(isUnderErrors);
}

// A batch may be refused for one bad item, or list it under errors. It must not find or drop it.
async function reportedOrRefused(
  context: CheckContext,
  item: BatchItem,
  condition: "unknown-retailer" | "retailer-not-granted",
  refusal: number,
  caller: "primary" | "otherOrg" = "primary",
): Promise<Outcome> {
  const fieldNames = need(context.fixtures.batch);
  const known = caller === "primary" ? variedItems(context, most) : itemsOfBoth(context).slice(0, most);
  const [first, ...others] = known;
  if (first === undefined) throw new NotJudged({ code: "no-foreign-retailer" });
  const succeeds = await context.control({ ...batch([first], fieldNames), caller });
  // Between known items, where possible: a service may stop at the bad one, or look only at the first of many.
  const items = [first, ...others.slice(0, -1), item, ...others.slice(-1)];
  const exchange = await context.ask({ ...batch(items, fieldNames), caller });
  const { retailer, product_id: productId } = item;
  const circumstances = { condition, subject: retailer, product: { retailer, productId } };
  const status = hasStatus(exchange, [200, refusal], circumstances, succeeds);
  if (status.kind !== "pass" || exchange.response.status === refusal) return status;
  const found = productsIn(exchange, context.fieldNames).find(
    ({ product }) => product.product_id === productId && product.retailer === retailer,
  );
  if (found !== undefined)
    return failed({ code: "item-unexpected", path: found.path, ...circumstances }, exchange, succeeds);
  // Where items are reported and not the batch refused, the bad one takes no known one with it: sent twice, all are under
  // errors. Few may have an upstream error each.
  if (known.length >= fewestLost && hasRefusedAll(exchange, known)) {
    const again = await context.ask({ ...batch(items, fieldNames), caller });
    if (hasRefusedAll(again, known)) {
      const lost = { retailer: first.retailer, productId: first.product_id };
      return failed({ code: "item-missing", condition: "known-items", product: lost }, again, succeeds);
    }
  }
  // A known item may be under errors as well, as an upstream error.
  const isOfKnown = (entry: Record<string, unknown>) =>
    known.some((one) => entry.product_id === one.product_id && entry.retailer === one.retailer);
  // batch-result.echo judges whether the entry echoes its item, and batch-result.errors whether there is a list.
  return !listsErrors(exchange) || entriesUnderErrors(exchange).some((entry) => !isOfKnown(entry))
    ? passed({ code: "item-reported", path: "/errors" }, exchange, succeeds)
    : failed({ code: "item-missing", path: "/errors", ...circumstances }, exchange, succeeds);
}
