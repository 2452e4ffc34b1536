import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import { type Exchange, keyHeadersIn } from "../client/exchange.ts";
import { byCategory, byId, keyIn, query, type Request, retailers } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { invalidKey, keysThatBeginLike } from "../discovery/unknown-values.ts";
import { nextCursor, slugsIn } from "../response/readers.ts";
import type { CheckContext } from "./check/check.ts";
import { eachEndpoint, forbiddenProduct, inOtherCase, unknownProduct } from "./check/inputs.ts";
import { sameContent } from "./check/product-comparison.ts";
import { type ChangedRequest, type PairRow, type StatusRow, section } from "./check/rows.ts";
import { entitlementRows } from "./entitlement.ts";

// Not in the form of a key: a service may check the form first.
const neverAKey = "shelfcheck";

/** Spec, Authentication. Passive rules also judge that no response contains products that are not granted. */
export default section("authentication", [
  accepted("authentication.bearer", keyHeaders.bearer),
  accepted("authentication.x-api-key", keyHeaders.plain),
  ...onEveryEndpoint("required", "without a key", withoutKey),
  {
    id: "authentication.required/second-page",
    title: "The second page of a category without a key returns 401",
    bad: async (context) => (await secondPage(context)).map(withoutKey),
    expect: 401,
  },
  {
    id: "authentication.required/malformed-query",
    title: "A malformed query without a key returns 401 or 400",
    requests: 1,
    bad: () => withoutKey(query("other", {})),
    // Of two mistakes, either may be told.
    expect: [401, 400],
  },
  ...onEveryEndpoint("invalid-key", "with an invalid key", (request, context) =>
    withKey(keyIn(keyHeaders.bearer, invalidKey(keyOf(context))), request),
  ),
  ...eachEndpoint.map(({ ending, label, request }) =>
    equivalent(ending, `${label}: both headers get the same response`, (context) => [
      request(context),
      // Also a product of another retailer: a service may check access separately for each header.
      ...(ending === "by-id" ? otherRetailersProduct(context) : []),
    ]),
  ),
  equivalent("error", "An unknown product returns the same error with either header", async (context) => {
    const { retailer, productId } = await unknownProduct(context);
    return [byId(retailer, productId)];
  }),
  equivalent(
    "refusal",
    "A product of a retailer that is not granted returns the same error with either header",
    (context) => {
      const { product, refusedTo: caller } = forbiddenProduct(context);
      return [{ ...byId(product.retailer, product.productId), caller }];
    },
  ),
  equivalent("second-page", "The second page of a category is the same with either header", secondPage),
  equivalent(
    "second-key",
    "A second key of the organization gets the same status with either header",
    ({ fixtures }) => {
      need(fixtures.sameOrgKey);
      return [{ ...retailers(), caller: "sameOrg" }];
    },
  ),
  {
    id: "authentication.equivalent/both-good",
    title: "A valid key in both headers returns 200, 400 or 401",
    good: known,
    bad(context) {
      const headers = keyIn(keyHeaders.plain, keyOf(context));
      const request = { ...known(context), keyHeader: keyHeaders.bearer, headers };
      return { request, condition: "both-headers" };
    },
    // The spec says "either", so a service may reject two headers, with 400 or 401.
    expect: [200, 400, 401],
  },
  refused(keyHeaders.plain.toLowerCase(), "An invalid key in X-Api-Key", (key) =>
    keyIn(keyHeaders.plain, invalidKey(key)),
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
    "A valid key with one character more, before it or at its end,",
    (key) => keyIn(keyHeaders.bearer, `x${key}`),
    (key) => keyIn(keyHeaders.plain, `${key}x`),
  ),
  {
    id: "authentication.invalid-key/cut-key",
    title: "A valid key without its last characters, or with others in their place, returns 401",
    requests: 3,
    good: retailers,
    bad({ target, effort }) {
      const { primary = "", sameOrg, otherOrg } = target.keys;
      const keys = keysThatBeginLike(primary, [primary, sameOrg, otherOrg]);
      const all = keys.length > 0 && effort > 1 ? [...keys, "%"] : keys;
      const headers = Object.values(keyHeaders);
      return all.flatMap((key, at) => withKey(keyIn(headers[at % headers.length] ?? keyHeaders.plain, key)));
    },
    expect: 401,
    none: { code: "key-not-cut" },
  },
  {
    id: "authentication.invalid-key/both-bad",
    title: "An invalid key in both headers returns 401",
    requests: 3,
    good: retailers,
    async bad(context) {
      const inBoth = (key: string) => ({ ...keyIn(keyHeaders.bearer, key), ...keyIn(keyHeaders.plain, key) });
      const valid = { keyHeader: keyHeaders.bearer, headers: inBoth(keyOf(context)) };
      const { response } = await context.shared({ ...retailers(), ...valid });
      // A service may reject two headers before it looks at the key. It then rejects a valid key in both as well.
      const expect = response.status === 400 ? [400, 401] : 401;
      return { ...withKey(inBoth(invalidKey(keyOf(context)))), expect };
    },
    expect: 401,
  },
  {
    id: "authentication.exact-key/other-case",
    title: "A valid key in another case returns 401",
    good: retailers,
    bad(context) {
      const key = keyOf(context);
      const plain = key.replaceAll(/[^\p{L}\p{N}]/gu, "");
      // Hexadecimal digits mean the same in either case.
      if (inOtherCase(key) === key || /^[\da-f-]+$/i.test(key)) return [];
      const all = [inOtherCase(key), ...(context.effort > 1 && plain !== key ? [plain] : [])];
      return all.map((sent) => withKey(keyIn(keyHeaders.plain, sent)));
    },
    expect: 401,
    none: { code: "key-without-case" },
    // Which error it gets is judged with other keys. Where everybody is let in, the case of the key does not matter.
    unless: (exchange, { exchanges }) =>
      !isOpenToNobody(exchange) || exchanges.some((one) => isOpenToNobody(one) && !hasSameKey(one, exchange)),
  },
  besideTheKey(
    "authentication.equivalent/good-and-bad",
    "A valid key beside an invalid one gets the response of that key, 400 or 401",
    ["primary"],
    () => neverAKey,
  ),
  besideTheKey(
    "authentication.entitlement/two-keys",
    "The keys of two organizations together see no more than one of them",
    ["primary", "otherOrg"],
    ({ fixtures, target }) => {
      need(fixtures.otherOrgKey);
      return target.keys.otherOrg ?? "";
    },
  ),
  ...entitlementRows,
]);

