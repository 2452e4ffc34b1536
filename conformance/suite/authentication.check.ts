import { keyHeaders } from "../../schemas/api.ts";
import type { Exchange } from "../client/exchange.ts";
import { notApplicable, type Outcome, passed } from "../client/outcome.ts";
import { byCategory, byId, keyIn, query, type Request, retailers } from "../client/requests.ts";
import { nextCursor } from "../discovery/browsing.ts";
import { need } from "../discovery/fixtures.ts";
import { invalidKey, keysThatBeginLike } from "../discovery/unknown-values.ts";
import { type Check, type CheckContext, section } from "./check/check.ts";
import { hasStatus } from "./check/expectations.ts";
import { eachEndpoint, forbiddenProduct, sendBatch, unknownProduct } from "./check/inputs.ts";
import {
  requestsToCompare,
  responseDifference,
  sameResponse,
  sameStatus,
} from "./check/product-comparison.ts";
import { entitlementChecks } from "./entitlement.ts";
import { keepsPlaces } from "./walk.ts";

/** The condition of responses to requests that differ in the header of the key. */
const condition = "either-header";
const retailersToCompare = 3;
// Not in the form of a key: a service may check the form first.
const neverAKey = "shelfcheck";

/** Spec, Authentication. Passive rules also judge that no response contains products that are not granted. */
export default section("authentication", [
  ...eachEndpoint.map(
    ({ ending, label, request }): Check => ({
      id: `authentication.required/${ending}`,
      title: `${label}: a request without a key returns 401`,
      requests: 2,
      async run(context) {
        const succeeds = await context.control(request(context));
        const exchange = await context.ask({ ...request(context), caller: "nobody" });
        return hasStatus(exchange, 401, { condition: "no-key" }, succeeds);
      },
    }),
  ),
  {
    id: "authentication.required/second-page",
    title: "The second page of a category without a key returns 401",
    requests: 2,
    run: (context) =>
      onSecondPage(context, async (request, first) => {
        const exchange = await context.ask({ ...request, caller: "nobody" });
        return hasStatus(exchange, 401, { condition: "no-key" }, first);
      }),
  },
  {
    id: "authentication.required/malformed-query",
    title: "A malformed query without a key returns 401 or 400",
    requests: 1,
    async run({ ask }) {
      const exchange = await ask({ ...query("other", {}), caller: "nobody" });
      // Of two mistakes, either may be told.
      return hasStatus(exchange, [401, 400], { condition: "no-key" });
    },
  },
  ...eachEndpoint.map(
    ({ ending, label, request }): Check => ({
      id: `authentication.invalid-key/${ending}`,
      title: `${label}: a request with an invalid key returns 401`,
      requests: 2,
      async run(context) {
        const succeeds = await context.control(request(context));
        const headers = keyIn(keyHeaders.bearer, invalidKey(context.target.keys.primary ?? ""));
        const good = request(context);
        const exchange = await context.ask({
          ...good,
          caller: "nobody",
          headers: { ...good.headers, ...headers },
        });
        return hasStatus(exchange, 401, { condition: "invalid-key" }, succeeds);
      },
    }),
  ),
  ...eachEndpoint.map(
    ({ ending, endpoint, label, request }): Check => ({
      id: `authentication.equivalent/${ending}`,
      title: `${label}: both headers get the same response`,
      requests: requestsToCompare(endpoint),
      async run(context) {
        // By id, one product of each retailer: a service may check access separately for each header.
        const others = ending === "by-id" ? otherRetailersProducts(context) : [];
        for (const same of [request(context), ...others]) {
          const send = (one: Request) => sendBatch(one, context.ask, context.shared);
          const both = await withEitherHeader(same, send);
          const bearer = { ...same, keyHeader: keyHeaders.bearer };
          const outcome = await sameResponse(context, bearer, both, condition);
          if (outcome.kind !== "pass") return outcome;
        }
        return passed();
      },
    }),
  ),
  {
    id: "authentication.equivalent/error",
    title: "An unknown product returns the same error with either header",
    requests: 2,
    async run(context) {
      const { retailer, productId } = await unknownProduct(context);
      const request = byId(retailer, productId);
      return sameStatus(...(await withEitherHeader(request, context.shared)), condition);
    },
  },
  {
    id: "authentication.equivalent/refusal",
    title: "A product of a retailer that is not granted returns the same error with either header",
    requests: 3,
    async run(context) {
      const { product, grantedTo, refusedTo } = forbiddenProduct(context);
      const request = byId(product.retailer, product.productId);
      await context.control({ ...request, caller: grantedTo });
      const both = await withEitherHeader({ ...request, caller: refusedTo }, context.shared);
      return sameStatus(...both, condition);
    },
  },
  {
    id: "authentication.equivalent/second-page",
    title: "The second page of a category is the same with either header",
    requests: 3,
    run: (context) =>
      onSecondPage(context, async (request) => {
        const both = await withEitherHeader(request, context.ask);
        // If the service keeps the place of a walk behind one cursor, each request gets another page.
        if (keepsPlaces(context.exchanges))
          return passed({ code: "judged-elsewhere", subject: "page.own-cursor" });
        return responseDifference(...both, context.fieldNames, condition) ?? sameStatus(...both, condition);
      }),
  },
  {
    id: "authentication.equivalent/second-key",
    title: "A second key of the organization gets the same status with either header",
    requests: 2,
    async run({ fixtures, shared }) {
      need(fixtures.sameOrgKey);
      const both = await withEitherHeader({ ...retailers(), caller: "sameOrg" }, shared);
      return sameStatus(...both, condition);
    },
  },
  {
    id: "authentication.equivalent/both-good",
    title: "A valid key in both headers returns 200, 400 or 401",
    requests: 2,
    async run({ target, fixtures, ask, control }) {
      const { retailer, productId } = need(fixtures.product);
      const request = byId(retailer, productId);
      const succeeds = await control(request);
      const headers = keyIn(keyHeaders.plain, target.keys.primary ?? "");
      const exchange = await ask({ ...request, keyHeader: keyHeaders.bearer, headers });
      // The spec says "either", so a service may reject two headers, with 400 or 401.
      return hasStatus(exchange, [200, 400, 401], { condition: "both-headers" }, succeeds);
    },
  },
  refused(
    keyHeaders.plain.toLowerCase(),
    "An invalid key in X-Api-Key",
    (key) => keyIn(keyHeaders.plain, invalidKey(key)),
    () => keyIn(keyHeaders.plain, neverAKey),
  ),
  refused(
    "empty-bearer",
    "An empty or malformed bearer token",
    () => keyIn(keyHeaders.bearer, ""),
    () => keyIn(keyHeaders.bearer, neverAKey),
  ),
  refused("empty-x-api-key", "An empty X-Api-Key", () => keyIn(keyHeaders.plain, "")),
  refused(
    "key-with-a-tail",
    "A valid key with one character more",
    (key) => keyIn(keyHeaders.bearer, `${key}x`),
    (key) => keyIn(keyHeaders.plain, `${key}x`),
    (key) => keyIn(keyHeaders.bearer, `x${key}`),
  ),
  {
    id: "authentication.invalid-key/cut-key",
    title: "A valid key without its last characters, or with others in their place, returns 401",
    requests: 5,
    async run(context) {
      const { primary = "", sameOrg, otherOrg } = context.target.keys;
      const keys = keysThatBeginLike(primary, [primary, sameOrg, otherOrg]);
      if (keys.length === 0) return notApplicable({ code: "key-not-cut" });
      if (context.effort > 1) keys.push("%");
      const headers = keys.flatMap((key) => Object.values(keyHeaders).map((header) => keyIn(header, key)));
      return allRefused(context, headers);
    },
  },
  {
    id: "authentication.invalid-key/both-bad",
    title: "An invalid key in both headers returns 401",
    requests: 3,
    async run({ target, ask, control }) {
      const succeeds = await control(retailers());
      const inBoth = (key: string) => ({ ...keyIn(keyHeaders.bearer, key), ...keyIn(keyHeaders.plain, key) });
      const key = target.keys.primary ?? "";
      const headers = inBoth(invalidKey(key));
      const exchange = await ask({ ...retailers(), caller: "nobody", headers });
      const status = hasStatus(exchange, 401, { condition: "invalid-key" }, succeeds);
      if (exchange.response.status !== 400) return status;
      // A service may reject two headers before it looks at the key. It then rejects a valid key in both as well.
      const valid = await ask({ ...retailers(), keyHeader: keyHeaders.bearer, headers: inBoth(key) });
      return valid.response.status === 400
        ? passed({ code: "answered", actual: 400 }, exchange, valid)
        : status;
    },
  },
  ...entitlementChecks,
]);

