import type { EndpointId } from "../../schemas/api.ts";
import type { WireChange } from "../../service/wire.ts";
import {
  isFor,
  type Json,
  listOf,
  mapLists,
  objectIn,
  onBody,
  onProducts,
  onResponse,
  remembering,
  withText,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";

// Facts that are told in several places and disagree, stand-ins for missing values, and JSON that parsers read differently.

const numberOf = (product: Json) =>
  [...JSON.stringify([product.retailer, product.product_id])].reduce(
    (sum, one) => sum + one.charCodeAt(0),
    0,
  );

/** Changes one product of every `every`. */
const onSome = (
  every: number,
  change: (product: Json) => Json,
  endpoints?: readonly EndpointId[],
): WireChange =>
  onProducts((product) => (numberOf(product) % every === 0 ? change(product) : undefined), endpoints);

const hour = 3_600_000;
const shifted = (product: Json, milliseconds: number): Json => {
  const at = Date.parse(String(product.last_updated));
  return Number.isNaN(at) ? product : { ...product, last_updated: new Date(at + milliseconds).toISOString() };
};

/** Changes the text of JSON responses, which a parser may hide. */
const onText = (endpoint: EndpointId, change: (text: string) => string): WireChange =>
  onResponse((response, request) =>
    response.status === 200 && isFor(endpoint)(request)
      ? withText(response, change(response.body.toString()))
      : undefined,
  );

export const saidTwiceFaults = {
  "retailer-name-of-another": {
    does: "Products have the `retailer_name` of the next retailer in the list.",
    wire: remembering(() => {
      let listed: Json[] = [];
      const learn = onBody("retailers", (body) => {
        listed = listOf(body.retailers).map(objectIn);
        return body;
      });
      const rename = onProducts((product) => {
        const at = listed.findIndex(({ slug }) => slug === product.retailer);
        return at < 0 || product.retailer_name === undefined
          ? undefined
          : { ...product, retailer_name: listed[(at + 1) % listed.length]?.name };
      });
      return (send, keys) => rename(learn(send, keys), keys);
    }),
    fails: ["product.retailer-name/of-another", "product.listed-name/as-listed"],
  },
  "domains-of-another": {
    does: "Each retailer has the domains of the next one.",
    wire: onBody("retailers", (body) => {
      const entries = listOf(body.retailers).map(objectIn);
      const domains = entries.map((entry) => entry.domains);
      return {
        ...body,
        retailers: entries.map((entry, at) => ({ ...entry, domains: domains[(at + 1) % domains.length] })),
      };
    }),
    fails: ["retailer.detection/every-product"],
  },
  "year-one": {
    does: "`last_updated` of some products is in the year 1.",
    wire: onSome(6, (product) => ({ ...product, last_updated: "0001-01-01T00:00:00Z" })),
    fails: ["service.omitted-fields/every-product"],
    source: "vshulcz/deja-vu#2113",
  },
  "year-1970": {
    does: "`last_updated` of some products is the start of 1970.",
    wire: onSome(6, (product) => ({ ...product, last_updated: "1970-01-01T00:00:00Z" })),
    fails: ["service.stand-ins/every-product"],
    source: "OpenBazaar/openbazaar-go#418",
  },
  "not-available-as-text": {
    does: "`availability` of some products is N/A.",
    wire: onSome(4, (product) => ({ ...product, availability: "N/A" })),
    fails: ["service.stand-ins/every-product"],
    source: "omdbapi/OMDb-API#206",
  },
  "undefined-as-text": {
    does: "`brand` of some products is the text undefined.",
    wire: onSome(4, (product) => ({ ...product, brand: "undefined" })),
    fails: ["service.stand-ins/every-product"],
    source: "neomjs/neo#3338",
  },
  "nan-as-text": {
    does: "`color` of some products is the text NaN.",
    wire: onSome(4, (product) => ({ ...product, color: "NaN" })),
    fails: ["service.stand-ins/every-product"],
    source: "dhis2/dhis2-core#16150",
  },
  "blank-title": {
    does: "`title` of some products is blank.",
    wire: onSome(6, (product) => ({ ...product, title: "   " })),
    fails: ["service.stand-ins/every-product"],
  },
  "price-minus-one": {
    does: "`price` of some products is -1.",
    wire: onSome(6, (product) => ({ ...product, price: -1 })),
    fails: ["service.omitted-fields/every-product"],
    source: "NousResearch/hermes-agent#83549",
  },
  "updated-tomorrow": {
    does: "`last_updated` of some products is in the future.",
    wire: onSome(3, (product) => ({
      ...product,
      last_updated: new Date(Date.now() + 9 * hour).toISOString(),
    })),
    fails: ["product.freshness/every-product"],
    source: "plone/plone.restapi#1617",
  },
  "local-time-in-batch": {
    does: "In batches, `last_updated` is two hours later.",
    wire: onProducts((product) => shifted(product, 2 * hour), ["batch"]),
    fails: ["product.last-updated/in-one-zone"],
    source: "quadsproject/quads#709",
  },
  "clock-of-twelve-hours": {
    does: "By URL, `last_updated` of the afternoon is 12 hours early.",
    wire: onProducts(
      (product) =>
        new Date(String(product.last_updated)).getUTCHours() > 12 ? shifted(product, -12 * hour) : undefined,
      ["lookup-by-url"],
    ),
    fails: ["product.last-updated/in-one-zone"],
    source: "apache/nifi#878",
  },
  "repeated-name-null-first": {
    does: "By id, `currency` appears twice, first as null.",
    wire: onText("lookup-by-id", (text) => text.replace(/^\{/, '{"currency":null,')),
    fails: ["service.json/repeated-names"],
    source: "ProxymanApp/Proxyman#1461",
  },
  "repeated-name-in-list": {
    does: "In the list of retailers, `domains` appears twice with different values.",
    wire: onText("retailers", (text) => text.replace('"domains":', '"domains":["one.example"],"domains":')),
    fails: ["service.json/repeated-names"],
    source: "stoatchat/stoatchat#286",
  },
  "repeated-name-alike": {
    does: "On category pages, `retailer` appears twice with the same value.",
    wire: onText("category-page", (text) => text.replace(/("retailer":"[^"]*"),/, "$1,$1,")),
    fails: ["service.portable-json/every-response"],
    source: "apache/polaris#915",
  },
  "number-beyond-a-double": {
    does: "By id, a number has more digits than a double holds.",
    wire: onText("lookup-by-id", (text) => text.replace(/^\{/, '{"catalog_number":1285704473650888702,')),
    fails: ["service.portable-json/every-response"],
    source: "tornadoweb/tornado#2908",
  },
  "half-a-character": {
    does: "By URL, `title` has half of a surrogate pair.",
    wire: onText("lookup-by-url", (text) => text.replace(/"title":"/, '"title":"\\ud83d ')),
    fails: ["service.json/whole-characters"],
    source: "elizaOS/eliza#18079",
  },
  "byte-order-mark": {
    does: "Category pages begin with a byte order mark.",
    wire: onText("category-page", (text) => `\ufeff${text}`),
    fails: ["service.json/every-response"],
  },
  "batch-lists-one-twice": {
    does: "A batch lists and counts its first product twice.",
    // Counters and list agree with each other, but not with what was sent.
    wire: onBody("batch", (body) => {
      const meta = objectIn(body.meta);
      const more = Number(meta.found) > 2 ? 1 : 0;
      const twice = mapLists(body, (list) => [...list, ...list.slice(0, more)]);
      return {
        ...twice,
        meta: { ...meta, found: Number(meta.found) + more, total: Number(meta.total) + more },
      };
    }),
    fails: ["batch.summary/every-item"],
  },
  "large-batch-counts-one-more": {
    does: "A batch of more than ten items counts one more.",
    wire: onBody("batch", (body) => {
      const meta = objectIn(body.meta);
      const more = Number(meta.total) > 10 ? 1 : 0;
      return {
        ...body,
        meta: { ...meta, total: Number(meta.total) + more, other_errors: Number(meta.other_errors) + more },
        errors: more === 0 ? body.errors : [...listOf(body.errors), ...listOf(body.errors).slice(0, 1)],
      };
    }),
    fails: ["batch.summary/every-item", "batch.summary/every-batch"],
  },
} satisfies FaultTable;
