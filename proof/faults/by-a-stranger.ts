import { isObject } from "../../schemas/json.ts";
import type { WireChange } from "../../service/wire.ts";
import {
  errorResponse,
  isBatchOf,
  isFor,
  type Json,
  listOf,
  objectIn,
  objectOf,
  onBody,
  onProducts,
  onRequest,
  onResponse,
  parameter,
  remembering,
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
const mostListed = 2;

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
    mayFail: { "product.same-values": "another time is another value" },
    subject: "time of the last update",
    source: "mysociety/fixmystreet#1373",
  },
  "seconds-rounded-to-sixty": {
    does: "In one of eight products, the seconds of `last_updated` are 60.",
    wire: onTimes((time) => (time % 8000 === 0 ? isoOf(time).replace(/\d\dZ$/, "60Z") : undefined)),
    fails: ["product.last-updated/every-product"],
    subject: "time of the last update",
    source: "opendroneid/receiver-android#125",
  },
  "blank-in-times": {
    does: "`last_updated` has a blank in place of the T.",
    wire: onTimes((time) => isoOf(time).replace("T", " ")),
    fails: ["product.last-updated/every-product"],
    subject: "time of the last update",
  },
  "gtin-14-refused": {
    does: "A GTIN of 14 digits is an invalid parameter.",
    wire: lost(["gtin", /^\d{14}$/], 400),
    fails: ["query.gtin/known"],
    mayFailElsewhere: { "query.gtin-match": "the scoped lookup is refused as well" },
    source: "validatorjs/validator.js#1576",
  },
  "encoded-delimiter-in-page-lost": {
    does: "A page whose URL has an encoded slash, ampersand or the like is not found.",
    wire: lost(["url", /%(2[3567bf]|3[adf])/i]),
    fails: ["query.url/known-page"],
    mayFail: { "authentication.equivalent": "the page of the control is not found" },
    source: "magento/magento2#8615",
  },
  "large-batch-not-looked-through": {
    does: "From the eleventh item on, a batch does not look at what the key may use.",
    wire: entitledToAll(isBatchOf((length) => length > fewItems)),
    needsAllKey: true,
    fails: ["errors.unentitled-retailer/in-batch"],
    mayFail: {
      "service.own-response": "so it does in turn with another request",
      "authentication.entitlement": "the result holds a product that is not granted",
    },
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
    mayFail: { "product.same-shape": "the types of a field differ" },
    source: "PrestaShop/ganalytics#105",
  },
  "batch-errors-cut": {
    does: "A batch lists at most two errors.",
    wire: onBody("batch", (result) => {
      const errors = listOf(result.errors);
      return errors.length > mostListed ? { ...result, errors: errors.slice(0, mostListed) } : undefined;
    }),
    fails: ["batch.summary/every-item", "batch.partial/all-missing"],
    mayFail: {
      "batch-result.echo": "an item is not echoed",
      "batch.size": "not all of 50 items are accounted for",
    },
  },
  "retailer-listed-twice": {
    does: "GET /retailers lists the first retailer twice.",
    wire: onBody("retailers", (body) => {
      const [first, ...others] = listOf(body.retailers);
      return isObject(first) ? { ...body, retailers: [first, first, ...others] } : undefined;
    }),
    fails: ["retailer.slug/every-entry"],
  },
  "titles-percent-encoded-in-batch": {
    does: "In batches, titles are percent-encoded.",
    wire: onProducts(
      (product) =>
        typeof product.title === "string"
          ? { ...product, title: encodeURIComponent(product.title) }
          : undefined,
      ["batch"],
    ),
    fails: ["product.same-values/in-most-products"],
  },
} as const satisfies FaultTable;
