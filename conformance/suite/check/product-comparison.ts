import type { FieldNames } from "../../../schemas/contracts/field-names.ts";
import type { Finding, FindingOf } from "../../../schemas/contracts/finding.ts";
import type { Product } from "../../../schemas/contracts/product.ts";
import { valuesAt } from "../../../schemas/field-paths.ts";
import { isObject, pointer, valueAt } from "../../../schemas/json.ts";
import { hasProductFields } from "../../../schemas/product-values.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { ProductFixture } from "../../discovery/fixtures.ts";
import { statusOf } from "../../requirements/outcome.ts";
import { isSameItem, itemsSent } from "../../response/batch-result.ts";
import { actual } from "../../response/body-findings.ts";
import { carriesGtin } from "../../response/gtin.ts";
import { identityOf, isOfAnotherRetailer, productsIn } from "../../response/products-in.ts";
import { nextCursor, productOf, slugsIn } from "../../response/readers.ts";
import type { CheckContext, ResponseView } from "./check.ts";
import { browsedProducts, itemOf } from "./inputs.ts";
import type { ChangedRequest } from "./rows.ts";

export const identityFields = ["retailer", "product_id", "product_url"] as const;

/**
 * The finding that two products are not the same one, because retailer, id or page URL differ. A missing field is not
 * compared; price, availability and freshness may change between two requests.
 *
 * @param at where the found product is in its body
 */
export function identityDifference(
  known: Product,
  found: Product,
  at = "",
): FindingOf<"other-product"> | undefined {
  for (const field of identityFields) {
    const [expected, seen] = [known[field], found[field]];
    // A wrong type is judged by product.field-types.
    if (
      typeof expected === typeof seen &&
      expected !== undefined &&
      !isObject(expected) &&
      JSON.stringify(expected) !== JSON.stringify(seen)
    ) {
      return { code: "other-product", path: at + pointer(field), expected, ...actual(seen) };
    }
  }
  return undefined;
}

/** Like identityDifference, for a fixture. */
export function differsFrom(
  { retailer, productId }: Pick<ProductFixture, "retailer" | "productId">,
  found: Product,
): FindingOf<"other-product"> | undefined {
  const difference = identityDifference({ retailer, product_id: productId }, found);
  return difference && { ...difference, product: { retailer, productId } };
}

/**
 * The finding that a lookup returns another product than the known one. Of several products with one page or one GTIN, any is
 * correct; a rule judges the GTIN that a product shows.
 */
export function otherThanKnown(
  exchange: Exchange,
  context: CheckContext,
  { request: _, expect: __, product: known, ...about }: ChangedRequest,
): Finding | undefined {
  const found = productOf(exchange);
  const difference = known && differsFrom(known, found);
  if (known === undefined || difference === undefined) return undefined;
  const finding = { ...difference, ...about };
  if (exchange.endpoint === "lookup-by-gtin") {
    const { gtin } = context.fieldNames;
    const shown = gtin === undefined ? [] : valuesAt(found, gtin);
    const isScoped = about.condition === "known-gtin-scoped";
    if (isOfAnotherRetailer(found, known)) return isScoped ? finding : undefined;
    return shown.length > 0 ? undefined : finding;
  }
  const isOfPage = browsedProducts(context).some(
    (one) => one.url !== undefined && one.url === about.subject && isSameItem(itemOf(one), found),
  );
  return isOfPage ? undefined : finding;
}

/** What two requests that should get the same response differ in. */
type ComparedPair = "either-header" | "second-key" | "other-spelling";

/**
 * What two responses that should be the same differ in: the status, or which product, products or retailers they show. Price
 * and freshness may differ.
 */
export function sameContent(condition: ComparedPair): ResponseView {
  return (one, other, { fieldNames }) => {
    const expected = one.response.status;
    if (other.response.status !== expected)
      return [{ code: "status-differs", condition, expected, ...statusOf(other), comparedWith: 1 }];
    if ([one, other].some((exchange) => !isComparable(exchange, fieldNames))) return [];
    const [listed, others] = [listedIn(one, fieldNames), listedIn(other, fieldNames)];
    const onlyOne = [...listed].filter(([name]) => !others.has(name));
    const onlyOther = [...others].filter(([name]) => !listed.has(name));
    const shownByOne = (exchange: number, count: number, named: Named): Finding => ({
      code: "shown-by-one-only",
      condition,
      ...named,
      seen: { count, of: "items" },
      details: { by: exchange === 1 ? "one" : "other" },
      exchange,
      comparedWith: 1 - exchange,
    });
    const missing = [
      ...onlyOne.slice(0, 1).map(([, named]) => shownByOne(1, onlyOne.length, named)),
      ...onlyOther.slice(0, 1).map(([, named]) => shownByOne(0, onlyOther.length, named)),
    ];
    if (missing.length > 0) return missing;
    // Cursors are opaque, but the same page is the last one for both, or for neither.
    const [next, otherNext] = [one, other].map(({ response }) => nextCursor(response.json));
    if (next !== undefined && otherNext !== undefined && (next === "") !== (otherNext === ""))
      return [shownByOne(next === "" ? 0 : 1, 1, { path: "/meta/next_cursor" })];
    const [product, second] = [productOf(one), productOf(other)];
    if (hasProductFields(product) !== hasProductFields(second))
      return [shownByOne(hasProductFields(product) ? 1 : 0, 1, {})];
    // Several products may have one GTIN: any of them is correct.
    const gtins = fieldNames.gtin === undefined ? [] : valuesAt(product, fieldNames.gtin);
    if (one.endpoint === "lookup-by-gtin" && gtins.some((gtin) => carriesGtin(second, gtin, fieldNames)))
      return [];
    const difference = identityDifference(product, second);
    return difference === undefined ? [] : [{ ...difference, condition, comparedWith: 1 }];
  };
}

/** Whether a response shows which products there are: it is JSON, and a batch result has no item that was not sent, which other rules judge. */
export function isComparable(exchange: Exchange, fieldNames: FieldNames): boolean {
  const { endpoint, response } = exchange;
  if (response.json === undefined) return response.status !== 200;
  const sent = endpoint === "batch" ? itemsSent(exchange) : [];
  if (sent.length === 0) return true;
  return productsIn(exchange, fieldNames).every(({ product: { retailer, product_id: id } }) =>
    sent.some(
      (item) => [undefined, item.retailer].includes(retailer) && [undefined, item.product_id].includes(id),
    ),
  );
}

/** What a response shows: a product, or a retailer. */
type Named = Pick<FindingOf<"shown-by-one-only">, "product" | "subject" | "path">;

function listedIn(exchange: Exchange, fieldNames: FieldNames): Map<string, Named> {
  if (exchange.endpoint === "retailers") {
    const entries = valueAt(exchange.response.json, "/retailers");
    const slugs = Array.isArray(entries) ? entries.map((entry: unknown) => valueAt(entry, "/slug")) : [];
    return new Map(
      slugsIn(exchange.response.json).map((slug) => [
        slug,
        { subject: slug, path: pointer("retailers", slugs.indexOf(slug), "slug") },
      ]),
    );
  }
  return new Map(
    productsIn(exchange, fieldNames).flatMap(({ path, product }) => {
      const { retailer, product_id: id } = product;
      return path === "" ? [] : [[`${String(retailer)} / ${String(id)}`, { path, ...identityOf(product) }]];
    }),
  );
}
