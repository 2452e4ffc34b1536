import type { Finding } from "../../schemas/contracts/finding.ts";
import { pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { byGtin, byId, byUrl, type Request } from "../client/requests.ts";
import { needGtin } from "../discovery/entitlement.ts";
import { need, needPart, noProductWith, type ProductFixture } from "../discovery/fixtures.ts";
import { unknownUrl } from "../discovery/unknown-values.ts";
import { neighbouringGtins } from "../response/gtin.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
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
const withoutIt = [200, 400, 401, 403, 404] as const;

/** The rows that no lookup returns a product of a retailer that is not granted (spec, Authentication). */
export const entitlementRows: readonly StatusRow[] = [
  {
    id: "authentication.entitlement/by-url",
    title:
      "The page URL of a product that is not granted, also with its host in another case, does not return it",
    requests: 3,
    good(context) {
      const { product, grantedTo } = forbiddenProduct(context);
      return { ...byUrl(withUrl(product, grantedTo, context).url), caller: grantedTo };
    },
    async bad(context) {
      const { product: some, grantedTo, refusedTo: caller } = forbiddenProduct(context);
      const product = withUrl(some, grantedTo, context);
      const { url } = product;
      // Access may be checked for a URL as it is written, and the product found by its normal form.
      const written = url.replace(/(?<=:\/\/)[^/?#]+/, inOtherCase);
      return [
        { ...notGranted(product, { ...byUrl(written), caller }), expect: withoutIt },
        await asUnknown(context, product, { ...byUrl(url), caller }, byUrl(unknownUrl(url))),
      ];
    },
    expect: [403, 404],
    unfit: shown,
  },
  {
    id: "authentication.entitlement/by-gtin",
    title: "The GTIN of a product that is not granted, also with leading zeros, does not return it",
    requests: 3,
    good(context) {
      const { product, grantedTo } = forbiddenProduct(context);
      return { ...byGtin(needGtin(product)), caller: grantedTo };
    },
    async bad(context) {
      const { product, refusedTo: caller } = forbiddenProduct(context);
      const gtin = needGtin(product);
      const written = gtin.length < 14 ? gtin.padStart(14, "0") : `0${gtin}`;
      const [unknown = gtin] = neighbouringGtins(gtin);
      return [
        { ...notGranted(product, { ...byGtin(written), caller }), expect: withoutIt },
        await asUnknown(context, product, { ...byGtin(gtin), caller }, byGtin(unknown)),
      ];
    },
    expect: [200, 403, 404],
    unfit: shown,
  },
  ...(["by-id", "by-url", "batch"] as const).map(
    (name): StatusRow => ({
      id: `authentication.entitlement/second-key${name === "by-id" ? "" : `-${name}`}`,
      title: `${productLookups[name].label}: a second key of the organization gets no product that is not granted`,
      restsOn: "sameOrgKey",
      // That the product exists is known from its lookup by id. Only a URL may lead nowhere for everybody.
      good: (context) => ({
        ...(name === "by-url"
          ? lookupOf(name, foreign(name, context), context)
          : byItsId(foreign(name, context))),
        caller: "otherOrg",
      }),
      bad(context) {
        if (isGrantedAll(context.fixtures)) return [];
        const product = foreign(name, context);
        const requests = [
          lookupOf(name, product, context),
          ...(name === "by-id" && product.gtin !== undefined ? [byGtin(product.gtin)] : []),
        ];
        return requests.map((request) => notGranted(product, { ...request, caller: "sameOrg" }));
      },
      expect: withoutIt,
      none: { code: "no-foreign-retailer" },
      unfit: shown,
    }),
  ),
  ...(["by-id", "by-url", "batch"] as const).map(
    (name): StatusRow => ({
      id: `authentication.entitlement/other-organization-${name}`,
      title: `${productLookups[name].label}: the other organization gets no product of a retailer granted only to the first`,
      good: (context) => lookupOf(name, own(name, context), context),
      bad(context) {
        const product = own(name, context);
        const gtins = name === "by-id" ? ownGtins(context) : [];
        return [
          notGranted(product, { ...lookupOf(name, product, context), caller: "otherOrg" }),
          ...gtins.map((one) => notGranted(one, { ...byGtin(one.gtin), caller: "otherOrg" })),
        ];
      },
      expect: withoutIt,
      unfit: shown,
    }),
  ),
];

type Lookup = "by-id" | "by-url" | "batch";

function byItsId({ retailer, productId }: ProductFixture): Request {
  return byId(retailer, productId);
}

function lookupOf(name: Lookup, product: ProductFixture, context: CheckContext): Request {
  const request = productLookups[name].request(product, context);
  return needPart(request, noProductWith("product_url", product.retailer));
}

/** A product that only the other organization may see. */
function foreign(name: Lookup, context: CheckContext): ProductFixture {
  const product = need(context.fixtures.unentitledProduct);
  return name === "by-url" ? withUrl(product, "otherOrg", context) : product;
}

/** A product that only the first organization may see. */
function own(name: Lookup, context: CheckContext): ProductFixture {
  const product = need(context.fixtures.ownProduct);
  return name === "by-url" ? withUrl(product, "primary", context) : product;
}

function ownGtins({ fixtures: { otherRetailers, productsByGtin } }: CheckContext) {
  const granted = need(otherRetailers);
  const known = productsByGtin.present ? productsByGtin.value : [];
  return known.filter(({ retailer }) => !granted.includes(retailer)).slice(0, 1);
}

/** A product that only one organization may see, for a lookup that needs its page URL. @throws NotJudged when none has one */
function withUrl(
  known: ProductFixture,
  caller: "primary" | "otherOrg",
  context: CheckContext,
): ProductFixture & { readonly url: string } {
  const { retailers, otherRetailers } = context.fixtures;
  const granted = need(caller === "primary" ? otherRetailers : retailers);
  // Discovery looks at few pages; the walks since then may have shown another product.
  const browsed = browsedProducts(context, caller).filter(({ retailer }) => !granted.includes(retailer));
  const found = [known, ...browsed].find(({ url }) => url !== undefined);
  const url = needPart(found?.url, noProductWith("product_url", known.retailer));
  return { ...(found ?? known), url };
}

/** A lookup that may get the response to a forbidden product, or to one that does not exist, whatever that is. */
async function asUnknown(
  { shared }: CheckContext,
  product: ProductFixture,
  request: Request,
  unknown: Request,
): Promise<ChangedRequest> {
  const { status } = (await shared(request)).response;
  if (status === 200 || status === 403 || status === 404) return notGranted(product, request);
  const other = await shared({ ...unknown, caller: request.caller });
  return { ...notGranted(product, request), expect: [403, 404, other.response.status] };
}

/** A lookup of a product of a retailer that its caller may not use. */
export function notGranted(product: ProductFixture, request: Request): ChangedRequest {
  const { retailer, productId } = product;
  return { request, condition: "retailer-not-granted", subject: retailer, product: { retailer, productId } };
}

/** The finding that a response shows a product of the retailer that its caller may not use. */
export function shown(
  exchange: Exchange,
  { fieldNames }: CheckContext,
  { subject }: ChangedRequest,
): Finding | undefined {
  const found = productsIn(exchange, fieldNames).find(({ product }) => product.retailer === subject);
  return (
    found && {
      code: "not-granted",
      path: found.path + pointer("retailer"),
      actual: found.product.retailer ?? "",
      subject: exchange.caller,
      ...identityOf(found.product),
    }
  );
}
