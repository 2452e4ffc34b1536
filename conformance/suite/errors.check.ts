import { mostBatchItems } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Exchange } from "../client/exchange.ts";
import { type BatchItem, batch, byGtin, query } from "../client/requests.ts";
import { need, needField } from "../discovery/fixtures.ts";
import { unknownPath, unknownSlug } from "../discovery/unknown-values.ts";
import { NotJudged } from "../requirements/outcome.ts";
import { productsIn } from "../response/products-in.ts";
import { entriesUnderErrors, isSameItem, itemsSent, listsErrors } from "../response/readers.ts";
import { changedFrom, slugChanges } from "./changed-values.check.ts";
import type { CheckContext } from "./check/check.ts";
import { forbiddenProduct, itemOf, knownItems, variedItems } from "./check/inputs.ts";
import { type ChangedRequest, type StatusRow, section } from "./check/rows.ts";
import { notGranted } from "./entitlement.ts";

/** Spec, Errors. Passive rules judge the table from status to code: rules/error-responses.ts. */
export default section("errors", [
  {
    id: "errors.unknown-retailer/by-gtin",
    title: "A known GTIN scoped to an unknown retailer slug returns 400, or 403 if it is almost a known one",
    requests: 3,
    good: ({ fixtures }) => {
      const [{ gtin, retailer }] = need(fixtures.productsByGtin);
      return byGtin(gtin, retailer);
    },
    bad({ fixtures }) {
      const listed = need(fixtures.retailers);
      const [{ gtin, retailer }] = need(fixtures.productsByGtin);
      const cut = changedFrom(retailer, slugChanges(retailer, listed, ["cut"])).map(([, slug]) => slug);
      return [unknownSlug(listed), ...cut].map((subject, at) => ({
        request: byGtin(gtin, subject),
        condition: "unknown-retailer",
        subject,
        // The cut one may be that of a retailer of another organization.
        ...(at > 0 && { expect: [400, 403] }),
      }));
    },
    expect: 400,
  },
  {
    id: "errors.unentitled-retailer/by-gtin",
    title: "A GTIN at a retailer that is not granted returns 403, or 404 if it also leads to a granted one",
    requests: 3,
    good(context) {
      const { product, grantedTo: caller } = forbiddenProduct(context);
      return { ...byGtin(needField(product, "gtin"), product.retailer), caller };
    },
    async bad(context) {
      const { product, refusedTo: caller } = forbiddenProduct(context);
      const gtin = needField(product, "gtin");
      const own = await context.shared({ ...byGtin(gtin), caller });
      return {
        ...notGranted(product, { ...byGtin(gtin, product.retailer), caller }),
        condition: "retailer-not-granted",
        // If the GTIN also leads to a granted product, 404 is right too: it resolves to another retailer.
        expect: own.response.status === 200 ? [403, 404] : 403,
      };
    },
    expect: 403,
  },
  reportedOrRefused({
    id: "errors.unknown-retailer/in-batch",
    title: "A batch item with an unknown retailer slug is listed under errors, or the batch returns 400",
    refusal: 400,
    condition: "unknown-retailer",
    items(context) {
      const [{ product_id }] = knownItems(context, 1);
      const item = { retailer: unknownSlug(need(context.fixtures.retailers)), product_id };
      return { item, known: variedItems(context, mostBatchItems - 1), caller: "primary" };
    },
  }),
  reportedOrRefused({
    id: "errors.unentitled-retailer/in-batch",
    title: "A batch item of a retailer that is not granted is listed under errors, or the batch returns 403",
    refusal: 403,
    condition: "retailer-not-granted",
    items(context) {
      const { product, refusedTo: caller } = forbiddenProduct(context);
      const item = itemOf(product);
      const known = caller === "primary" ? variedItems(context, mostBatchItems - 1) : itemsOfBoth(context);
      return { item, known, caller };
    },
  }),
  {
    id: "errors.shape/unknown-route",
    title: "A path that is not an endpoint returns an error",
    bad: () => ({ request: { ...query("other", {}), path: unknownPath }, expect: "any" }),
    expect: 404,
    // Passive rules judge the error body; this check judges that it is an error.
    unfit: ({ response: { status: actual } }) =>
      actual >= 400 ? undefined : { code: "wrong-status", condition: "unknown-path", actual },
  },
]);

/** A batch may be refused for one bad item, or list it under errors. It must not find or drop it. */
function reportedOrRefused({
  refusal,
  condition,
  items,
  ...row
}: Pick<StatusRow, "id" | "title"> & {
  readonly refusal: number;
  readonly condition: "unknown-retailer" | "retailer-not-granted";
  readonly items: (context: CheckContext) => {
    readonly item: BatchItem;
    readonly known: readonly BatchItem[];
    readonly caller: "primary" | "otherOrg";
  };
}): StatusRow {
  return {
    ...row,
    good(context) {
      const { known, caller } = items(context);
      if (known.length === 0) throw new NotJudged({ code: "no-foreign-retailer" });
      return { ...batch(known.slice(0, 1), need(context.fixtures.batch)), caller };
    },
    bad(context) {
      const { item, known, caller } = items(context);
      const { retailer, product_id: productId } = item;
      // Between known items, where possible: a service may stop at the bad one, or look only at the first.
      const sent = [...known.slice(0, -1), item, ...known.slice(-1)];
      const request = { ...batch(sent, need(context.fixtures.batch)), caller };
      return { request, condition, subject: retailer, product: { retailer, productId } };
    },
    expect: [200, refusal],
    unfit: (exchange, context, changed) =>
      exchange.response.status === refusal ? undefined : notReported(exchange, context, changed),
  };
}

/** Fewest known items for which it is no chance that none is found: few may have an upstream error each. */
const fewestLost = 3;

/** The bad item of a batch result is under errors, and takes no known one with it. */
function notReported(
  exchange: Exchange,
  { fieldNames }: CheckContext,
  { request: _, ...about }: ChangedRequest,
): Finding | undefined {
  const bad = { retailer: about.product?.retailer, product_id: about.product?.productId };
  const found = productsIn(exchange, fieldNames).find(({ product }) => isSameItem(product, bad));
  if (found !== undefined) return { code: "item-unexpected", path: found.path, ...about };
  // batch-result.errors judges whether there is a list, batch-result.echo whether an entry echoes its item.
  if (!listsErrors(exchange)) return undefined;
  const entries = entriesUnderErrors(exchange);
  const known = itemsSent(exchange).filter((item) => !isSameItem(item, bad));
  const [first] = known;
  const isLost = known.every((item) => entries.some((entry) => isSameItem(item, entry)));
  if (first !== undefined && isLost && known.length >= fewestLost) {
    const product = { retailer: String(first.retailer), productId: String(first.product_id) };
    return { code: "item-missing", condition: "known-items", product };
  }
  return entries.some((entry) => !known.some((item) => isSameItem(item, entry)))
    ? undefined
    : { code: "item-missing", path: "/errors", ...about };
}

/** Known products of retailers that both organizations have, as batch items. */
function itemsOfBoth({ fixtures }: CheckContext): BatchItem[] {
  const granted = need(fixtures.otherRetailers);
  return fixtures.products
    .filter(({ retailer }) => granted.includes(retailer))
    .map(itemOf)
    .slice(0, mostBatchItems - 1);
}
