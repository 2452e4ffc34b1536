import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { failed, notApplicable, type Outcome, passed } from "../client/outcome.ts";
import { byGtin, byId, byUrl } from "../client/requests.ts";
import { needGtin } from "../discovery/entitlement.ts";
import { need, needPart, noProductWith, type ProductFixture } from "../discovery/fixtures.ts";
import { unknownUrl } from "../discovery/unknown-values.ts";
import { neighbouringGtins } from "../response/gtin.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import type { Check, CheckContext } from "./check/check.ts";
import { type FindingContext, hasStatus } from "./check/expectations.ts";
import {
  browsedProducts,
  forbiddenProduct,
  inOtherCase,
  isGrantedAll,
  productLookups,
} from "./check/inputs.ts";
import { productOf } from "./check/product-comparison.ts";
import { ofSameOrganization } from "./statistics/shared-limit.ts";

const nothingRefused = { code: "no-foreign-retailer" } as const satisfies Finding;
const lookups = ["by-id", "by-url", "batch"] as const;

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

/** The checks that no lookup returns a product of a retailer that is not granted (spec, Authentication). */
export const entitlementChecks: readonly Check[] = [
  {
    id: "authentication.entitlement/by-url",
    title:
      "The page URL of a product that is not granted, also with its host in another case, does not return it",
    requests: 3,
    async run(context) {
      const { ask, control } = context;
      const { product: known, grantedTo, refusedTo: caller } = forbiddenProduct(context);
      const product = withUrl(known, grantedTo, context);
      const { url } = product;
      const succeeds = await control({ ...byUrl(url), caller: grantedTo });
      const exchange = await ask({ ...byUrl(url), caller });
      // Access may be checked for a URL as it is written, and the product found by its normal form.
      const written = await ask({ ...byUrl(url.replace(/(?<=:\/\/)[^/?#]+/, inOtherCase)), caller });
      if (productOf(written).retailer === product.retailer && written.response.status === 200)
        return failed(notGrantedFinding(written, productOf(written), "/retailer"), written, succeeds);
      const { status } = exchange.response;
      // The response may be that for a forbidden product or that for an unknown page.
      const unknown = [403, 404].includes(status)
        ? exchange
        : await ask({ ...byUrl(unknownUrl(url)), caller });
      return hasStatus(exchange, [403, 404, unknown.response.status], notGranted(product), succeeds);
    },
  },
  {
    id: "authentication.entitlement/by-gtin",
    title: "The GTIN of a product that is not granted, also with leading zeros, does not return it",
    requests: 3,
    async run(context) {
      const { ask, control, shared } = context;
      const { product, grantedTo, refusedTo: caller } = forbiddenProduct(context);
      const { retailer } = product;
      const gtin = needGtin(product);
      const succeeds = await control({ ...byGtin(gtin), caller: grantedTo });
      const exchange = await shared({ ...byGtin(gtin), caller });
      // As with the URL; the GTIN may also lead to another product, which is granted.
      const written = await ask({
        ...byGtin(gtin.length < 14 ? gtin.padStart(14, "0") : `0${gtin}`),
        caller,
      });
      if (productOf(written).retailer === retailer && written.response.status === 200)
        return failed(notGrantedFinding(written, productOf(written), "/retailer"), written, succeeds);
      if ([403, 404].includes(exchange.response.status)) return passed(undefined, exchange, succeeds);
      if (exchange.response.status !== 200) {
        const [unknown = gtin] = neighbouringGtins(gtin);
        const { response } = await ask({ ...byGtin(unknown), caller });
        return hasStatus(exchange, [403, 404, response.status], notGranted(product), succeeds);
      }
      return productOf(exchange).retailer === retailer
        ? failed(notGrantedFinding(exchange, productOf(exchange), "/retailer"), exchange, succeeds)
        : passed({ code: "answered", actual: 200 }, exchange, succeeds);
    },
  },
  {
    id: "authentication.entitlement/second-key",
    title: "A product that is not granted is not returned to a second key of the organization",
    requests: 3,
    restsOn: "sameOrgKey",
    async run(context) {
      const { fixtures, ask, control, shared } = context;
      need(fixtures.sameOrgKey);
      if (isGrantedAll(fixtures)) return notApplicable(nothingRefused);
      const product = need(fixtures.unentitledProduct);
      const request = byId(product.retailer, product.productId);
      const succeeds = await control({ ...request, caller: "otherOrg" });
      const exchange = await ask({ ...request, caller: "sameOrg" });
      // A passive rule judges whether the products in the response are granted.
      if (product.gtin !== undefined) await shared({ ...byGtin(product.gtin), caller: "sameOrg" });
      const { status } = exchange.response;
      if (status !== 200) return refusedOrFailed(exchange, product, succeeds);
      const wrongStatus: Finding = {
        code: "wrong-status",
        ...notGranted(product),
        expected: [403, 404],
        actual: status,
      };
      return await ofSameOrganization(context, failed(wrongStatus, exchange, succeeds));
    },
  },
  ...(["by-url", "batch"] as const).map((name): Check => {
    const { label } = productLookups[name];
    return {
      id: `authentication.entitlement/second-key-${name}`,
      title: `${label}: a second key of the organization gets no product that is not granted`,
      requests: 2,
      restsOn: "sameOrgKey",
      async run(context) {
        const { fixtures, ask, control, fieldNames } = context;
        need(fixtures.sameOrgKey);
        if (isGrantedAll(fixtures)) return notApplicable(nothingRefused);
        const foreign = need(fixtures.unentitledProduct);
        const product = name === "by-url" ? withUrl(foreign, "otherOrg", context) : foreign;
        const { retailer, productId } = product;
        const request = needPart(
          productLookups[name].request(product, context),
          noProductWith("product_url", retailer),
        );
        // That the product exists is known from its lookup by id. Only a URL may lead nowhere for everybody.
        const existing = name === "batch" ? byId(retailer, productId) : request;
        const succeeds = await control({ ...existing, caller: "otherOrg" });
        const exchange = await ask({ ...request, caller: "sameOrg" });
        const found = productsIn(exchange, fieldNames).filter((seen) => seen.product.retailer === retailer);
        if (found.length === 0) return refusedOrFailed(exchange, product, succeeds);
        return await ofSameOrganization(context, leaked(found, exchange, succeeds));
      },
    };
  }),
  ...lookups.map(
    (name): Check => ({
      id: `authentication.entitlement/other-organization-${name}`,
      title: `${productLookups[name].label}: the other organization gets no product of a retailer granted only to the first`,
      requests: 2,
      async run(context) {
        const own = need(context.fixtures.ownProduct);
        const product = name === "by-url" ? withUrl(own, "primary", context) : own;
        const request = needPart(
          productLookups[name].request(product, context),
          noProductWith("product_url", product.retailer),
        );
        const succeeds = await context.control(request);
        const exchange = await context.shared({ ...request, caller: "otherOrg" });
        await lookUpOwnGtinAsOther(context);
        const granted = need(context.fixtures.otherRetailers);
        // A GTIN may also lead to another product, which is granted to the other organization.
        const found = productsIn(exchange, context.fieldNames).filter(
          (seen) => typeof seen.product.retailer === "string" && !granted.includes(seen.product.retailer),
        );
        return found.length > 0
          ? leaked(found, exchange, succeeds)
          : refusedOrFailed(exchange, product, succeeds);
      },
    }),
  ),
];

/** Whether a response without the product refuses it. A service that fails on it, also when it is asked again, does not. */
function refusedOrFailed(exchange: Exchange, product: ProductFixture, succeeds: Exchange): Outcome {
  const { status } = exchange.response;
  return status === 500
    ? hasStatus(exchange, [200, 400, 403, 404], notGranted(product), succeeds)
    : passed({ code: "answered", actual: status }, exchange, succeeds);
}

/** The failure that a response contains products that are not granted. */
function leaked(found: ReturnType<typeof productsIn>, exchange: Exchange, succeeds: Exchange): Outcome {
  const findings = found.map(({ path, product }) =>
    notGrantedFinding(exchange, product, path + pointer("retailer")),
  );
  return failed(findings, exchange, succeeds);
}

/**
 * Looks up a GTIN that only the first organization may see with the key of the other one. A passive rule judges whether the
 * products in the response are granted.
 */
async function lookUpOwnGtinAsOther({ fixtures, shared }: CheckContext): Promise<void> {
  const granted = need(fixtures.otherRetailers);
  const known = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const own = known.find(({ retailer }) => !granted.includes(retailer));
  if (own !== undefined) await shared({ ...byGtin(own.gtin), caller: "otherOrg" });
}

/** The finding on a product that the caller may not see. */
function notGrantedFinding({ caller }: Exchange, product: Product, path: string): Finding {
  return {
    code: "not-granted",
    path,
    actual: product.retailer ?? "",
    subject: caller,
    ...identityOf(product),
  };
}

/** The context of findings on a request for such a product. */
function notGranted({ retailer, productId }: ProductFixture): FindingContext {
  return { condition: "retailer-not-granted", subject: retailer, product: { retailer, productId } };
}
