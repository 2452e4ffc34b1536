import { byGtin, byId, byUrl, type Request } from "../client/requests.ts";
import { need, needField, type ProductFixture } from "../discovery/fixtures.ts";
import type { CheckContext } from "./check/check.ts";
import {
  browsedProducts,
  forbiddenProduct,
  inOtherCase,
  isGrantedAll,
  productLookups,
} from "./check/inputs.ts";
import type { ChangedRequest, StatusRow } from "./check/rows.ts";

/** Without the product: a refusal, which by-id.unentitled-slug judges, or another product, to which a GTIN may lead. */
export const withoutIt = [200, 400, 401, 403, 404] as const;

/** It judges every product of every response. */
const rules = ["authentication.entitlement/every-product"] as const;

/** A value that finds a product of a retailer that is not granted. */
interface ForbiddenValue {
  readonly product: ProductFixture;
  readonly value: string;
  /** Access may be checked for a value as it is written, and the product found by its normal form. */
  readonly written: string;
}

/** The rows that no lookup returns a product of a retailer that is not granted (spec, Authentication). */
export const entitlementRows: readonly StatusRow[] = [
  byValue(
    "by-url",
    "The page URL of a product that is not granted, also with its host in another case, does not return it",
    [403, 404],
    byUrl,
    (context) => {
      const { grantedTo } = forbiddenProduct(context);
      const products = grantedOnly(grantedTo, context);
      const product = products.find(({ url }) => url !== undefined) ?? products[0];
      const value = needField(product, "product_url");
      const written = value.replace(/(?<=:\/\/)[^/?#]+/, inOtherCase);
      return { product, value, written };
    },
  ),
  byValue(
    "by-gtin",
    "The GTIN of a product that is not granted, also with leading zeros, does not return it",
    [200, 403, 404],
    (gtin) => byGtin(gtin),
    (context) => {
      const { product } = forbiddenProduct(context);
      const value = needField(product, "gtin");
      const written = value.length < 14 ? value.padStart(14, "0") : `0${value}`;
      return { product, value, written };
    },
  ),
  {
    id: "authentication.entitlement/second-key",
    title: "No lookup returns to a second key of the organization a product that is not granted",
    restsOn: "sameOrgKey",
    requests: 1 + 2 * productLookups.length,
    good: (context) => {
      const [{ retailer, productId }] = grantedOnly("otherOrg", context);
      return { ...byId(retailer, productId), caller: "otherOrg" };
    },
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

/** Lookups, on every path, of products that only one organization may see, as far as they have what it takes. */
export function lookupsOf(caller: "primary" | "otherOrg", context: CheckContext) {
  const products = grantedOnly(caller, context);
  return productLookups.flatMap((lookup) => {
    const lookups = products.flatMap((product) => {
      const request = lookup(product, context.fixtures);
      return request === undefined ? [] : [{ product, request: { ...request, caller } }];
    });
    return lookups.slice(0, 1);
  });
}

/** A lookup by a value of a forbidden product. */
function byValue(
  name: "by-url" | "by-gtin",
  title: string,
  expect: readonly number[],
  lookup: (value: string) => Request,
  forbidden: (context: CheckContext) => ForbiddenValue,
): StatusRow {
  return {
    id: `authentication.entitlement/${name}`,
    title,
    requests: 3,
    good: (context) => ({
      ...lookup(forbidden(context).value),
      caller: forbiddenProduct(context).grantedTo,
    }),
    bad(context) {
      const { refusedTo: caller } = forbiddenProduct(context);
      const { product, value, written } = forbidden(context);
      return [
        { ...notGranted(product, { ...lookup(written), caller }), expect: withoutIt },
        notGranted(product, { ...lookup(value), caller }),
      ];
    },
    expect,
    rules,
  };
}

/** Products that only one organization may see, of all that the run has met; first the one that discovery found. */
function grantedOnly(
  to: "primary" | "otherOrg",
  context: CheckContext,
): [ProductFixture, ...ProductFixture[]] {
  const { retailers, otherRetailers, ownProduct, unentitledProduct, productsByGtin } = context.fixtures;
  const first = need(to === "primary" ? ownProduct : unentitledProduct);
  const others = need(to === "primary" ? otherRetailers : retailers);
  const withGtin = productsByGtin.present ? productsByGtin.value : [];
  const all = [...withGtin, ...browsedProducts(context, to)];
  return [first, ...all.filter(({ retailer }) => !others.includes(retailer))];
}

/** A lookup of a product of a retailer that its caller may not use. */
export function notGranted(
  { retailer, productId }: Pick<ProductFixture, "retailer" | "productId">,
  request: Request,
): ChangedRequest {
  return { request, condition: "retailer-not-granted", subject: retailer, product: { retailer, productId } };
}
