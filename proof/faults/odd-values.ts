import type { WireChange } from "../../service/wire.ts";
import { type Likeness, parameterAt, reading, segmentAt, takenFor, wholePath } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { type FaultTable, foundBy } from "../changes/entry.ts";
import {
  itemsOf,
  type Json,
  listOf,
  objectIn,
  objectOf,
  parameter,
  withItems,
  withParameters,
} from "../changes/messages.ts";
import * as on from "../changes/on.ts";

// A value that is almost a known one is taken for it. Who resolves such values resolves somebody's product.

const slugTakenFor = (isLike: Likeness): WireChange => takenFor(is.byId, segmentAt(3), isLike);
const idTakenFor = (isLike: Likeness): WireChange => takenFor(is.byId, segmentAt(4), isLike);
const urlTakenFor = (isLike: (asked: URL, known: URL) => boolean): WireChange =>
  takenFor(is.byUrl, parameterAt("url"), (asked, known) => {
    const [one, other] = [URL.parse(asked), URL.parse(known)];
    return one !== null && other !== null && isLike(one, other);
  });
const gtinTakenFor = (isLike: Likeness): WireChange => takenFor(is.byGtin, parameterAt("gtin"), isLike);

/** Whether a URL has capitals in its host, and a known one is of another page. */
const isOddHost: Likeness = (asked, known) =>
  /^https?:\/\/[^/]*[A-Z]/.test(asked) && URL.parse(asked)?.href !== URL.parse(known)?.href;
const isGrouped: Likeness = (asked, known) => asked.includes(" ") && asked.replaceAll(" ", "") !== known;

const startsAlike: Likeness = (asked, known) => asked.length > 2 && known.startsWith(asked);

/** Whether a known value matches a pattern of SQL. */
const isLikeInSql: Likeness = (asked, known) => {
  const parts = [...asked].map((one) => (one === "%" ? ".*" : one === "_" ? "." : RegExp.escape(one)));
  return new RegExp(`^${parts.join("")}$`).test(known);
};

/** Changes the items of batches before they are looked up; the response names what was sent. */
const itemsTakenFor = (change: (item: Json) => Json): WireChange =>
  on.request((request) =>
    is.batch(request) && itemsOf(request).every((item) => item === objectIn(item))
      ? withItems(request, itemsOf(request).map(objectIn).map(change))
      : undefined,
  );

/** Looks the page of an unknown host up at the first retailer of the key whose host `matches`. */
const hostTakenFor = (matches: (url: URL, host: string) => boolean): WireChange =>
  on.response(async (response, request, ask) => {
    const url = URL.parse(parameter(request, "url") ?? "");
    if (![400, 404].includes(response.status) || url === null) return undefined;
    const list = objectOf(await ask({ ...request, path: "/v1/retailers", query: "" }));
    const hosts = listOf(list?.retailers).flatMap(({ domains }) => listOf<string>(domains));
    const host = hosts.find((one) => url.hostname !== one && matches(url, one));
    return host === undefined
      ? undefined
      : await ask(withParameters(request, { url: `https://${host}${url.pathname}${url.search}` }));
  });

/** Of URLs that differ in their query only, all find the product of the first one that a page shows. */
const onePathOnePage: WireChange = (send, keys) => {
  const firsts = new Map<string, string>();
  const pathOf = (url: string) => url.replace(/\?.*/s, "");
  return async (request) => {
    const first = firsts.get(pathOf(parameter(request, "url") ?? ""));
    const isKnown = first !== undefined && is.all(is.byUrl, is.sending("url", /\?/))(request, keys);
    const response = await send(isKnown ? withParameters(request, { url: first }) : request);
    const shown = is.page(request) ? listOf(objectOf(response)?.products) : [];
    for (const { product_url: url } of shown)
      if (typeof url === "string" && url.includes("?") && !firsts.has(pathOf(url)))
        firsts.set(pathOf(url), url);
    return response;
  };
};

/** An unknown category shows the products of the first one that had some. */
const unknownShowsAll: WireChange = (send, keys) => {
  let known: string | undefined;
  return async (request) => {
    const response = await send(request);
    if (response.status !== 200 || !is.all(is.page, is.sending("category", /./))(request, keys))
      return response;
    const isEmpty = listOf(objectOf(response)?.products).length === 0;
    if (!isEmpty) known ??= parameter(request, "category");
    return isEmpty && known !== undefined
      ? await send(withParameters(request, { category: known }))
      : response;
  };
};

const hasScope: is.When = is.all(is.byGtin, is.sending("retailer"));

