import { isObject } from "../../schemas/json.ts";
import type { WireChange, WireRequest } from "../../service/wire.ts";
import {
  errorResponse,
  hasBothKeys,
  isFor,
  itemsOf,
  keyOf,
  listOf,
  objectIn,
  objectOf,
  onRequest,
  onResponse,
  parameter,
  remembering,
  sentAs,
  type When,
  withItems,
  withJson,
  withParameters,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";

// A value that is almost a known one is taken for it. Who resolves such values resolves somebody's product.

const byId = isFor("lookup-by-id");
const byUrl = isFor("lookup-by-url");
const byGtin = isFor("lookup-by-gtin");

/** Sends a request that was refused again with a known value for one that `matches` it. */
const takenFor = (
  when: When,
  sentIn: (request: WireRequest) => string | undefined,
  withValue: (request: WireRequest, value: string) => WireRequest,
  matches: (asked: string, known: string) => boolean,
): WireChange =>
  remembering(() => {
    const known = new Set<string>();
    return (send) => async (request) => {
      const response = await send(request);
      const asked = when(request) ? sentIn(request) : undefined;
      if (asked === undefined) return response;
      if (response.status === 200) known.add(asked);
      if (response.status !== 400 && response.status !== 404) return response;
      const match = known.values().find((one) => one !== asked && matches(asked, one));
      return match === undefined ? response : await send(withValue(request, match));
    };
  });

const segments = ({ path }: WireRequest) => path.split("/").slice(3);
const decoded = (text: string | undefined): string | undefined => {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const slugTakenFor = (matches: (asked: string, known: string) => boolean): WireChange =>
  takenFor(
    byId,
    (request) => decoded(segments(request)[0]),
    (request, slug) => ({
      ...request,
      path: `/v1/products/${encodeURIComponent(slug)}/${segments(request)[1]}`,
    }),
    matches,
  );

const idTakenFor = (matches: (asked: string, known: string) => boolean): WireChange =>
  takenFor(
    byId,
    (request) => decoded(segments(request)[1]),
    (request, id) => ({ ...request, path: `/v1/products/${segments(request)[0]}/${encodeURIComponent(id)}` }),
    matches,
  );

const parameterTakenFor = (
  when: When,
  name: string,
  matches: (asked: string, known: string) => boolean,
): WireChange =>
  takenFor(
    when,
    (request) => parameter(request, name),
    (request, value) => withParameters(request, { [name]: value }),
    matches,
  );

/** Changes the items of batches before they are looked up; the response names what was sent. */
const itemsTakenFor = (
  change: (item: Readonly<Record<string, unknown>>) => Record<string, unknown>,
): WireChange =>
  onRequest((request) =>
    isFor("batch")(request) && itemsOf(request).every(isObject)
      ? withItems(
          request,
          itemsOf(request).map((item) => change(objectIn(item))),
        )
      : undefined,
  );

const digits = (text: string) => text.replace(/\D/g, "");

/** Looks the page of an unknown host up at the first retailer of the key whose host `matches`. */
const hostTakenFor = (matches: (url: URL, host: string) => boolean): WireChange =>
  onResponse(async (response, request, ask) => {
    const url = URL.parse(parameter(request, "url") ?? "");
    const isRefused = response.status === 400 || response.status === 404;
    if (!isRefused || !byUrl(request) || url === null) return undefined;
    const list = objectOf(await ask({ ...request, path: "/v1/retailers", query: "" }));
    const hosts = listOf(list?.retailers).flatMap((entry) => listOf(objectIn(entry).domains).map(String));
    const host = hosts.find((one) => url.hostname !== one && matches(url, one));
    return host === undefined
      ? undefined
      : await ask(withParameters(request, { url: `https://${host}${url.pathname}${url.search}` }));
  });

const isLike = (asked: string, known: string) =>
  new RegExp(
    `^${[...asked].map((one) => (one === "%" ? ".*" : one === "_" ? "." : RegExp.escape(one))).join("")}$`,
  ).test(known);

export const oddValueFaults = {
  "slug-cut-found": {
    does: "The beginning of a slug finds the retailer.",
    wire: slugTakenFor((asked, known) => asked.length > 2 && known.startsWith(asked)),
    fails: ["by-id.unknown-slug/changed-slug"],
  },
  "slug-with-a-tail-found": {
    does: "A slug with text behind it finds the retailer.",
    wire: slugTakenFor((asked, known) => asked.startsWith(known)),
    fails: ["by-id.unknown-slug/known-product"],
  },
  "id-like-found": {
    does: "An id with % or _ is a pattern.",
    wire: idTakenFor(isLike),
    fails: ["by-id.unknown-product/changed-id"],
    source: "pentiminax/ux-datatables#336",
  },
  "id-as-number-found": {
    does: "An id is found by another spelling of the same number.",
    wire: idTakenFor((asked, known) => /^[\d.]+$/.test(asked) && Number(asked) === Number(known)),
    fails: ["by-id.unknown-product/changed-id"],
    source: "appsmithorg/appsmith#17072",
  },
  "id-of-any-retailer-found": {
    does: "An id that one retailer does not have is looked up at another.",
    wire: remembering(() => {
      const paths = new Map<string, string>();
      return (send) => async (request) => {
        const response = await send(request);
        const id = byId(request) ? segments(request)[1] : undefined;
        if (id === undefined) return response;
        if (response.status === 200) paths.set(id, request.path);
        const path = paths.get(id);
        return response.status === 404 && path !== undefined ? await send({ ...request, path }) : response;
      };
    }),
    fails: ["by-id.unknown-product/changed-id"],
  },
  "gtin-cut-found": {
    does: "The beginning of a GTIN finds the product.",
    wire: parameterTakenFor(byGtin, "gtin", (asked, known) => asked.length >= 7 && known.startsWith(asked)),
    fails: ["query.gtin-not-found/changed-gtin"],
  },
  "gtin-check-digit-ignored": {
    does: "The check digit of a GTIN is ignored.",
    wire: parameterTakenFor(
      byGtin,
      "gtin",
      (asked, known) => asked.length === known.length && asked.slice(0, -1) === known.slice(0, -1),
    ),
    fails: ["query.gtin-not-found/changed-gtin"],
  },
  "gtin-first-digits-ignored": {
    does: "The first two digits of a GTIN are ignored.",
    wire: parameterTakenFor(
      byGtin,
      "gtin",
      (asked, known) => asked.length === known.length && asked.slice(2) === known.slice(2),
    ),
    fails: ["query.gtin-not-found/changed-gtin"],
  },
  "gtin-digits-after-it-ignored": {
    does: "Digits behind a GTIN are ignored.",
    wire: parameterTakenFor(byGtin, "gtin", (asked, known) => digits(asked).startsWith(known)),
    fails: ["query.gtin-not-found/changed-gtin"],
  },
  "scope-cut-accepted": {
    does: "A GTIN lookup accepts the beginning of a slug.",
    wire: parameterTakenFor(
      (request) => byGtin(request) && parameter(request, "retailer") !== undefined,
      "retailer",
      (asked, known) => asked.length > 2 && (known.startsWith(asked) || asked.startsWith(known)),
    ),
    fails: ["errors.unknown-retailer/by-gtin"],
  },
  "host-that-ends-alike": {
    does: "A URL is found on a host that ends with the right one.",
    wire: hostTakenFor(({ hostname }, host) => hostname.endsWith(host) && !hostname.endsWith(`.${host}`)),
    fails: ["query.url-not-found/changed-site"],
    source: "antiwork/gumroad#6645",
  },
  "host-that-begins-alike": {
    does: "A URL is found on a host that begins with the right one.",
    wire: hostTakenFor(({ hostname }, host) => hostname.replace(/^www\./, "").startsWith(`${host}.`)),
    fails: ["query.url-not-found/changed-site"],
  },
  "host-before-the-at": {
    does: "A URL is found by the user in front of its host.",
    wire: hostTakenFor(({ username }, host) => username.replace(/^www\./, "") === host),
    fails: ["query.url-not-found/changed-site"],
  },
  "page-of-another-site-found": {
    does: "A path is found on any host that was not seen before.",
    wire: parameterTakenFor(byUrl, "url", (asked, known) => {
      const [one, other] = [URL.parse(asked), URL.parse(known)];
      return one !== null && other !== null && one.pathname.length > 1 && one.pathname === other.pathname;
    }),
    fails: ["query.url/changed-page", "query.url-not-found/unknown-site"],
  },
  "page-of-another-id-found": {
    does: "A product page with another number at its end is found.",
    // A page whose path is not known leads to a product of the same site.
    wire: parameterTakenFor(byUrl, "url", (asked, known) => {
      const [one, other] = [URL.parse(asked), URL.parse(known)];
      const stem = (url: URL) => `${url.host}${url.pathname}`.replace(/-?\d+$/, "");
      return one !== null && other !== null && stem(one) === stem(other);
    }),
    fails: ["query.url/changed-page"],
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
    wire: remembering(() => {
      let known: string | undefined;
      return (send) => async (request) => {
        const response = await send(request);
        const category = isFor("category-page")(request) ? parameter(request, "category") : undefined;
        if (category === undefined || category === "") return response;
        const products = listOf(objectOf(response)?.products);
        if (response.status === 200 && products.length > 0) known ??= category;
        return response.status === 200 && products.length === 0 && known !== undefined
          ? await send(withParameters(request, { category: known }))
          : response;
      };
    }),
    fails: ["query.unknown-category/no-products"],
    source: "Openki/Openki#807",
  },
  "limit-with-a-tail-accepted": {
    does: "A limit such as 5x counts as 5.",
    wire: onRequest((request) => {
      const limit = parameter(request, "limit");
      return limit !== undefined && /^\d+[a-z]+$/.test(limit)
        ? withParameters(request, { limit: String(Number.parseInt(limit, 10)) })
        : undefined;
    }),
    fails: ["query.invalid-parameter/limit-with-a-tail"],
    source: "KanishJebaMathewM/Truxify#3199",
  },
  "key-in-any-case": {
    does: "A key is accepted in any case of letters.",
    wire: (send, keys) => async (request) => {
      const caller = (["primary", "sameOrg", "otherOrg"] as const).find(
        (one) => keys[one] !== undefined && keys[one]?.toLowerCase() === keyOf(request)?.toLowerCase(),
      );
      return await send(caller === undefined ? request : sentAs(caller, request, keys));
    },
    fails: ["authentication.exact-key/other-case"],
    source: "directus/v8-archive#1928",
  },
  "fifty-one-with-a-repeat": {
    does: "A batch of 51 items is accepted if one of them is repeated.",
    wire: onRequest((request) => {
      const distinct = new Map(itemsOf(request).map((item) => [JSON.stringify(item), item]));
      return isFor("batch")(request) && itemsOf(request).length > 50 && distinct.size > 1
        ? withItems(request, [...distinct.values()])
        : undefined;
    }),
    fails: ["batch.over-size/fifty-one"],
  },
  "cursor-of-another-key-kept": {
    does: "A cursor continues the walk of the organization that it was given to.",
    // A cursor carries the key of its walk: whoever sends it continues that walk.
    wire: (send, keys) => {
      const owners = new Map<string, "primary" | "sameOrg" | "otherOrg">();
      return async (request) => {
        const cursor = isFor("category-page")(request) ? parameter(request, "cursor") : undefined;
        const owner = cursor === undefined ? undefined : owners.get(cursor);
        const first = await send(request);
        const response =
          owner === undefined || first.status === 401 || first.status === 429
            ? first
            : await send(sentAs(owner, request, keys));
        const next = objectIn(objectOf(response)?.meta).next_cursor;
        const caller = (["primary", "sameOrg", "otherOrg"] as const).find(
          (one) => keys[one] === keyOf(request),
        );
        if (typeof next === "string" && next !== "" && (owner ?? caller) !== undefined)
          owners.set(next, owner ?? caller ?? "primary");
        return response;
      };
    },
    fails: ["authentication.entitlement/every-product"],
  },
  "garbage-beside-the-key-500": {
    does: "A valid key in one header and an invalid one in the other cause 500.",
    wire: onResponse((response, request) =>
      hasBothKeys(request) && response.status === 401 ? errorResponse(500) : undefined,
    ),
    fails: ["authentication.equivalent/both-good"],
  },
  "two-keys-see-both-lists": {
    does: "With keys of two organizations in the two headers, the list has the retailers of both.",
    wire: (send, keys) => async (request) => {
      const response = await send(request);
      const { authorization = "", "x-api-key": plain = "" } = request.headers;
      const both =
        isFor("retailers")(request) &&
        [authorization, plain].some((one) => one.endsWith(keys.primary)) &&
        [authorization, plain].some((one) => one.endsWith(keys.otherOrg));
      if (!both) return response;
      const lists = [
        await send(sentAs("primary", request, keys)),
        await send(sentAs("otherOrg", request, keys)),
      ];
      const entries = lists.flatMap((one) => listOf(objectOf(one)?.retailers));
      const distinct = new Map(entries.map((entry) => [JSON.stringify(entry), entry]));
      return withJson(lists[0] ?? response, { retailers: [...distinct.values()] });
    },
    fails: ["authentication.entitlement/two-keys"],
  },
} satisfies FaultTable;