function accepted(
  requirement: "authentication.bearer" | "authentication.x-api-key",
  keyHeader: KeyHeader,
): StatusRow {
  return {
    id: `${requirement}/accepted`,
    title: `A valid key in ${keyHeader} is accepted`,
    requests: 1,
    bad: () => ({ request: { ...retailers(), keyHeader }, condition: "good-key", subject: keyHeader }),
    expect: 200,
  };
}

function onEveryEndpoint(
  requirement: "required" | "invalid-key",
  how: string,
  changed: (request: Request, context: CheckContext) => ChangedRequest,
): StatusRow[] {
  return eachEndpoint.map(({ ending, label, request }) => ({
    id: `authentication.${requirement}/${ending}`,
    title: `${label}: a request ${how} returns 401`,
    good: request,
    bad: (context) => changed(request(context), context),
    expect: 401,
  }));
}

function keyOf({ target }: CheckContext): string {
  return target.keys.primary ?? "";
}

function known({ fixtures }: CheckContext): Request {
  const { retailer, productId } = need(fixtures.product);
  return byId(retailer, productId);
}

function withoutKey(request: Request): ChangedRequest {
  return { request: { ...request, caller: "nobody" }, condition: "no-key" };
}

/** A request with an invalid key in these headers. */
function withKey(headers: Readonly<Record<string, string>>, request = retailers()): ChangedRequest {
  const sent = { ...request, caller: "nobody", headers: { ...request.headers, ...headers } } as const;
  return { request: sent, condition: "invalid-key" };
}

function refused(
  name: string,
  title: string,
  ...headerSets: readonly ((key: string) => Record<string, string>)[]
): StatusRow {
  return {
    id: `authentication.invalid-key/${name}`,
    title: `${title} returns 401`,
    requests: 1 + headerSets.length,
    good: retailers,
    bad: (context) => headerSets.map((headers) => withKey(headers(keyOf(context)))),
    expect: 401,
  };
}

function isOpenToNobody({ caller, endpoint, response }: Exchange): boolean {
  return caller === "nobody" && endpoint === "retailers" && response.status === 200;
}

function hasSameKey(one: Exchange, other: Exchange): boolean {
  return Object.values(keyHeaders).every((name) => one.request.headers[name] === other.request.headers[name]);
}

/** The key with another one in the other header. The response must be that of one of the two, 400 or 401. */
function besideTheKey(
  id: StatusRow["id"],
  title: string,
  callers: readonly ("primary" | "otherOrg")[],
  other: (context: CheckContext) => string,
): StatusRow {
  return {
    id,
    title,
    requests: 3,
    good: retailers,
    bad(context) {
      const headers = keyIn(keyHeaders.plain, other(context));
      const both = { ...retailers(), keyHeader: keyHeaders.bearer, headers, endpoint: "other" } as const;
      return { request: both, condition: "both-headers" };
    },
    expect: [200, 400, 401],
    async unfit(exchange, context) {
      const seen = new Set(slugsIn(exchange.response.json));
      let more = seen;
      for (const caller of callers) {
        const list = new Set(slugsIn((await context.shared({ ...retailers(), caller })).response.json));
        if (seen.isSubsetOf(list)) return undefined;
        more = more.difference(list);
      }
      const subject = [...more, ...seen][0] ?? "";
      return { code: "retailer-of-other-organization", subject, path: "/retailers" };
    },
  };
}

/** The second page of a category; none of a category with one page. */
async function secondPage({ fixtures, control }: CheckContext): Promise<Request[]> {
  const { category } = need(fixtures.category);
  const first = await control(byCategory(category, { limit: "3" }));
  const cursor = nextCursor(first.response.json);
  return cursor === undefined || cursor === "" ? [] : [byCategory(category, { limit: "3", cursor })];
}

/** Requests with the key in the header that the run uses, whose responses other checks share, and in the other one. */
function equivalent(
  name: string,
  title: string,
  requests: (context: CheckContext) => readonly Request[] | Promise<readonly Request[]>,
): PairRow {
  return {
    id: `authentication.equivalent/${name}`,
    title,
    async ways(context) {
      const pairs: (readonly [Request, Request])[] = [];
      for (const request of await requests(context)) {
        const used = keyHeadersIn(await context.shared(request));
        const keyHeader = used.includes(keyHeaders.bearer) ? keyHeaders.plain : keyHeaders.bearer;
        pairs.push([request, { ...request, keyHeader }]);
      }
      return pairs;
    },
    view: sameContent("either-header"),
  };
}

function otherRetailersProduct({ fixtures }: CheckContext): Request[] {
  const { retailer: first } = need(fixtures.product);
  const other = fixtures.products.find(({ retailer }) => retailer !== first);
  return other === undefined ? [] : [byId(other.retailer, other.productId)];
}
