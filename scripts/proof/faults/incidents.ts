import { setImmediate } from "node:timers/promises";
import type { WireChange, WireRequest, WireResponse } from "../../../service/wire.ts";
import {
  as,
  errorResponse,
  isFor,
  itemsOf,
  type Json,
  listOf,
  objectIn,
  objectOf,
  onBatchErrors,
  onBody,
  onProducts,
  onRequest,
  onResponse,
  parameter,
  parsed,
  remembering,
  type When,
  withJson,
  without,
  withParameters,
} from "../change.ts";
import type { FaultTable, MayFail } from "../fault.ts";

// Modelled on incidents of such services: a database that fails on odd input, a cache with an incomplete key, a
// framework that changes characters, failures reported as something else.

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
    wire: chokingOn(anywhere(/%00|\\u0000/)),
    fails: [hostile("product-id"), hostile("url"), hostile("category"), hostile("cursor")],
  },
  "nul-in-batch-500": {
    wire: chokingOn((request) => isBatch(request) && anywhere(/\\u0000/)(request)),
    fails: [hostile("batch-items")],
  },
  "nul-in-slug-500": {
    wire: chokingOn((request) => byId(request) && /\/products\/[^/]*%00/.test(request.path)),
    fails: [hostile("slug")],
  },
  "nul-in-scope-500": {
    wire: chokingOn((request) => parameter(request, "retailer")?.includes("\0") === true),
    fails: [hostile("scope")],
  },
  "invalid-utf8-500": {
    wire: chokingOn(anywhere(/%C3%28/i)),
    fails: [hostile("product-id"), hostile("gtin")],
  },
  "long-id-500": {
    wire: chokingOn((request) => byId(request) && lastSegment(request).length > 2000),
    fails: [hostile("product-id")],
  },
  "no-url-500": {
    wire: chokingOn((request) => /^[^/]+$/.test(parameter(request, "url") ?? "/")),
    fails: [hostile("url")],
  },
  "long-gtin-500": {
    wire: chokingOn((request) => (parameter(request, "gtin")?.length ?? 0) > 1000),
    fails: [hostile("gtin")],
  },
  "limit-overflow-500": {
    wire: chokingOn((request) => Number(parameter(request, "limit")) > 2 ** 31 - 1),
    fails: [hostile("limit")],
  },
  "four-byte-character-500": {
    wire: chokingOn(anywhere(/%F0%9F|\u{1F600}/iu)),
    fails: [hostile("category"), hostile("product-id")],
    mayFail: {
      "by-id.product": "a product may have such an identifier",
      "batch.lookup": "a product may have such an identifier",
      "batch.size": "a product may have such an identifier",
      "batch.over-size": "a product may have such an identifier",
    },
  },
  "surrogate-500": {
    wire: chokingOn(anywhere(/\\ud800/i)),
    fails: [hostile("batch-items")],
  },
  "repeated-parameter-500": {
    wire: chokingOn(({ query }) => {
      const names = [...new URLSearchParams(query).keys()];
      return new Set(names).size < names.length;
    }),
    fails: [hostile("queries")],
  },
  "null-item-500": {
    wire: chokingOn((request) => isBatch(request) && itemsOf(request).includes(null)),
    fails: [hostile("batch-bodies")],
  },
  "number-id-500": {
    wire: chokingOn((request) => isBatch(request) && /"product_id":\s*[\d{[]/.test(request.body.toString())),
    fails: [hostile("batch-bodies")],
  },
  "text-in-nested-list-500": {
    wire: chokingOn(
      (request) =>
        isBatch(request) &&
        itemsOf(request).some((item) => Array.isArray(item) && typeof item[0] === "string"),
    ),
    fails: [hostile("drawn")],
  },
  "deep-nesting-closes": {
    wire: (send) => async (request) => {
      // An error closes the connection without a response, like a process that crashed.
      if (isBatch(request) && request.body.includes("[[[[[[[[[[[[")) throw new Error("died");
      return await send(request);
    },
    fails: [hostile("batch-bodies")],
  },
  "empty-body-500": {
    wire: chokingOn((request) => isBatch(request) && parsed(request.body) === undefined),
    fails: [hostile("batch-bodies"), "batch.malformed/not-json"],
  },
} satisfies FaultTable;

/** A cache; `keyOf` returns its key for a request, or undefined to bypass it. */
const cached = (
  keyOf: (request: WireRequest) => string | undefined,
  isKept: (response: WireResponse) => boolean,
): WireChange =>
  remembering(() => {
    const kept = new Map<string, WireResponse>();
    return (send) => async (request) => {
      const key = keyOf(request);
      const known = key === undefined ? undefined : kept.get(key);
      if (known !== undefined) return known;
      const response = await send(request);
      if (key !== undefined && isKept(response)) kept.set(key, response);
      return response;
    };
  });

/** A change that takes effect only after a number of matching requests. */
const late = (requests: number, when: When, change: WireChange): WireChange =>
  remembering(() => {
    let count = 0;
    return (send, keys) => {
      const changed = change(send, keys);
      return (request) => (when(request) && ++count > requests ? changed(request) : send(request));
    };
  });

const ok = ({ status }: WireResponse) => status === 200;
const byUrlAndGtin: When = (request) => isFor("lookup-by-url")(request) || isFor("lookup-by-gtin")(request);
const wholeUrl = ({ path, query }: WireRequest) => `${path}?${query}`;
const otherKeys: MayFail = {
  "authentication.entitlement": "what one organization was given, the other gets from the cache",
  "authentication.required": "what a key was given, everybody gets from the cache",
  "authentication.invalid-key": "what a key was given, everybody gets from the cache",
  "authentication.equivalent": "every key gets the first response",
  "service.organization-scope": "every key gets the first response",
  "by-id.unentitled-slug": "what one organization was given, the other gets from the cache",
  "errors.unentitled-retailer": "what one organization was given, the other gets from the cache",
  "retailers.scope": "the list of one organization is given to the other",
  "query.paging": "the page of one organization is given to the other",
  "retailer.slug": "the list of one organization is given to the other",
  "errors.false-not-found": "what was refused stays in the cache",
  "errors.forbidden": "what is refused is given from the cache",
  "errors.unauthorized": "what is refused is given from the cache",
};
const own = (name: string) => `service.own-response/${name}` as const;

/** Replaces every n-th matching response. */
const everySo = (
  often: number,
  when: (response: WireResponse, request: WireRequest) => boolean,
  replace: (response: WireResponse) => WireResponse,
): WireChange =>
  remembering(() => {
    let count = 0;
    return onResponse((response, request) =>
      when(response, request) && ++count % often === 0 ? replace(response) : undefined,
    );
  });

const missingNowAndThen: MayFail = {
  "by-id.product": "a product that is there is not found",
  "service.four-ways": "a product that is there is not found",
  "service.own-response": "a product that is there is not found",
  "query.url": "a product that is there is not found",
  "query.gtin": "a product that is there is not found",
  "query.gtin-match": "a product that is there is not found",
  "authentication.equivalent": "one of two equal requests finds nothing",
  "service.organization-scope": "one of two equal requests finds nothing",
  "batch.lookup": "a product that is there is missing",
  "batch.size": "a product that is there is missing",
  "query.paging": "a page that is there is empty",
  "page.last-cursor": "a page that is there is empty",
  "query.category": "a page that is there is empty",
};

/** Caches whose key is incomplete, and responses that belong to another request. */
export const crossedResponseFaults = {
  "cache-without-key-by-id": {
    wire: cached((request) => (byId(request) ? wholeUrl(request) : undefined), ok),
    fails: [own("in-turn-by-id")],
    mayFail: otherKeys,
  },
  "cache-without-key-by-query": {
    wire: cached((request) => (byUrlAndGtin(request) ? wholeUrl(request) : undefined), ok),
    fails: [own("in-turn-by-url"), own("in-turn-by-gtin"), own("in-turn-by-gtin-unscoped")],
    mayFail: otherKeys,
  },
  "cache-without-key-of-pages": {
    wire: cached((request) => (isFor("category-page")(request) ? wholeUrl(request) : undefined), ok),
    fails: [own("in-turn-by-category")],
    mayFail: otherKeys,
  },
  "cache-without-key-of-retailers": {
    // It starts late, so that discovery still sees the correct lists.
    wire: late(
      12,
      isFor("retailers"),
      cached((request) => (isFor("retailers")(request) ? request.path : undefined), ok),
    ),
    fails: [own("in-turn-retailers")],
    mayFail: otherKeys,
  },
  "cache-without-key-of-batches": {
    wire: cached((request) => (isBatch(request) ? request.body.toString() : undefined), ok),
    fails: [own("in-turn-batch")],
    mayFail: otherKeys,
  },
  "cache-of-refusals": {
    wire: cached(
      (request) => (byId(request) ? wholeUrl(request) : undefined),
      ({ status }) => status === 401,
    ),
    fails: [own("after-refusal")],
    mayFail: { ...otherKeys, "by-id.product": "what was refused stays in the cache" },
  },
  "cache-without-case": {
    wire: cached(
      (request) => (byId(request) ? request.path.toLowerCase() : undefined),
      ({ status }) => status === 404,
    ),
    fails: [own("after-refusal")],
    mayFail: { "errors.false-not-found": "what was missing in another case stays in the cache" },
  },
  "cache-without-query-of-gtin": {
    wire: cached(
      (request) => (isFor("lookup-by-gtin")(request) ? parameter(request, "gtin") : undefined),
      ({ status }) => status === 404,
    ),
    fails: [own("after-refusal")],
    mayFail: {
      "errors.false-not-found": "what was missing elsewhere stays in the cache",
      "query.gtin-mismatch": "what was missing elsewhere stays in the cache",
      "query.gtin-match": "what was missing elsewhere stays in the cache",
      "query.gtin": "what was missing elsewhere stays in the cache",
      "service.four-ways": "what was missing elsewhere stays in the cache",
      "errors.unknown-retailer": "what was missing elsewhere stays in the cache",
      "errors.unentitled-retailer": "what was missing elsewhere stays in the cache",
      "authentication.equivalent": "what was missing elsewhere stays in the cache",
      "service.organization-scope": "what was missing elsewhere stays in the cache",
    },
  },
  "responses-crossed": {
    // While four or more lookups by id are in progress, each gets the product of the previous one.
    wire: remembering(() => {
      let underWay = 0;
      let before: WireRequest | undefined;
      return (send) => async (request) => {
        if (!byId(request)) return await send(request);
        const crossed = underWay >= 4 ? before : undefined;
        before = request;
        underWay++;
        try {
          await setImmediate();
          const response = await send(request);
          if (crossed === undefined || response.status !== 200) return response;
          const other = await send({ ...crossed, headers: request.headers });
          return other.status === 200 ? other : response;
        } finally {
          underWay--;
        }
      };
    }),
    fails: [own("at-once")],
    mayFail: { "by-id.product": "another product than the requested one" },
  },
} satisfies FaultTable;

/** Failures of the upstream catalog that are reported as a missing product. */
export const swallowedFailureFaults = {
  "failure-told-as-404": {
    wire: everySo(25, (response, request) => ok(response) && byId(request), as(404)),
    fails: ["errors.false-not-found/known-products"],
    mayFail: missingNowAndThen,
  },
  "failure-told-as-404-by-gtin": {
    wire: everySo(5, (response, request) => ok(response) && isFor("lookup-by-gtin")(request), as(404)),
    fails: ["errors.false-not-found/known-products"],
    mayFail: missingNowAndThen,
  },
  "failure-told-as-missing-item": {
    wire: everySo(
      6,
      (response, request) => isBatch(request) && ok(response) && itemsOf(request).length < 10,
      (response) => {
        const body = objectIn(objectOf(response));
        const [field, found] = Object.entries(body).find(
          ([name, list]) => name !== "errors" && Array.isArray(list),
        ) ?? ["", []];
        const [first, ...others] = listOf(found);
        const meta = objectIn(body.meta);
        if (first === undefined) return response;
        const product = objectIn(objectIn(first).product ?? first);
        const entry = { retailer: product.retailer, product_id: product.product_id, code: "not_found" };
        return withJson(response, {
          ...body,
          [field]: others,
          errors: [...listOf(body.errors), entry],
          meta: { ...meta, found: Number(meta.found) - 1, not_found: Number(meta.not_found) + 1 },
        });
      },
    ),
    fails: ["errors.false-not-found/known-products"],
    mayFail: { ...missingNowAndThen, "batch.partial": "a product that is there is missing" },
  },
} satisfies FaultTable;

const spelled = (change: (id: string) => unknown): WireChange =>
  onBatchErrors((entry) => ({ ...entry, product_id: change(String(entry.product_id)) }));
const toTheLetter = ["batch-result.echo/to-the-letter"] as const;
const otherSpelling: MayFail = {
  "batch.partial": "the item that is missing is spelled otherwise",
  "errors.unknown-retailer": "the item that is missing is spelled otherwise",
};

const inSome = ["product.same-values/in-some-products"] as const;

/** Changes one in four products of a list, always the same ones. */
const forSome = (
  endpoint: "category-page" | "batch",
  change: (product: Json) => Json | undefined,
): WireChange =>
  onProducts(
    (product) => (characterSum(String(product.product_id)) % 4 === 0 ? change(product) : undefined),
    [endpoint],
  );

const characterSum = (id: string) => [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0);

const onText = (field: string, change: (text: string) => string, product: Json): Json | undefined =>
  typeof product[field] === "string" ? { ...product, [field]: change(product[field]) } : undefined;

/** One way of looking up a product always returns it differently. */
export const otherWayFaults = {
  "batch-prices-in-cents": {
    wire: onProducts(
      (product) =>
        typeof product.price === "number"
          ? { ...product, price: Math.round(product.price * 100) }
          : undefined,
      ["batch"],
    ),
    fails: ["product.same-shape/in-most-products"],
  },
  "category-prices-rounded": {
    wire: onProducts(
      (product) =>
        typeof product.price === "number"
          ? { ...product, price: Math.floor(product.price) + 0.5 }
          : undefined,
      ["category-page"],
    ),
    fails: ["product.same-values/in-most-products"],
  },
  "category-without-currency": {
    wire: onProducts((product) => without("currency", product), ["category-page"]),
    fails: ["product.same-shape/in-most-products"],
    mayFail: { "product.same-values": "what is not there has no value" },
  },
  "batch-images-cut": {
    wire: onProducts(
      (product) =>
        Array.isArray(product.images) ? { ...product, images: product.images.slice(0, 1) } : undefined,
      ["batch"],
    ),
    fails: ["product.same-values/in-most-products"],
    mayFail: { "product.same-shape": "images may be objects of several fields" },
  },
  "batch-images-turned": {
    wire: onProducts(
      (product) =>
        Array.isArray(product.images) ? { ...product, images: product.images.toReversed() } : undefined,
      ["batch"],
    ),
    fails: ["product.same-values/in-most-products"],
    mayFail: { "product.same-shape": "images may be objects of several fields" },
  },
  "category-titles-cut-for-some": {
    wire: forSome("category-page", (product) => onText("title", (title) => title.slice(0, -3), product)),
    fails: inSome,
  },
  "batch-question-marks-for-some": {
    wire: forSome("batch", (product) =>
      onText("title", (title) => title.replaceAll(/[^ -~]|[aeiou]/g, "?"), product),
    ),
    fails: inSome,
  },
  "category-default-currency": {
    wire: onProducts(
      (product) => (product.currency === undefined ? { ...product, currency: "USD" } : undefined),
      ["category-page"],
    ),
    fails: inSome,
  },
  "category-price-0": {
    wire: onProducts(
      (product) => (product.price === undefined ? { ...product, price: 0 } : undefined),
      ["category-page"],
    ),
    fails: inSome,
  },
  "batch-other-price-for-some": {
    wire: forSome("batch", (product) =>
      typeof product.price === "number" ? { ...product, price: product.price + 7.25 } : undefined,
    ),
    fails: inSome,
  },
  "batch-prices-in-cents-for-some": {
    wire: forSome("batch", (product) =>
      typeof product.price === "number" ? { ...product, price: Math.round(product.price * 100) } : undefined,
    ),
    fails: ["product.same-shape/in-most-products"],
  },
} satisfies FaultTable;

/** A framework that changes characters of identifiers. */
export const changedCharacterFaults = {
  "echo-digits-as-number": {
    wire: spelled((id) => (/^\d+$/.test(id) ? Number(id) : id)),
    fails: toTheLetter,
    mayFail: otherSpelling,
  },
  "echo-lower-case": { wire: spelled((id) => id.toLowerCase()), fails: toTheLetter, mayFail: otherSpelling },
  "echo-normalised": {
    wire: spelled((id) => id.normalize("NFC")),
    fails: toTheLetter,
    mayFail: otherSpelling,
  },
  "echo-without-leading-zeros": {
    wire: spelled((id) => id.replace(/^0+(?=.)/, "")),
    fails: toTheLetter,
    mayFail: otherSpelling,
  },
  "id-cut-at-semicolon": {
    wire: onPath((path) => path.replace(/%3B.*$/i, "")),
    fails: ["by-id.unknown-product/unknown-id"],
    mayFail: { "by-id.product": "the requested id is cut" },
  },
  "id-decoded-twice": {
    wire: onPath((path) => path.replace(/%25(?=[0-9a-f]{2})/gi, "%")),
    fails: ["by-id.unknown-product/unknown-id"],
    mayFail: { "by-id.product": "the requested id is changed" },
  },
  "id-cut-at-question-mark": {
    wire: onPath((path) => path.replace(/%3F.*$/i, "")),
    fails: ["by-id.unknown-product/unknown-id"],
    mayFail: { "by-id.product": "the requested id is cut" },
  },
  "id-cut-at-nul": {
    wire: onPath((path) => path.replace(/%00.*$/i, "")),
    fails: ["by-id.unknown-product/unknown-id"],
    mayFail: { "by-id.product": "the requested id is cut" },
  },
  "id-without-last-dot": {
    wire: onPath((path) => path.replace(/\.$/, "")),
    fails: ["by-id.unknown-product/unknown-id"],
    mayFail: { "by-id.product": "the requested id is cut" },
  },
  "id-plus-for-blank": {
    wire: onPath((path) => path.replace(/(?<=\/[^/]+\/[^/]*)(\+|%2B)/gi, "%20")),
    fails: ["by-id.unknown-product/unknown-id"],
    mayFail: {
      "by-id.product": "the requested id is changed",
      "batch.lookup": "by id alone",
      "errors.false-not-found": "by id alone",
      "service.own-response": "by id alone",
    },
  },
  "cursor-forgotten-with-another-limit": {
    wire: remembering(() => {
      const limits = new Map<string, string | undefined>();
      return (send) => async (request) => {
        if (!isFor("category-page")(request)) return await send(request);
        const [cursor = "", limit] = [parameter(request, "cursor"), parameter(request, "limit")];
        const isOther = limits.has(cursor) && limits.get(cursor) !== limit;
        const response = await send(isOther ? withParameters(request, { cursor: undefined }) : request);
        const next = objectIn(objectOf(response)?.meta).next_cursor;
        if (typeof next === "string" && next !== "") limits.set(next, limit);
        return response;
      };
    }),
    fails: ["query.paging/limit-changes"],
  },
  "duplicates-not-counted": {
    wire: onBody("batch", (body, request) => {
      const items = itemsOf(request).map((item) => JSON.stringify(item));
      const meta = objectIn(body.meta);
      const twice = items.length - new Set(items).size;
      return twice === 0
        ? undefined
        : {
            ...body,
            meta: { ...meta, total: Number(meta.found) - 1, found: Number(meta.found) - 1, not_found: 0 },
          };
    }),
    fails: ["batch.lookup/duplicates"],
    mayFail: { "batch.summary": "the counters are those of other items" },
  },
} satisfies FaultTable;

/** Changes the path of lookups by id. */
function onPath(change: (path: string) => string): WireChange {
  return onRequest((request) => (byId(request) ? { ...request, path: change(request.path) } : undefined));
}