export const oddValueFaults: readonly FaultTable[] = [
  {
    "slug-with-a-tail-found": {
      does: "A slug with text behind it finds the retailer.",
      wire: slugTakenFor((asked, known) => asked.startsWith(known)),
      fails: ["by-id.unknown-slug/known-product"],
    },
    "scope-cut-accepted": {
      does: "A GTIN lookup accepts the beginning of a slug.",
      wire: takenFor(
        hasScope,
        parameterAt("retailer"),
        (asked, known) => startsAlike(asked, known) || asked.startsWith(known),
      ),
      fails: ["errors.unknown-retailer/by-gtin"],
    },
    "page-of-another-site-found": {
      does: "A path is found on any host that was not seen before.",
      wire: urlTakenFor(({ pathname }, known) => pathname.length > 1 && pathname === known.pathname),
      fails: ["query.url/changed-page", "query.url-not-found/unknown-site"],
    },
    "unknown-page-shows-the-last": {
      does: "A page that is not known returns the product of another page on that site.",
      wire: urlTakenFor(({ host }, known) => host === known.host),
      fails: ["query.url-not-found/unknown-page"],
    },
    "batch-id-as-number": {
      does: "In batches, leading zeros of an id are dropped.",
      wire: itemsTakenFor((item) => ({
        ...item,
        product_id: String(item.product_id).replace(/^0+(?=\d)/, ""),
      })),
      fails: ["batch.lookup/known-products"],
      source: "strongloop/strong-remoting#143",
    },
    "batch-slug-trimmed": {
      does: "In batches, a dash at the end of a slug is dropped.",
      wire: itemsTakenFor((item) => ({ ...item, retailer: String(item.retailer).replace(/-$/, "") })),
      fails: ["batch.lookup/changed-items"],
    },
    "unknown-category-shows-all": {
      does: "An unknown category shows the products of another one.",
      wire: unknownShowsAll,
      fails: ["query.unknown-category/no-products"],
      source: "Openki/Openki#807",
    },
    "limit-with-a-tail-accepted": {
      does: "A limit such as 5x counts as 5.",
      wire: on.request(reading("limit", (limit) => limit.replace(/^(\d+)[a-z]+$/, "$1"))),
      fails: ["query.invalid-parameter/limit-with-a-tail"],
      source: "KanishJebaMathewM/Truxify#3199",
    },
  },
  foundBy("by-id.unknown-slug/changed-slug", {
    "slug-cut-found": ["The beginning of a slug finds the retailer.", slugTakenFor(startsAlike)],
  }),
  foundBy("by-id.unknown-product/changed-id", {
    "id-like-found": [
      "An id with % or _ is a pattern.",
      idTakenFor(isLikeInSql),
      "pentiminax/ux-datatables#336",
    ],
    "id-as-number-found": [
      "An id is found by another spelling of the same number.",
      idTakenFor((asked, known) => /^[\d.]+$/.test(asked) && Number(asked) === Number(known)),
      "appsmithorg/appsmith#17072",
    ],
    "id-of-any-retailer-found": [
      "An id that one retailer does not have is looked up at another.",
      takenFor(is.byId, wholePath, (asked, known) => asked.split("/")[4] === known.split("/")[4], [404]),
    ],
    "id-accents-ignored": [
      "An id is found without its accents.",
      idTakenFor((asked, known) => asked.normalize("NFD").replaceAll(/\p{M}/gu, "") === known),
      "datacite/mds#261",
    ],
    "id-cut-at-semicolon": ["Ids are cut at a semicolon.", on.path(/%3B.*$/i, "")],
    "id-decoded-twice": ["Ids are decoded twice.", on.path(/%25(?=[0-9a-f]{2})/gi, "%")],
    "id-cut-at-question-mark": ["Ids are cut at an encoded question mark.", on.path(/%3F.*$/i, "")],
    "id-cut-at-nul": ["Ids are cut at a NUL character.", on.path(/%00.*$/i, "")],
    "id-without-last-dot": ["A dot at the end of an id is dropped.", on.path(/\.$/, "")],
    "id-plus-for-blank": [
      "A plus sign in an id means a blank.",
      on.path(/(?<=\/[^/]+\/[^/]*)(\+|%2B)/gi, "%20"),
    ],
  }),
  foundBy("query.gtin-not-found/changed-gtin", {
    "gtin-in-groups-found-elsewhere": [
      "A GTIN with a blank finds another product.",
      takenFor(is.byGtin, parameterAt("gtin"), isGrouped, [200, 400, 404]),
    ],
    "gtin-cut-found": [
      "The beginning of a GTIN finds the product.",
      gtinTakenFor((asked, known) => asked.length >= 7 && known.startsWith(asked)),
    ],
    "gtin-check-digit-ignored": [
      "The check digit of a GTIN is ignored.",
      gtinTakenFor(
        (asked, known) => asked.length === known.length && asked.slice(0, -1) === known.slice(0, -1),
      ),
    ],
    "gtin-first-digits-ignored": [
      "The first two digits of a GTIN are ignored.",
      gtinTakenFor((asked, known) => asked.length === known.length && asked.slice(2) === known.slice(2)),
    ],
    "gtin-digits-after-it-ignored": [
      "Digits behind a GTIN are ignored.",
      gtinTakenFor((asked, known) => asked.replaceAll(/\D/g, "").startsWith(known)),
    ],
  }),
  foundBy("query.url-not-found/changed-site", {
    "host-that-ends-alike": [
      "A URL is found on a host that ends with the right one.",
      hostTakenFor(({ hostname }, host) => hostname.endsWith(host) && !hostname.endsWith(`.${host}`)),
      "antiwork/gumroad#6645",
    ],
    "host-that-begins-alike": [
      "A URL is found on a host that begins with the right one.",
      hostTakenFor(({ hostname }, host) => hostname.replace(/^www\./, "").startsWith(`${host}.`)),
    ],
    "host-before-the-at": [
      "A URL is found by the user in front of its host.",
      hostTakenFor(({ username }, host) => username.replace(/^www\./, "") === host),
    ],
  }),
  foundBy("query.url/changed-page", {
    "url-in-other-case-found-elsewhere": [
      "A URL with capitals in its host finds another product.",
      takenFor(is.byUrl, parameterAt("url"), isOddHost, [200, 400, 403, 404]),
    ],
    "page-of-another-id-found": [
      "A product page with another number at its end is found.",
      urlTakenFor((...urls) => {
        const [one, other] = urls.map(({ host, pathname }) => `${host}${pathname}`.replace(/-?\d+$/, ""));
        return one === other;
      }),
    ],
    "urls-of-one-path-are-one": [
      "Of URLs that differ in their query only, all find the product of the first.",
      onePathOnePage,
      "jez500/pricebuddy#209",
    ],
  }),
];
