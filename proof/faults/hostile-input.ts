import type { WireRequest } from "../../service/wire.ts";
import { instead } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { type FaultTable, foundBy } from "../changes/entry.ts";
import { as, itemsOf } from "../changes/messages.ts";

// Modelled on incidents: a database or a framework that fails on unusual but legal input.

const hostile = (name: string) => `errors.hostile-input/${name}` as const;

/** Requests that match get 500. */
const failing = (when: is.When) => instead(when, as(500));

/** Whether the path, the query or the body matches. */
const anywhere =
  (pattern: RegExp): is.When =>
  ({ path, query, body }) =>
    [path, query, body.toString()].some((text) => pattern.test(text));

const hasRepeatedParameter = ({ query }: WireRequest): boolean => {
  const names = [...new URLSearchParams(query).keys()];
  return new Set(names).size < names.length;
};

export const hostileInputFaults: readonly FaultTable[] = [
  {
    "nul-in-slug-500": {
      does: "A NUL character in the slug of a path causes 500.",
      wire: failing(({ path }) => /\/products\/[^/]*%00[^/]*\//.test(path)),
      fails: [hostile("slug")],
    },
    "nul-in-scope-500": {
      does: "A NUL character in the parameter `retailer` causes 500.",
      wire: failing(is.sending("retailer", /\0/)),
      fails: [hostile("scope")],
    },
    "malformed-escape-500": {
      does: "A percent sign without two hexadecimal digits in the path or query causes 500.",
      wire: failing(({ path, query }) => /%(?![\da-f]{2})/i.test(path + query)),
      fails: [hostile("product-id"), hostile("queries")],
      source: "mozilla/addons#13958",
    },
    "long-id-500": {
      does: "A product id of more than 2,000 characters causes 500.",
      wire: failing(is.all(is.byId, ({ path }) => (path.split("/").at(-1) ?? "").length > 2000)),
      fails: [hostile("product-id")],
    },
    "empty-cursor-500": {
      does: "An empty `cursor` causes 500.",
      wire: failing(is.sending("cursor", /^$/)),
      fails: [hostile("cursor")],
      source: "ChilliCream/graphql-platform#8240",
    },
    "text-in-nested-list-500": {
      does: "A text in a list in the list of items causes 500.",
      wire: failing(
        is.all(is.batch, (request) =>
          itemsOf(request).some((item) => Array.isArray(item) && typeof item[0] === "string"),
        ),
      ),
      fails: [hostile("drawn")],
    },
  },
  foundBy([hostile("product-id"), hostile("url"), hostile("category"), hostile("cursor")], {
    "nul-500": ["A NUL character anywhere in a request causes 500.", failing(anywhere(/%00|\\u0000/))],
  }),
  foundBy([hostile("slug"), hostile("batch-items")], {
    "prototype-500": [
      "The name `__proto__` causes 500.",
      failing(anywhere(/__proto__/)),
      "jshttp/statuses#21",
    ],
  }),
  foundBy([hostile("product-id"), hostile("category")], {
    "invalid-utf8-500": ["Bytes that are not UTF-8 cause 500.", failing(anywhere(/%C3%28/i))],
    "four-byte-character-500": [
      "A character of four bytes, such as an emoji, causes 500.",
      failing(anywhere(/%F0%9F|\u{1F600}/iu)),
    ],
  }),
  foundBy(hostile("gtin"), {
    "long-gtin-500": [
      "A `gtin` of over 1,000 characters causes 500.",
      failing(is.sending("gtin", /.{1001}/s)),
    ],
  }),
  foundBy(hostile("limit"), {
    "limit-overflow-500": ["A `limit` beyond 32 bits causes 500.", failing(is.sending("limit", /^\d{10}/))],
  }),
  {
    "large-limit-500": {
      does: "A `limit` of more than 10,000 causes 500.",
      wire: failing(is.sending("limit", /^\d{5,9}$/)),
      fails: [hostile("limit")],
      source: "elastic/elasticsearch#26799",
    },
    "quotes-500": {
      does: "A quote beside neither a slash nor a backslash causes 500.",
      wire: failing(is.all(is.byId, ({ path }) => /%2[27]/.test(path) && !/%2f|%5c/i.test(path))),
      fails: [hostile("product-id")],
      source: "usnistgov/ACVP#921",
    },
    "method-500": {
      does: "A method that an endpoint does not have causes 500.",
      wire: failing(({ method, path }) => method !== (path.endsWith("/batch-lookup") ? "POST" : "GET")),
      fails: [hostile("methods")],
      source: "aws/chalice#159",
    },
  },
  foundBy(hostile("queries"), {
    "repeated-parameter-500": ["A parameter that is given twice causes 500.", failing(hasRepeatedParameter)],
  }),
  foundBy(hostile("batch-items"), {
    "surrogate-500": ["Half of a surrogate pair in a batch causes 500.", failing(anywhere(/\\ud800/i))],
  }),
  foundBy(hostile("batch-bodies"), {
    "null-item-500": [
      "A null item in a batch causes 500.",
      failing(is.all(is.batch, (request) => itemsOf(request).includes(null))),
    ],
    "deep-nesting-closes": [
      "A deeply nested batch body closes the connection without a response.",
      // An error closes the connection without a response, like a process that crashed.
      instead(
        is.all(is.batch, ({ body }) => body.includes("[[[[[[[[[[[[")),
        () => {
          throw new Error("died");
        },
      ),
    ],
  }),
];