/** Judges the request for the second page of a category, after the first one. A category with one page has none. */
async function onSecondPage(
  { fixtures, control }: CheckContext,
  judge: (request: Request, first: Exchange) => Promise<Outcome>,
): Promise<Outcome> {
  const { category } = need(fixtures.category);
  const first = await control(byCategory(category, { limit: "3" }));
  const cursor = nextCursor(first.response.json);
  if (cursor === undefined || cursor === "")
    return passed({ code: "walk-ended", subject: category, seen: { count: 1, of: "pages" } }, first);
  return await judge(byCategory(category, { limit: "3", cursor }), first);
}

/** The responses to a request with the key in Authorization and in X-Api-Key. Other checks may share the first one that is sent. */
async function withEitherHeader(
  request: Request,
  send: CheckContext["ask"],
): Promise<readonly [Exchange, Exchange]> {
  const { bearer, plain } = keyHeaders;
  const first = await send(request);
  return bearer in first.request.headers
    ? [first, await send({ ...request, keyHeader: plain })]
    : [await send({ ...request, keyHeader: bearer }), first];
}

function otherRetailersProducts({ fixtures }: CheckContext): Request[] {
  const known = need(fixtures.product);
  const others = fixtures.products.filter(({ retailer }) => retailer !== known.retailer);
  const firsts = new Map(others.toReversed().map((product) => [product.retailer, product]));
  return [...firsts.values()]
    .slice(0, retailersToCompare)
    .map(({ retailer, productId }) => byId(retailer, productId));
}

function refused(
  name: string,
  title: string,
  ...headerSets: readonly ((key: string) => Record<string, string>)[]
): Check {
  return {
    id: `authentication.invalid-key/${name}`,
    title: `${title} returns 401`,
    requests: 1 + headerSets.length,
    run: (context) =>
      allRefused(
        context,
        headerSets.map((headers) => headers(context.target.keys.primary ?? "")),
      ),
  };
}

/** Whether 401 is the response with each of these headers, none of which has a valid key. */
async function allRefused(
  { ask, control }: CheckContext,
  headerSets: readonly Record<string, string>[],
): Promise<Outcome> {
  const succeeds = await control(retailers());
  for (const headers of headerSets) {
    const exchange = await ask({ ...retailers(), caller: "nobody", headers });
    const status = hasStatus(exchange, 401, { condition: "invalid-key" }, succeeds);
    if (status.kind !== "pass") return status;
  }
  return passed({ code: "answered", endpoint: succeeds.endpoint, actual: 401 });
}
