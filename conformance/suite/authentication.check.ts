import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import { keyHeadersIn } from "../client/exchange.ts";
import { byCategory, inOtherCase, keyIn, query, type Request, retailers } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { invalidKey, keysThatBeginLike } from "../discovery/unknown-values.ts";
import { nextCursor, slugsIn } from "../response/readers.ts";
import type { CheckContext } from "./check/check.ts";
import { eachEndpoint } from "./check/inputs.ts";
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
    requests: 2,
    bad: async (context) => (await secondPage(context)).map(withoutKey),
    expect: 401,
  },
  {
    id: "authentication.required/malformed-query",
    title: "A query without parameters and without a key returns 401 or 400",
    bad: () => withoutKey(query("other", {})),
    // Of two mistakes, either may be told.
    expect: [401, 400],
  },
  {
    id: "authentication.required/other-paths",
    title:
      "Without a key, other spellings of the path of retailers and HEAD do not return 200, also as from inside",
    requests: 5,
    good: retailers,
    bad() {
      // From inside, or for a page in a browser, a key is required as well.
      const headers = { "x-forwarded-for": "127.0.0.1", origin: "http://localhost" };
      const list = { ...retailers(), endpoint: "other", headers } as const;
      // Not with two slashes: firewalls of frameworks refuse them with a page of their own.
      const paths = [`${list.path}/`, `${list.path};x`, list.path.replace("r", "%72")];
      const requests = [...paths.map((path) => ({ ...list, path })), { ...list, method: "HEAD" }];
      return requests.map((request) => ({ ...withoutKey(request), expect: "any" }));
    },
    expect: 401,
    // Such a path may be unknown or redirected, and HEAD not allowed.
    unfit: ({ response: { status: actual } }) =>
      actual === 200 ? { code: "wrong-status", condition: "no-key", expected: [401], actual } : undefined,
  },
  ...onEveryEndpoint("invalid-key", "with an invalid key", (request, context) =>
    withKey(keyIn(keyHeaders.bearer, invalidKey(keyOf(context))), request),
  ),
  ...eachEndpoint.map(({ ending, label, request }) =>
    equivalent(ending, `${label}: both headers get the same status, products and retailers`, (context) => [
      request(context),
    ]),
  ),
  equivalent(
    "second-page",
    "The second page of a category has the same products with either header",
    secondPage,
    3,
  ),
  {
    id: "authentication.equivalent/both-good",
    title: "A valid key in both headers, or beside an invalid one, returns 200, 400 or 401",
    requests: 3,
    good: retailers,
    bad: (context) => [keyOf(context), neverAKey].map((key) => inBothHeaders(keyIn(keyHeaders.plain, key))),
    // The spec says "either", so a service may reject two headers, with 400 or 401.
    expect: [200, 400, 401],
  },
  {
    id: "authentication.invalid-key/other-keys",
    title: "An empty, made-up or almost valid key returns 401; an odd one, or one in each header, 401 or 400",
    requests: 17,
    good: retailers,
    bad(context) {
      const [key, invalid] = [keyOf(context), invalidKey(keyOf(context))];
      const [bearer, plain] = [keyHeaders.bearer, keyHeaders.plain];
      const { sameOrg, otherOrg } = context.target.keys;
      const cut = keysThatBeginLike(key, [key, sameOrg, otherOrg]);
      return [
        withKey(keyIn(plain, invalid)),
        withKey(keyIn(bearer, "")),
        withKey(keyIn(plain, "")),
        withKey(keyIn(bearer, "null")),
        withKey(keyIn(bearer, `x${key}`)),
        withKey(keyIn(plain, `${key}x`)),
        withKey(keyIn(plain, `${key} x`)),
        withKey(keyIn(plain, `${key},${neverAKey}`)),
        // A comparison of texts may throw beyond ASCII, a column end at 255 characters, % be a wildcard, and
        // every object of JavaScript have a constructor.
        ...["shelfch\u00e9ck", "x".repeat(300), "%", "constructor"].map((one) => ({
          ...withKey(keyIn(plain, one)),
          expect: [400, 401] as const,
        })),
        // Malformed credentials may get 400 (RFC 6750, 3.1).
        { ...withKey(keyIn(bearer, `${key} x`)), expect: [400, 401] },
        ...cut.map((one, at) => withKey(keyIn(at % 2 === 0 ? bearer : plain, one))),
        // A service may reject two headers before it looks at the key.
        { ...withKey({ ...keyIn(bearer, invalid), ...keyIn(plain, invalid) }), expect: [400, 401] },
      ];
    },
    expect: 401,
  },
  {
    id: "authentication.exact-key/other-case",
    title: "A valid key in another case does not return 200",
    good: retailers,
    bad(context) {
      const key = keyOf(context);
      // Hexadecimal digits mean the same in either case.
      if (inOtherCase(key) === key || /^[\da-f-]+$/i.test(key)) return [];
      return { ...withKey(keyIn(keyHeaders.plain, inOtherCase(key))), condition: "key-in-other-case" };
    },
    expect: 401,
    none: { code: "key-without-case" },
    // Which error it gets is judged with other keys.
    unless: ({ response }) => response.status !== 200,
  },
  {
    id: "authentication.entitlement/two-keys",
    title: "The keys of two organizations together get no more retailers than one of them",
    requests: 3,
    good: retailers,
    bad({ fixtures, target }) {
      need(fixtures.otherOrgKey);
      return inBothHeaders(keyIn(keyHeaders.plain, target.keys.otherOrg ?? ""));
    },
    // Both are valid, and neither is entitled to what the other is (spec, Errors).
    expect: [200, 400, 401, 403],
    async unfit(exchange, context, { condition }) {
      const seen = new Set(slugsIn(exchange.response.json));
      let more = seen;
      for (const caller of ["primary", "otherOrg"] as const) {
        const list = new Set(slugsIn((await context.shared({ ...retailers(), caller })).response.json));
        if (seen.isSubsetOf(list)) return undefined;
        more = more.difference(list);
      }
      const subject = [...more, ...seen][0] ?? "";
      return { code: "retailer-of-other-organization", condition, subject, path: "/retailers" };
    },
  },
  ...entitlementRows,
]);

