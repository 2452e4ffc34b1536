import { canBeOf, identityOf } from "../../../schemas/accounts.ts";
import type { Finding, FindingOf } from "../../../schemas/contracts/finding.ts";
import type { FieldNames, Product } from "../../../schemas/contracts/product.ts";
import { isObject, pointer, valueAt } from "../../../schemas/json.ts";
import { hasProductFields } from "../../../schemas/product-values.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { Identity } from "../../discovery/fixtures.ts";
import { statusOf } from "../../requirements/outcome.ts";
import { actual } from "../../response/body-findings.ts";
import { isOfAnotherRetailer, mayHaveGtin, productsIn } from "../../response/products-in.ts";
import { isSameItem, itemsSent, nextCursor, productOf, slugsIn } from "../../response/readers.ts";
import type { CheckContext, ResponseView } from "./check.ts";
import { browsedProducts, itemOf } from "./inputs.ts";
import type { ChangedRequest } from "./rows.ts";

export const identityFields = ["retailer", "product_id", "product_url"] as const;

/**
 * Two products differ in retailer, id or page URL. A missing field is not compared; price, availability and
 * freshness may change between two requests.
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
  { retailer, productId }: Identity,
  found: Product,
): FindingOf<"other-product"> | undefined {
  const difference = identityDifference({ retailer, product_id: productId }, found);
  return difference && { ...difference, product: { retailer, productId } };
}

/** For another product than the known one. Any with its page or GTIN is right; a rule judges shown GTINs. */
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
    const isScoped = about.condition === "known-gtin-scoped";
    return isScoped && isOfAnotherRetailer(found, known) ? finding : undefined;
  }
  const isOfPage = browsedProducts(context).some(
    (one) => one.url !== undefined && one.url === about.subject && isSameItem(itemOf(one), found),
  );
  return isOfPage ? undefined : finding;
}

/** Why two requests should get the same response. */
type ComparedPair = "either-header" | "second-key" | "other-spelling";

/** For equal responses: the status, or the products or retailers. Price and freshness may differ. */
export function sameContent(condition: ComparedPair): ResponseView {
  return (one, other, { fieldNames }) => {
    const expected = one.response.status;
    if (other.response.status !== expected)
      return [{ code: "status-differs", condition, expected, ...statusOf(other), comparedWith: 1 }];
    if ([one, other].some((exchange) => !isComparable(exchange, fieldNames))) return [];
    const shown = [contentOf(other, fieldNames), contentOf(one, fieldNames)] as const;
    const lacking = shown.flatMap((own, exchange): Finding[] => {
      const only = [...own].filter(([name]) => !shown[1 - exchange]?.has(name));
      return only.slice(0, 1).map(([, named]) => ({
        code: "shown-by-one-only",
        condition,
        ...named,
        seen: { count: only.length, of: "items" },
        details: { by: exchange === 1 ? "one" : "other" },
        exchange,
        comparedWith: 1 - exchange,
      }));
    });
    const [product, second] = [productOf(one), productOf(other)];
    // Several products may have one GTIN: any of them is correct.
    const gtins = new URL(one.request.url).searchParams.getAll("gtin");
    if (gtins.some((gtin) => [product, second].every((each) => mayHaveGtin(each, gtin, fieldNames))))
      return lacking;
    const difference = identityDifference(product, second);
    return difference === undefined ? lacking : [...lacking, { ...difference, condition, comparedWith: 1 }];
  };
}

/** Whether the products of a response show: JSON, and no batch item that was not sent (rules judge that). */
export function isComparable(exchange: Exchange, fieldNames: FieldNames): boolean {
  const { endpoint, response } = exchange;
  if (response.json === undefined) return response.status !== 200;
  const sent = endpoint === "batch" ? itemsSent(exchange) : [];
  if (sent.length === 0) return true;
  return productsIn(exchange, fieldNames).every(({ product }) => sent.some((item) => canBeOf(product, item)));
}

/** What a response shows: a product, a retailer, or a next page. */
type Named = Pick<FindingOf<"shown-by-one-only">, "product" | "subject" | "path">;

function contentOf(exchange: Exchange, fieldNames: FieldNames): ReadonlyMap<string, Named> {
  const { json } = exchange.response;
  const entries = exchange.endpoint === "retailers" ? valueAt(json, "/retailers") : undefined;
  const slugs = Array.isArray(entries) ? entries.map((entry: unknown) => valueAt(entry, "/slug")) : [];
  const listed = (entries === undefined ? [] : slugsIn(json)).map((subject): [string, Named] => [
    subject,
    { subject, path: pointer("retailers", slugs.indexOf(subject), "slug") },
  ]);
  const products = productsIn(exchange, fieldNames).flatMap(({ path, product }): [string, Named][] => {
    // Who a single product is, is compared by itself.
    if (path === "") return hasProductFields(product) ? [["", {}]] : [];
    return [[`${product.retailer} / ${product.product_id}`, { path, ...identityOf(product) }]];
  });
  // Cursors are opaque, but the same page is the last one for both, or for neither.
  const isLast = (nextCursor(json) ?? "") === "";
  return new Map([
    ...listed,
    ...products,
    ...(isLast ? [] : [["next", { path: "/meta/next_cursor" }] as const]),
  ]);
}
