import type { WireChange } from "../../service/wire.ts";
import { askAgain, byCursor, everySo, instead, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { eachWay, type FaultTable, foundBy } from "../changes/entry.ts";
import { entitledToAllBut, pagesForAll } from "../changes/key-entitlement.ts";
import { as, callerOf, keyOf, listOf, objectOf, sentAs, withJson, withNext } from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const invalid = eachWay("authentication.invalid-key", "other-keys");
const equivalent = eachWay("authentication.equivalent", "second-page");

const noKey = is.not(is.keyed);
const bearerOnly = is.keyedOnlyIn("bearer");
const plainOnly = is.keyedOnlyIn("plain");

const refusing = (when: is.When): WireChange => instead(when, as(401));

/** Requests rejected with 401 are repeated with the first key, and that response is returned. */
const accepting = (when: is.When): WireChange =>
  askAgain(401, (request, keys) => sentAs("primary", request, keys), when);

/** Rejected requests are accepted with a key that is like the first one. */
const acceptingLike = (isLike: (sent: string, valid: string) => boolean): WireChange =>
  accepting((request, keys) => isLike(keyOf(request) ?? "", keys.primary));

/** With keys of two organizations in the two headers, the list has the retailers of both. */
const listsOfBoth: WireChange = (send, keys) => async (request) => {
  const sent = Object.values(request.headers).join(" ");
  const isOfBoth = is.list(request) && sent.includes(keys.primary) && sent.includes(keys.otherOrg);
  if (!isOfBoth) return await send(request);
  const first = await send(sentAs("primary", request, keys));
  const second = await send(sentAs("otherOrg", request, keys));
  const entries = [first, second].flatMap((one) => listOf(objectOf(one)?.retailers));
  return withJson(first, { retailers: [...new Map(entries.map((entry) => [entry.slug, entry])).values()] });
};

/** Faults in the handling of keys, and in what a key may see. */
export const authenticationFaults: readonly FaultTable[] = [
  {
    "no-key-and-no-query-500": {
      does: "A query without parameters and without a key causes 500.",
      wire: on.status(
        401,
        as(500),
        is.all(noKey, ({ path, query }) => path === "/v1/products" && query === ""),
      ),
      fails: ["authentication.required/malformed-query"],
      source: "gbif/registry#788",
    },
    // One of ten instances does not know the key.
    "bearer-refused-at-times": {
      does: "One request in ten with its key in Authorization is rejected.",
      wire: everySo(10, refusing(bearerOnly), bearerOnly),
      fails: ["authentication.bearer/every-request"],
    },
    "x-api-key-refused-in-batch": {
      does: "A batch with its key in X-Api-Key is rejected.",
      wire: refusing(is.all(plainOnly, is.batch)),
      fails: ["authentication.equivalent/batch"],
    },
    "x-api-key-entitled-to-less": {
      does: "With X-Api-Key, a key sees one retailer less than with Authorization.",
      wire: where(plainOnly, entitledToAllBut("tinkerbox")),
      fails: ["authentication.equivalent/retailers"],
    },
    "walk-ends-in-one-header": {
      does: "With the key in X-Api-Key, every page is the last one.",
      wire: on.status(200, (page) => withNext(page, ""), is.all(plainOnly, is.sending("category"))),
      fails: ["authentication.equivalent/by-category", "authentication.equivalent/second-page"],
    },
    "missing-key-accepted-for-cursors": {
      does: "Pages after the first need no key.",
      wire: accepting(is.all(noKey, is.sending("cursor"))),
      fails: ["authentication.required/second-page"],
    },
    "key-in-any-case": {
      does: "A key is accepted in any case of letters.",
      wire: on.request((request, keys) => {
        const sent = keyOf(request)?.toLowerCase();
        const caller = (["primary", "sameOrg", "otherOrg"] as const).find(
          (one) => keys[one].toLowerCase() === sent,
        );
        return caller && sentAs(caller, request, keys);
      }),
      fails: ["authentication.exact-key/other-case"],
      source: "directus/v8-archive#1928",
    },
    "two-keys-see-both-lists": {
      does: "With keys of two organizations in the two headers, the list has the retailers of both.",
      wire: listsOfBoth,
      fails: ["authentication.entitlement/two-keys"],
    },
  },
  foundBy(["authentication.bearer/accepted", ...equivalent], {
    "bearer-refused": ["Keys in Authorization are rejected; X-Api-Key works.", refusing(bearerOnly)],
  }),
  foundBy(["authentication.x-api-key/accepted", ...equivalent], {
    "x-api-key-refused": ["Keys in X-Api-Key are rejected; Authorization works.", refusing(plainOnly)],
  }),
  foundBy("authentication.equivalent/both-good", {
    "both-headers-403": [
      "A request with the same key in both headers gets 403.",
      instead(is.all(is.of("primary"), is.keyedTwice), as(403)),
    ],
    "garbage-beside-the-key-500": [
      "A valid key in one header and an invalid one in the other cause 500.",
      on.status(401, as(500), is.keyedTwice),
    ],
  }),
  foundBy(eachWay("authentication.required", "second-page"), {
    "missing-key-400": ["A request without a key gets 400 instead of 401.", on.status(401, as(400), noKey)],
  }),
  foundBy(eachWay("authentication.required", "second-page", "other-paths"), {
    "missing-key-accepted": ["Every endpoint responds without a key.", accepting(noKey)],
  }),
  foundBy(invalid, {
    "invalid-key-403": ["An invalid key gets 403 instead of 401.", on.status(401, as(403), is.keyed)],
    "invalid-key-accepted": ["Any key is accepted.", accepting(is.keyed)],
  }),
  foundBy("authentication.invalid-key/other-keys", {
    "key-beyond-ascii-500": [
      "A key with a letter beyond ASCII causes 500.",
      instead(({ headers }) => /[^\0-\x7f]/.test(headers["x-api-key"] ?? ""), as(500)),
      "jundot/omlx#1717",
    ],
    "key-read-up-to-a-blank": [
      "A key with a blank and anything behind it is accepted.",
      acceptingLike((sent, valid) => sent.split(" ", 1)[0] === valid),
      "langgenius/dify#41199",
    ],
    "key-compared-but-for-its-end": [
      "The last four characters of a key are not compared.",
      acceptingLike((sent, valid) => sent.length === valid.length && sent.startsWith(valid.slice(0, -4))),
    ],
    "end-of-key-looked-up": [
      "A key with text in front of it is accepted.",
      acceptingLike((sent, valid) => sent.endsWith(valid)),
    ],
    "beginning-of-x-api-key-looked-up": [
      "A key with text behind it is accepted in X-Api-Key.",
      accepting(is.all(plainOnly, (request, keys) => keyOf(request)?.startsWith(keys.primary) === true)),
    ],
    "invalid-key-accepted-with-x-api-key": ["Any key is accepted in X-Api-Key.", accepting(plainOnly)],
  }),
  foundBy("authentication.entitlement/every-product", {
    "category-unfiltered": ["Category pages show products of all retailers.", pagesForAll(() => true)],
    "category-unfiltered-on-second-page": [
      "Pages after the first show products of all retailers.",
      pagesForAll(is.sending("cursor")),
    ],
    // A cursor carries the key of its walk: whoever sends it with any valid key continues that walk.
    "cursor-of-another-key-kept": [
      "A cursor continues the walk of the organization that it was given to.",
      byCursor(
        (request, _response, keys) => callerOf(request, keys) ?? "primary",
        (request, owner, keys) =>
          callerOf(request, keys) === undefined ? request : sentAs(owner, request, keys),
      ),
    ],
  }),
  // The retailer list shows that the key is valid and whose it is. One refused everywhere may be inactive.
  foundBy(
    [
      "service.organization-scope/by-id",
      "service.organization-scope/by-url",
      "service.organization-scope/by-gtin",
      "service.organization-scope/by-category",
      "service.organization-scope/batch",
    ],
    {
      "second-key-refused": [
        "A second key of the organization gets 403 everywhere except for the list of retailers.",
        instead(is.all(is.of("sameOrg"), is.not(is.list)), as(403)),
      ],
    },
  ),
];