function accepted(
  requirement: "authentication.bearer" | "authentication.x-api-key",
  keyHeader: KeyHeader,
): StatusRow {
  return {
    id: `${requirement}/accepted`,
    title: `A valid key in ${keyHeader} is accepted`,
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

function withoutKey(request: Request): ChangedRequest {
  return { request: { ...request, caller: "nobody" }, condition: "no-key" };
}

/** A request with an invalid key in these headers. */
function withKey(headers: Readonly<Record<string, string>>, request = retailers()): ChangedRequest {
  const sent = { ...request, caller: "nobody", headers: { ...request.headers, ...headers } } as const;
  return { request: sent, condition: "invalid-key" };
}

/** The list of retailers with the key in Authorization, and this one in the other header. */
function inBothHeaders(headers: Readonly<Record<string, string>>): ChangedRequest {
  const request = { ...retailers(), keyHeader: keyHeaders.bearer, headers, endpoint: "other" } as const;
  return { request, condition: "both-headers" };
}

/** The second page of a category; none of a category with one page. */
async function secondPage({ fixtures, control }: CheckContext): Promise<Request[]> {
  const { category } = need(fixtures.category);
  const first = await control(byCategory(category, { limit: "3" }));
  const cursor = nextCursor(first.response.json);
  return cursor === undefined || cursor === "" ? [] : [byCategory(category, { limit: "3", cursor })];
}

/** With the key in each header; responses to the header that the run uses are shared with other checks. */
function equivalent(
  name: string,
  title: string,
  first: (context: CheckContext) => readonly Request[] | Promise<readonly Request[]>,
  requests = 2,
): PairRow {
  return {
    id: `authentication.equivalent/${name}`,
    title,
    requests,
    async ways(context) {
      const pairs: (readonly [Request, Request])[] = [];
      for (const request of await first(context)) {
        const usesBearer = keyHeadersIn(await context.shared(request)).includes(keyHeaders.bearer);
        pairs.push([
          usesBearer ? request : { ...request, keyHeader: keyHeaders.bearer },
          usesBearer ? { ...request, keyHeader: keyHeaders.plain } : request,
        ]);
      }
      return pairs;
    },
    view: sameContent("either-header"),
  };
}
