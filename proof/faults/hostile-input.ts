import type { WireChange, WireRequest } from "../../service/wire.ts";
import {
  errorResponse,
  isFor,
  itemsOf,
  onResponse,
  parameter,
  parsed,
  type When,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";

// Modelled on incidents: a database or a framework that fails on odd input.

const chokingOn = (when: When, status = 500): WireChange =>
  onResponse((response, request) =>
    when(request) && response.status !== 401 && response.status !== 429 ? errorResponse(status) : undefined,
  );

/** Whether the path, the query or the body matches. */
const anywhere =
  (pattern: RegExp): When =>
  ({ path, query, body }) =>
    [path, query, body.toString()].some((text) => pattern.test(text));

const byId = isFor("lookup-by-id");
const isBatch = isFor("batch");
const lastSegment = ({ path }: WireRequest) => path.split("/").at(-1) ?? "";

const hostile = (name: string) => `errors.hostile-input/${name}` as const;

/** The service fails on unusual but legal input. */
export const hostileInputFaults = {
  "nul-500": {
    does: "A NUL character anywhere in a request causes 500.",
    wire: chokingOn(anywhere(/%00|\\u0000/)),
    fails: [hostile("product-id"), hostile("url"), hostile("category"), hostile("cursor")],
  },
  "nul-in-slug-500": {
    does: "A NUL character in the slug of a path causes 500.",
    wire: chokingOn((request) => byId(request) && /\/products\/[^/]*%00/.test(request.path)),
    fails: [hostile("slug")],
  },
  "nul-in-scope-500": {
    does: "A NUL character in the parameter `retailer` causes 500.",
    wire: chokingOn((request) => parameter(request, "retailer")?.includes("\0") === true),
    fails: [hostile("scope")],
  },
  "invalid-utf8-500": {
    does: "Bytes that are not UTF-8 cause 500.",
    wire: chokingOn(anywhere(/%C3%28/i)),
    fails: [hostile("product-id"), hostile("category")],
  },
  "long-id-500": {
    does: "A product id of more than 2,000 characters causes 500.",
    wire: chokingOn((request) => byId(request) && lastSegment(request).length > 2000),
    fails: [hostile("product-id")],
  },
  "long-gtin-500": {
    does: "A `gtin` of more than 1,000 characters causes 500.",
    wire: chokingOn((request) => (parameter(request, "gtin")?.length ?? 0) > 1000),
    fails: [hostile("gtin")],
  },
  "limit-overflow-500": {
    does: "A `limit` beyond 32 bits causes 500.",
    wire: chokingOn((request) => Number(parameter(request, "limit")) > 2 ** 31 - 1),
    fails: [hostile("limit")],
  },
  "empty-cursor-500": {
    does: "An empty `cursor` causes 500.",
    wire: chokingOn((request) => parameter(request, "cursor") === ""),
    fails: [hostile("cursor")],
    source: "ChilliCream/graphql-platform#8240",
  },
  "four-byte-character-500": {
    does: "A character of four bytes, such as an emoji, causes 500.",
    wire: chokingOn(anywhere(/%F0%9F|\u{1F600}/iu)),
    fails: [hostile("category"), hostile("product-id")],
  },
  "surrogate-500": {
    does: "Half of a surrogate pair in a batch causes 500.",
    wire: chokingOn(anywhere(/\\ud800/i)),
    fails: [hostile("batch-items")],
  },
  "repeated-parameter-500": {
    does: "A parameter that is given twice causes 500.",
    wire: chokingOn(({ query }) => {
      const names = [...new URLSearchParams(query).keys()];
      return new Set(names).size < names.length;
    }),
    fails: [hostile("queries")],
  },
  "null-item-500": {
    does: "A null item in a batch causes 500.",
    wire: chokingOn((request) => isBatch(request) && itemsOf(request).includes(null)),
    fails: [hostile("batch-bodies")],
  },
  "text-in-nested-list-500": {
    does: "A text in a list in the list of items causes 500.",
    wire: chokingOn(
      (request) =>
        isBatch(request) &&
        itemsOf(request).some((item) => Array.isArray(item) && typeof item[0] === "string"),
    ),
    fails: [hostile("drawn")],
  },
  "deep-nesting-closes": {
    does: "A deeply nested batch body closes the connection without a response.",
    wire: (send) => async (request) => {
      // An error closes the connection without a response, like a process that crashed.
      if (isBatch(request) && request.body.includes("[[[[[[[[[[[[")) throw new Error("died");
      return await send(request);
    },
    fails: [hostile("batch-bodies")],
  },
  "empty-body-500": {
    does: "A batch body that is empty or not JSON causes 500.",
    wire: chokingOn((request) => isBatch(request) && parsed(request.body) === undefined),
    fails: [hostile("batch-bodies"), "batch.malformed/bad-body"],
  },
} satisfies FaultTable;
