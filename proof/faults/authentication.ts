import type { WireChange } from "../../service/wire.ts";
import {
  as,
  askAgain,
  hasBothKeys,
  hasKey,
  instead,
  isFor,
  keyOf,
  keyOnlyIn,
  onlyFor,
  onStatus,
  parameter,
  remembering,
  sentAs,
  type When,
} from "../changes/change.ts";
import { eachWay, type FaultTable } from "../changes/entry.ts";
import { entitledToLess } from "../changes/key-entitlement.ts";

const required = eachWay("authentication.required", ["second-page"]);
const invalid = eachWay("authentication.invalid-key", ["other-keys"]);
const equivalent = eachWay("authentication.equivalent", ["second-page"]);

const noKey: When = (request) => !hasKey(request);
const bearerOnly = keyOnlyIn("bearer");
const plainOnly = keyOnlyIn("plain");

const refusing = (when: When): WireChange => instead(when, as(401));

/** Requests rejected with 401 are repeated with the first key, and that response is returned. */
const accepting = (when: When): WireChange =>
  askAgain(401, (request, keys) => (when(request) ? sentAs("primary", request, keys) : undefined));

/** Rejected requests are accepted with a key that is like the first one. */
const acceptingPartly = (
  isLike: (sent: string, valid: string) => boolean,
  when: When = () => true,
): WireChange =>
  askAgain(401, (request, keys) => {
    const sent = keyOf(request);
    return when(request) && sent !== undefined && isLike(sent, keys.primary)
      ? sentAs("primary", request, keys)
      : undefined;
  });

/** Faults in the handling of keys. */
export const authenticationFaults = {
  "no-key-and-no-query-500": {
    does: "A query without parameters and without a key causes 500.",
    wire: onStatus(401, as(500), (one) => noKey(one) && one.path === "/v1/products" && one.query === ""),
    fails: ["authentication.required/malformed-query"],
    source: "gbif/registry#788",
  },
  "bearer-refused": {
    does: "Keys in Authorization are rejected; X-Api-Key works.",
    wire: refusing(bearerOnly),
    fails: ["authentication.bearer/accepted", ...equivalent],
  },
  "bearer-refused-at-times": {
    does: "One request in ten with its key in Authorization is rejected.",
    // One of ten instances does not know the key.
    wire: remembering(() => {
      let count = 0;
      return refusing((request) => bearerOnly(request) && ++count % 10 === 0);
    }),
    fails: ["authentication.bearer/every-request"],
  },
  "x-api-key-refused": {
    does: "Keys in X-Api-Key are rejected; Authorization works.",
    wire: refusing(plainOnly),
    fails: ["authentication.x-api-key/accepted", ...equivalent],
  },
  "x-api-key-refused-in-batch": {
    does: "A batch with its key in X-Api-Key is rejected.",
    wire: refusing((request) => plainOnly(request) && isFor("batch")(request)),
    fails: ["authentication.equivalent/batch"],
  },
  "both-headers-403": {
    does: "A request with the same key in both headers gets 403.",
    wire: onlyFor("primary", instead(hasBothKeys, as(403))),
    fails: ["authentication.equivalent/both-good"],
  },
  "x-api-key-entitled-to-less": {
    does: "With X-Api-Key, a key sees one retailer less than with Authorization.",
    wire: entitledToLess(plainOnly, (slugs) => slugs.slice(0, -1)),
    fails: ["authentication.equivalent/retailers"],
  },
  "missing-key-400": {
    does: "A request without a key gets 400 instead of 401.",
    wire: onStatus(401, as(400), noKey),
    fails: required,
  },
  "missing-key-accepted": {
    does: "Every endpoint responds without a key.",
    wire: accepting(noKey),
    fails: required,
  },
  "missing-key-accepted-for-cursors": {
    does: "Pages after the first need no key.",
    wire: accepting((request) => noKey(request) && parameter(request, "cursor") !== undefined),
    fails: ["authentication.required/second-page"],
  },
  "invalid-key-403": {
    does: "An invalid key gets 403 instead of 401.",
    wire: onStatus(401, as(403), hasKey),
    fails: invalid,
  },
  "invalid-key-accepted": { does: "Any key is accepted.", wire: accepting(hasKey), fails: invalid },
  "key-read-up-to-a-blank": {
    does: "A key with a blank and anything behind it is accepted.",
    wire: acceptingPartly((sent, valid) => sent.split(" ", 1)[0] === valid),
    fails: ["authentication.invalid-key/other-keys"],
    source: "langgenius/dify#41199",
  },
  "key-compared-but-for-its-end": {
    does: "The last four characters of a key are not compared.",
    wire: acceptingPartly(
      (sent, valid) => sent.length === valid.length && sent.slice(0, -4) === valid.slice(0, -4),
    ),
    fails: ["authentication.invalid-key/other-keys"],
  },
  "end-of-key-looked-up": {
    does: "A key with text in front of it is accepted.",
    wire: acceptingPartly((sent, valid) => sent.endsWith(valid)),
    fails: ["authentication.invalid-key/other-keys"],
  },
  "beginning-of-x-api-key-looked-up": {
    does: "A key with text behind it is accepted in X-Api-Key.",
    wire: acceptingPartly((sent, valid) => sent.startsWith(valid), plainOnly),
    fails: ["authentication.invalid-key/other-keys"],
  },
  "invalid-key-accepted-with-x-api-key": {
    does: "Any key is accepted in X-Api-Key.",
    wire: accepting(plainOnly),
    fails: ["authentication.invalid-key/other-keys"],
  },
  // The retailer list stays reachable: it shows that the key is valid and whose it is. A key refused everywhere may be inactive.
  "second-key-refused": {
    does: "A second key of the organization gets 403 everywhere except for the list of retailers.",
    wire: onlyFor(
      "sameOrg",
      instead((request) => !isFor("retailers")(request), as(403)),
    ),
    fails: [
      "service.organization-scope/by-id",
      "service.organization-scope/by-url",
      "service.organization-scope/by-gtin",
      "service.organization-scope/by-category",
      "service.organization-scope/batch",
    ],
  },
} satisfies FaultTable;
