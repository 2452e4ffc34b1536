import { byGtin, byUrl, inOtherCase, type Request } from "../client/requests.ts";
import { gtinOf } from "../discovery/entitlement.ts";
import { need, needField, orNone, type ProductFixture } from "../discovery/fixtures.ts";
import type { CheckContext } from "./check/check.ts";
import {
  choosableProducts,
  forbiddenProduct,
  isGrantedAll,
  lookupOf,
  productLookups,
} from "./check/inputs.ts";
import type { ChangedRequest, StatusRow } from "./check/rows.ts";

/** A refusal, which by-id.unentitled-slug judges, no content, or another product, to which a GTIN may lead. */
export const withoutIt = [200, 204, 400, 401, 403, 404] as const;

/** It judges every product of every response. */
const rules = ["authentication.entitlement/every-product"] as const;

/** The rows that no lookup returns a product of a retailer that is not granted (spec, Authentication). */
export const entitlementRows: readonly StatusRow[] = [
  byValue(
    {
      id: "authentication.entitlement/by-url",
      title:
        "The page URL of a product that is not granted gets 403 or 404, and no such product with its host in another case",
      expect: [403, 404],
    },
    byUrl,
    (context) => {
      const products = grantedOnly(forbiddenProduct(context).grantedTo, context);
      const product = products.find(({ url }) => url !== undefined) ?? products[0];
      const url = needField(product, "product_url");
      return [product, url, byUrl(url.replace(/(?<=:\/\/)[^/?#]+/, inOtherCase))];
    },
  ),
  byValue(
    {
      id: "authentication.entitlement/by-gtin",
      title:
        "The GTIN of a product that is not granted gets 403, 404 or another product, and no such product with leading zeros or two retailers",
      expect: [200, 403, 404],
    },
    (gtin) => byGtin(gtin),
    (context) => {
      const { product, refusedTo } = forbiddenProduct(context);
      const { retailers, otherRetailers } = context.fixtures;
      const [granted = ""] = need(refusedTo === "primary" ? retailers : otherRetailers);
      const gtin = needField(product, "gtin");
      const padded = gtin.length < 14 ? gtin.padStart(14, "0") : `0${gtin}`;
      // One of two retailers may be checked, and the other one used.
      const scopedTwice = (slug: string, other: string) => {
        const request = byGtin(gtin, slug);
        return { ...request, path: `${request.path}&retailer=${encodeURIComponent(other)}` };
      };
      const { retailer } = product;
      return [product, gtin, byGtin(padded), scopedTwice(granted, retailer), scopedTwice(retailer, granted)];
    },
  ),
  {
    id: "authentication.entitlement/second-key",
    title: "No lookup returns to a second key of the organization a product that is not granted",
    restsOn: "sameOrgKey",
    requests: 1 + 2 * productLookups.length,
    good: (context) => lookupOf(grantedOnly("otherOrg", context)[0], "otherOrg"),
    // Where nothing is granted to the other organization only, there is nothing to ask for.
    bad: (context) =>
      isGrantedAll(context.fixtures)
        ? []
        : lookupsOf("otherOrg", context).flatMap(({ product, request }) => [
            // With the key that may see it first: a cache must not give it to the other one then.
            { request, expect: "any" as const },
            notGranted(product, { ...request, caller: "sameOrg" }),
          ]),
    expect: withoutIt,
    none: { code: "no-foreign-retailer" },
    rules,
  },
];

/**
 * A lookup by a value of a product that is not granted.
 * @param forbidden gives the product, its value and lookups that spell it otherwise: access may be checked
 * for the value as written, and the product found by its normal form
 */
function byValue(
  row: Pick<StatusRow, "id" | "title" | "expect">,
  lookup: (value: string) => Request,
  forbidden: (context: CheckContext) => readonly [ProductFixture, value: string, ...written: Request[]],
): StatusRow {
  return {
    ...row,
    requests: 5,
    good: (context) => ({
      ...lookup(forbidden(context)[1]),
      caller: forbiddenProduct(context).grantedTo,
    }),
    bad(context) {
      const { refusedTo: caller } = forbiddenProduct(context);
      const [product, value, ...written] = forbidden(context);
      return [
        ...written.map((one) => ({ ...notGranted(product, { ...one, caller }), expect: "any" as const })),
        notGranted(product, { ...lookup(value), caller }),
      ];
    },
    rules,
  };
}

/** On every path, of a product that only one organization may see, and of others, if they have what it takes. */
export function lookupsOf(caller: "primary" | "otherOrg", context: CheckContext) {
  const products = grantedOnly(caller, context);
  return productLookups.flatMap((lookup) => {
    const lookups = products.flatMap((product) => {
      const request = lookup(product, context.fixtures);
      return request === undefined ? [] : [{ product, request: { ...request, caller } }];
    });
    return lookups.slice(0, 1).map((first) => ({ ...first, others: lookups.slice(1) }));
  });
}

/** Products of the run that only one organization may see; first the one that discovery found. */
function grantedOnly(
  to: "primary" | "otherOrg",
  context: CheckContext,
): [ProductFixture, ...ProductFixture[]] {
  const { retailers, otherRetailers, ownProduct, unentitledProduct, productsByGtin } = context.fixtures;
  const first = need(to === "primary" ? ownProduct : unentitledProduct);
  const others = need(to === "primary" ? otherRetailers : retailers);
  const { gtin } = context.fieldNames;
  const shown = choosableProducts(context, to).map((one) => ({ ...one, ...gtinOf(one, gtin) }));
  const all = [...orNone(productsByGtin), ...shown];
  return [first, ...all.filter(({ retailer }) => !others.includes(retailer))];
}

/** A lookup of a product of a retailer that its caller may not use. */
export function notGranted(
  product: NonNullable<ChangedRequest["product"]>,
  request: Request,
): ChangedRequest {
  return { request, condition: "product-not-granted", subject: product.retailer, product };
}
