import type { EndpointId } from "../../schemas/api.ts";
import type { WireChange } from "../../service/wire.ts";
import { everySo, inTurn, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { type FaultTable, foundBy } from "../changes/entry.ts";
import { type Json, listOf, objectOf, without } from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const omitted = "service.omitted-fields/every-product";
const types = "product.field-types/every-product";

const optional = ["brand", "price", "availability", "mpn", "color", "size"];

/** Sets missing fields to `empty`. */
const emptied =
  (empty: null | "") =>
  (product: Json): Json => ({ ...Object.fromEntries(optional.map((name) => [name, empty])), ...product });

const nulls = (endpoints?: readonly EndpointId[]): WireChange => on.products(emptied(null), endpoints);

/** Products have these values, if `some` is given only one in so many, always the same ones. */
const valued = (values: Json, some = 1): WireChange =>
  on.products((product) => (isOneIn(some, product) ? { ...product, ...values } : undefined));

const isOneIn = (number: number, { retailer, product_id }: Json): boolean =>
  [...JSON.stringify([retailer, product_id])].reduce((sum, one) => sum + one.charCodeAt(0), 0) % number === 0;

const hour = 3_600_000;

/** Changes `last_updated`; undefined: no change. */
const onTime = (
  change: (time: number) => string | undefined,
  endpoints?: readonly EndpointId[],
): WireChange => on.field("last_updated", (text) => change(Date.parse(text)) ?? text, endpoints);

const isoOf = (time: number) => new Date(time).toISOString().replace(".000Z", "Z");

/** Products have the `retailer_name` of the next retailer in the list that was seen last. */
const nextNames: WireChange = (send, keys) => {
  let listed: readonly Json[] = [];
  const learning: WireChange = on.response((response, request) => {
    if (response.status === 200 && is.list(request)) listed = listOf(objectOf(response)?.retailers);
    return undefined;
  });
  const renaming = on.products((product) => {
    const at = listed.findIndex(({ slug }) => slug === product.retailer);
    return at < 0 || product.retailer_name === undefined
      ? undefined
      : { ...product, retailer_name: listed[(at + 1) % listed.length]?.name };
  });
  return inTurn(learning, renaming)(send, keys);
};

/** Faults in products, for one or all ways of looking them up. */
export const productFaults: readonly FaultTable[] = [
  {
    "currency-words": {
      does: "`currency` is a phrase instead of a code.",
      wire: on.field("currency", () => "the local one"),
      fails: ["product.currency/every-product"],
    },
    "product-url-relative": {
      does: "`product_url` has no host.",
      wire: on.field("product_url", (url) => URL.parse(url)?.pathname ?? "/"),
      fails: ["product.product-url/every-product"],
    },
    "retailer-shows-name": {
      does: "`retailer` is the name of the retailer instead of its slug.",
      wire: on.products((product) => ({ ...product, retailer: product.retailer_name })),
      fails: ["product.retailer/every-product"],
    },
    "retailer-name-of-another": {
      does: "Products have the `retailer_name` of the next retailer in the list.",
      wire: nextNames,
      fails: ["product.retailer-name/of-another", "product.listed-name/as-listed"],
    },
    "updated-tomorrow": {
      does: "`last_updated` of some products is in the future.",
      wire: valued({ last_updated: isoOf(Date.now() + 9 * hour) }, 3),
      fails: ["product.freshness/every-product"],
      source: "plone/plone.restapi#1617",
    },
    "title-missing-by-id": {
      does: "By id, products have no `title`.",
      wire: on.products((product) => without("title", product), ["lookup-by-id"]),
      fails: ["product.same-shape/by-url"],
    },
    "id-renamed-by-gtin": {
      does: "In lookups by GTIN, the id of a product has another name.",
      wire: on.products(({ product_id, ...product }) => ({ ...product, id: product_id }), ["lookup-by-gtin"]),
      fails: ["product.same-shape/by-gtin"],
    },
    "internal-field-by-gtin": {
      does: "In lookups by GTIN, products show an internal price.",
      wire: on.products((product) => ({ ...product, wholesale_price: 1.5 }), ["lookup-by-gtin"]),
      fails: ["product.same-shape/by-gtin"],
    },
    "title-missing-in-category": {
      does: "On category pages, products have no `title`.",
      wire: on.products((product) => without("title", product), ["category-page"]),
      fails: ["product.same-shape/by-category"],
    },
    "failure-told-as-no-price": {
      does: "Every sixth response with products has none with a price.",
      wire: everySo(
        6,
        on.products((product) => without("price", product)),
        (request) => request.path.includes("/products"),
      ),
      fails: ["product.same-shape/every-time"],
      source: "serpapi/public-roadmap#2690",
    },
    "other-product-by-gtin": {
      does: "A lookup by GTIN returns another GTIN.",
      wire: on.field("gtin", (gtin) => gtin.replace(/./g, (digit) => String(9 - Number(digit))), [
        "lookup-by-gtin",
      ]),
      fails: ["query.gtin/every-response"],
    },
  },
  foundBy(omitted, {
    "null-field": ["Fields without a value are null.", nulls()],
    "null-field-in-batch": ["In batches, fields without a value are null.", nulls(["batch"])],
    "null-field-on-second-page": [
      "On pages after the first, fields without a value are null.",
      where(is.all(is.page, is.sending("cursor")), nulls()),
    ],
    "null-field-with-x-api-key": [
      "With X-Api-Key, missing fields are null.",
      where(is.keyedOnlyIn("plain"), nulls()),
    ],
    "null-field-every-tenth": ["In every tenth response, missing fields are null.", everySo(10, nulls())],
    "empty-string-field": ["Fields without a value are empty texts.", on.products(emptied(""))],
    "null-in-depth": ["A null is deep inside a product.", valued({ shelfcheck_injected: { a: [null] } })],
    "year-one": [
      "`last_updated` of some products is in the year 1.",
      valued({ last_updated: "0001-01-01T00:00:00Z" }, 6),
      "vshulcz/deja-vu#2113",
    ],
    "price-minus-one": [
      "`price` of some products is -1.",
      valued({ price: -1 }, 6),
      "NousResearch/hermes-agent#83549",
    ],
  }),
  foundBy("service.stand-ins/every-product", {
    "year-1970": [
      "`last_updated` of some products is the start of 1970.",
      valued({ last_updated: "1970-01-01T00:00:00Z" }, 6),
      "OpenBazaar/openbazaar-go#418",
    ],
    "not-available-as-text": [
      "`availability` of some products is N/A.",
      valued({ availability: "N/A" }, 4),
      "omdbapi/OMDb-API#206",
    ],
    "undefined-as-text": [
      "`brand` of some products is the text undefined.",
      valued({ brand: "undefined" }, 4),
      "neomjs/neo#3338",
    ],
    "nan-as-text": [
      "`color` of some products is the text NaN.",
      valued({ color: "NaN" }, 4),
      "dhis2/dhis2-core#16150",
    ],
    "blank-title": ["`title` of some products is blank.", valued({ title: "   " }, 6)],
  }),

  foundBy(types, {
    "product-id-number": [
      "Ids of digits are numbers.",
      on.field("product_id", (id) => (/^[0-9]+$/.test(id) ? Number(id) : id)),
    ],
    "price-string": ["`price` is a text.", on.field("price", (price) => price)],
    "price-with-thousands-separator": [
      "Prices from 100 on are texts with a comma.",
      on.field("price", (price) => (Number(price) < 100 ? Number(price) : `1,${price}`)),
      "PrestaShop/ganalytics#105",
    ],
  }),

  foundBy("product.last-updated/every-product", {
    "last-updated-local-offset": [
      "`last_updated` has an offset of two hours.",
      onTime((time) => isoOf(time + 2 * hour).replace("Z", "+02:00")),
    ],
    "last-updated-impossible": [
      "`last_updated` has the month 13.",
      on.field("last_updated", (time) => time.replace(/^(\d{4})-\d\d/, "$1-13")),
    ],
    "seconds-rounded-to-sixty": [
      "In one of eight products, the seconds of `last_updated` are 60.",
      onTime((time) => (time % 8000 === 0 ? isoOf(time).replace(/\d\dZ$/, "60Z") : undefined)),
      "opendroneid/receiver-android#125",
    ],
  }),
  foundBy("product.last-updated/in-one-zone", {
    "local-time-in-batch": [
      "In batches, `last_updated` is two hours later.",
      onTime((time) => isoOf(time + 2 * hour), ["batch"]),
      "quadsproject/quads#709",
    ],
    "clock-of-twelve-hours": [
      "By URL, `last_updated` of the afternoon is 12 hours early.",
      onTime(
        (time) => (new Date(time).getUTCHours() > 12 ? isoOf(time - 12 * hour) : undefined),
        ["lookup-by-url"],
      ),
      "apache/nifi#878",
    ],
    "summer-time-in-batch": [
      "In batches, `last_updated` is an hour late from April to September.",
      onTime((time) => (/-0[4-9]-/.test(isoOf(time)) ? isoOf(time + hour) : undefined), ["batch"]),
      "mysociety/fixmystreet#1373",
    ],
  }),

  foundBy("product.same-shape/by-batch", {
    "price-nested-in-batch": [
      "In batches, the price is in an object.",
      on.products(
        ({ price, ...others }) => (price === undefined ? others : { ...others, pricing: { amount: price } }),
        ["batch"],
      ),
    ],
    "batch-prices-in-cents-for-some": [
      "In batches, some prices are in cents.",
      onSomeOfBatch("price", (price) => Math.round(Number(price) * 100)),
    ],
    "batch-numbers-and-lists-filled": [
      "In batches, products without a price have 0, and those without images an empty list.",
      on.products((product) => ({ price: 0, images: [], ...product }), ["batch"]),
      "wantedly/apig#63",
    ],
  }),
  foundBy("product.same-shape/every-product", {
    "product-in-envelope": [
      "A lookup by id returns the product inside an object.",
      on.text(is.byId, (text) => `{"product":${text}}`),
    ],
    "product-in-list": ["A lookup by id returns a list.", on.text(is.byId, (text) => `[${text}]`)],
  }),
  foundBy("product.same-values/by-batch", {
    "batch-images-turned": [
      "In batches, images are in reverse order.",
      on.products(
        (product) =>
          product.images === undefined
            ? undefined
            : { ...product, images: listOf(product.images).toReversed() },
        ["batch"],
      ),
    ],
    "batch-question-marks-for-some": [
      "In batches, some titles have question marks in place of letters.",
      onSomeOfBatch("title", (title) => title.replaceAll(/[^ -~]|[aeiou]/g, "?")),
    ],
  }),
  ...(
    [
      ["by-url", "lookup-by-url", "In lookups by URL"],
      ["by-gtin", "lookup-by-gtin", "In lookups by GTIN"],
      ["by-category", "category-page", "On category pages"],
    ] as const
  ).map(([way, endpoint, where]) =>
    foundBy(`product.same-values/${way}`, {
      [`title-shouting-${way.replace("by-category", "in-category")}`]: [
        `${where}, titles are in capitals.`,
        on.field("title", (title) => title.toUpperCase(), [endpoint]),
      ],
    }),
  ),
  foundBy(["by-id.product/every-retailer", "by-id.product/every-response"], {
    "other-product-by-id": ["A lookup by id returns another id.", onIdentifier("lookup-by-id")],
  }),
  foundBy("by-id.product/every-retailer", {
    "product-id-lower-case": ["Ids are in lower case.", on.field("product_id", (id) => id.toLowerCase())],
  }),
  foundBy("query.url/known-page", {
    "other-product-by-url": ["A lookup by URL returns another id.", onIdentifier("lookup-by-url")],
  }),
  foundBy(["batch.lookup/known-products", "batch.lookup/every-batch"], {
    "other-product-in-batch": ["A batch returns other ids.", onIdentifier("batch")],
  }),
];

function onIdentifier(endpoint: EndpointId): WireChange {
  return on.field("product_id", (id) => `${id}-other`, [endpoint]);
}

/** Changes a field of one in four products of batches. */
function onSomeOfBatch(field: string, change: (value: string) => unknown): WireChange {
  return on.products(
    (product) =>
      product[field] !== undefined && isOneIn(4, product)
        ? { ...product, [field]: change(String(product[field])) }
        : undefined,
    ["batch"],
  );
}
