import { isObject } from "../../schemas/json.ts";
import type { WireChange, WireResponse } from "../../service/wire.ts";
import {
  errorResponse,
  isBatchOf,
  isFor,
  itemsOf,
  type Json,
  jsonResponse,
  keyOnlyIn,
  listOf,
  mapLists,
  objectIn,
  objectOf,
  onBody,
  onlyFor,
  onProducts,
  onRequest,
  onResponse,
  parameter,
  remembering,
  withJson,
  withParameters,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";
import { entitledToAll } from "../changes/key-entitlement.ts";

// Written from the spec and from public reports, by somebody who had not read the checks.

const timeOf = ({ last_updated: text }: Json) => (typeof text === "string" ? Date.parse(text) : Number.NaN);
const isoOf = (time: number) => new Date(time).toISOString().replace(".000Z", "Z");

/** Changes `last_updated`; undefined: no change. */
const onTimes = (
  change: (time: number) => string | undefined,
  endpoints?: Parameters<typeof onProducts>[1],
): WireChange =>
  onProducts((product) => {
    const time = timeOf(product);
    const changed = Number.isNaN(time) ? undefined : change(time);
    return changed === undefined ? undefined : { ...product, last_updated: changed };
  }, endpoints);

/** Some lookups find nothing. */
const lost = (when: Parameters<typeof isLost>[1], status = 404): WireChange =>
  onResponse((response, request) =>
    response.status === 200 && isLost(request, when) ? errorResponse(status) : undefined,
  );
const isLost = (
  request: Parameters<typeof parameter>[0],
  [name, pattern]: readonly [name: string, pattern: RegExp],
): boolean => pattern.test(parameter(request, name) ?? "");

const fewItems = 10;

export const strangersFaults = {
  "summer-time-in-batch": {
    does: "In batches, `last_updated` is an hour late from April to September.",
    wire: onTimes(
      (time) => {
        const month = new Date(time).getUTCMonth();
        return month >= 3 && month < 9 ? isoOf(time + 3_600_000) : undefined;
      },
      ["batch"],
    ),
    fails: ["product.last-updated/in-one-zone"],
    source: "mysociety/fixmystreet#1373",
  },
  "seconds-rounded-to-sixty": {
    does: "In one of eight products, the seconds of `last_updated` are 60.",
    wire: onTimes((time) => (time % 8000 === 0 ? isoOf(time).replace(/\d\dZ$/, "60Z") : undefined)),
    fails: ["product.last-updated/every-product"],
    source: "opendroneid/receiver-android#125",
  },
  "gtin-14-refused": {
    does: "A GTIN of 14 digits is an invalid parameter.",
    wire: lost(["gtin", /^\d{14}$/], 400),
    fails: ["query.gtin/known"],
    source: "validatorjs/validator.js#1576",
  },
  "encoded-delimiter-in-page-lost": {
    does: "A page whose URL has an encoded slash, ampersand or the like is not found.",
    wire: lost(["url", /%(2[3567bf]|3[adf])/i]),
    fails: ["query.url/known-page"],
    source: "magento/magento2#8615",
  },
  "large-batch-not-looked-through": {
    does: "From the eleventh item on, a batch does not look at what the key may use.",
    wire: entitledToAll(isBatchOf((length) => length > fewItems)),
    fails: ["errors.unentitled-retailer/in-batch"],
    source: "formancehq/ledger#1454",
  },
  "negative-limit-ignored": {
    does: "A negative limit counts as no limit.",
    wire: onRequest((request) =>
      (parameter(request, "limit") ?? "").startsWith("-")
        ? withParameters(request, { limit: undefined })
        : undefined,
    ),
    fails: ["query.impossible-value/limit-negative"],
    source: "9tigerio/db2rest#949",
  },
  "cursors-of-one-category-only": {
    does: "Cursors work in the first category that is browsed, and in the others they are refused.",
    wire: remembering(() => {
      let first: string | undefined;
      return onResponse((response, request) => {
        if (!isFor("category-page")(request)) return undefined;
        first ??= parameter(request, "category");
        const isOther = parameter(request, "category") !== first;
        return response.status === 200 && isOther && parameter(request, "cursor") !== undefined
          ? errorResponse(400)
          : undefined;
      });
    }),
    fails: ["query.paging/every-cursor"],
  },
  "walk-ends-in-one-header": {
    does: "With the key in X-Api-Key, every page is the last one.",
    wire: onResponse((response, request) => {
      const page = objectOf(response);
      return keyOnlyIn("plain")(request) && isFor("category-page")(request) && isObject(page?.meta)
        ? withJson(response, { ...page, meta: { ...page.meta, next_cursor: "" } })
        : undefined;
    }),
    fails: ["authentication.equivalent/by-category", "authentication.equivalent/second-page"],
  },
  "other-spelling-is-not-checked": {
    does: "Whether the key may see a product is checked for URLs and GTINs as they are stored, not in another spelling.",
    wire: entitledToAll(
      (request) =>
        /^[^/]*\/\/[^/]*[A-Z]/.test(parameter(request, "url") ?? "") ||
        /^0\d{13}$/.test(parameter(request, "gtin") ?? ""),
    ),
    fails: ["authentication.entitlement/by-url", "authentication.entitlement/by-gtin"],
  },
  "batches-of-the-other-organization-500": {
    does: "Every batch of the other organization fails.",
    wire: onlyFor(
      "otherOrg",
      onResponse((_response, request) => (isFor("batch")(request) ? errorResponse(500) : undefined)),
    ),
    fails: ["service.own-response/in-turn"],
  },
  "unknown-page-shows-the-last": {
    does: "A page that is not known returns the product of the last page on that site.",
    wire: remembering(() => {
      const last = new Map<string, WireResponse>();
      return (send) => async (request) => {
        const response = await send(request);
        const host = URL.parse(parameter(request, "url") ?? "")?.host;
        if (host === undefined || !isFor("lookup-by-url")(request)) return response;
        if (response.status === 200) last.set(host, response);
        return response.status === 404 ? (last.get(host) ?? response) : response;
      };
    }),
    fails: ["query.url-not-found/unknown-page"],
  },
  "cursor-decides-the-category": {
    does: "With the cursor of another category, a page shows that category.",
    wire: remembering(() => {
      const categories = new Map<string, string>();
      return (send) => async (request) => {
        const category = categories.get(parameter(request, "cursor") ?? "");
        const isPage = isFor("category-page")(request);
        const sent = isPage && category !== undefined ? withParameters(request, { category }) : request;
        const response = await send(sent);
        const { next_cursor: next } = objectIn(objectOf(response)?.meta);
        const browsed = parameter(sent, "category");
        if (isPage && typeof next === "string" && next !== "" && browsed !== undefined)
          categories.set(next, browsed);
        return response;
      };
    }),
    fails: ["query.impossible-value/cursor-of-another-category"],
    source: "deverman/FocusRelayMCP#146",
  },
  "price-with-thousands-separator": {
    does: "Prices from 100 on are texts with a comma.",
    wire: onProducts(({ price, ...product }) =>
      typeof price === "number" && price >= 100
        ? { ...product, price: `${Math.floor(price / 10)},${String(Math.floor(price) % 10)}0` }
        : undefined,
    ),
    fails: ["product.field-types/every-product"],
    source: "PrestaShop/ganalytics#105",
  },
  "retailer-listed-twice": {
    does: "GET /retailers lists the first retailer twice.",
    wire: onBody("retailers", (body) => {
      const [first, ...others] = listOf(body.retailers);
      return isObject(first) ? { ...body, retailers: [first, first, ...others] } : undefined;
    }),
    fails: ["retailer.slug/every-entry"],
  },
  "urls-of-one-path-are-one": {
    does: "Of URLs that differ in their query only, all find the product of the first.",
    wire: remembering(() => {
      const firsts = new Map<string, string>();
      const pathOf = (url: string) => url.replace(/\?.*/s, "");
      return (send) => async (request) => {
        const url = parameter(request, "url") ?? "";
        const first = firsts.get(pathOf(url));
        const isKnown = isFor("lookup-by-url")(request) && url.includes("?") && first !== undefined;
        const response = await send(isKnown ? withParameters(request, { url: first }) : request);
        for (const one of isFor("category-page")(request) ? listOf(objectOf(response)?.products) : []) {
          const shown = isObject(one) && typeof one.product_url === "string" ? one.product_url : "";
          if (shown.includes("?") && !firsts.has(pathOf(shown))) firsts.set(pathOf(shown), shown);
        }
        return response;
      };
    }),
    fails: ["query.url/changed-page"],
    source: "jez500/pricebuddy#209",
  },
  "batch-numbers-and-lists-filled": {
    does: "In batches, products without a price have 0, and those without images an empty list.",
    wire: onProducts((product) => ({ price: 0, images: [], ...product }), ["batch"]),
    fails: ["product.same-shape/by-batch"],
    source: "wantedly/apig#63",
  },
  "gtin-letters-ignored": {
    does: "Letters in a GTIN are ignored.",
    wire: onRequest((request) => {
      const gtin = parameter(request, "gtin")?.replaceAll(/[a-z]/gi, "");
      return isFor("lookup-by-gtin")(request) && gtin ? withParameters(request, { gtin }) : undefined;
    }),
    fails: ["query.gtin-not-found/changed-gtin"],
    source: "anomalyco/opencode#48034",
  },
  "malformed-escape-500": {
    does: "A percent sign without two hexadecimal digits in the path or query causes 500.",
    wire: onResponse((_response, request) =>
      /%(?![\da-f]{2})/i.test(request.path + request.query) ? errorResponse(500) : undefined,
    ),
    fails: ["errors.hostile-input/product-id", "errors.hostile-input/queries"],
    source: "mozilla/addons#13958",
  },
  "empty-page-ends": {
    does: "Filtering leaves the other organization's page with limit=1 empty, and its cursor is empty too.",
    wire: onlyFor(
      "otherOrg",
      onResponse((response, request) =>
        response.status === 200 &&
        isFor("category-page")(request) &&
        parameter(request, "cursor") === undefined &&
        parameter(request, "limit") === "1"
          ? jsonResponse(200, { products: [], meta: { next_cursor: "", count: 0 } })
          : undefined,
      ),
    ),
    fails: ["query.paging/small-page-goes-on"],
    source: "mlrun/mlrun#5385",
  },
  "one-refused-item-refuses-all": {
    does: "In a batch with an item of an unknown or a foreign retailer, every item is under `errors`.",
    wire: onBody("batch", (result, request) => {
      if (Number(objectIn(result.meta).other_errors ?? 0) === 0) return undefined;
      const errors = itemsOf(request).map((item) => ({ ...objectIn(item), code: "forbidden" }));
      const { length } = errors;
      const emptied = mapLists(result, () => []);
      return {
        ...emptied,
        errors,
        meta: { ...objectIn(result.meta), found: 0, not_found: 0, other_errors: length },
      };
    }),
    fails: ["errors.unknown-retailer/in-batch"],
    source: "cyanheads/clinicaltrialsgov-mcp-server#32",
  },
} as const satisfies FaultTable;
