import { randomInt, randomLcg } from "d3-random";
import {
  batch,
  byCategory,
  byGtin,
  byId,
  byUrl,
  query,
  type Request,
  retailers,
} from "../../conformance/client/requests.ts";
import type { Caller, Target } from "../../conformance/client/target.ts";
import { asUsualClients } from "../../conformance/suite/any-client.ts";
import { type KeyHeader, keyHeaders, mostBatchItems } from "../../schemas/api.ts";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import { walkName } from "../../schemas/scenarios.ts";

/** Pages of a category. Each deployment gets its own cursors back. */
export interface PageWalk {
  readonly category: string;
  /** Of each page; after the last one, the first again. */
  readonly limits: readonly string[];
  readonly pages: number;
  /** Then a page as long as all those before. */
  readonly endsExactly?: true;
  /** Who requests the second page once more afterwards. */
  readonly again?: readonly Caller[];
}

/** What both deployments are asked. */
export type TwinRequest = {
  /** Kind of request, as reports name it. */
  readonly kind: string;
  /** Its latency is compared. */
  readonly isTimed: boolean;
} & ({ readonly request: Request } | { readonly walk: PageWalk });

/** Requests that most clients never send: nearly all get an error from a correct service. */
export const unusualName = "unusual";

/** Draw numbers of a run: the same seed asks the same in the same order. */
export type Draw = () => number;

export function randomOf(seed: number): Draw {
  // The generator keeps 32 bits of the fraction.
  return randomLcg(((seed * 2654435761) % 2 ** 32) / 2 ** 32);
}

/** Most different requests of a kind. */
const most = { products: 40, urls: 20, gtins: 20, batches: 12, walks: 6, pages: 6, retailers: 6 } as const;
const batchSizes = [1, 2, 10, 25, mostBatchItems] as const;

type LoadProduct = LoadFixtures["products"][number];

/** What requests are made of: what the load has, and a product that the primary key may not see. */
export interface TwinFixtures extends LoadFixtures {
  readonly unentitledProduct?: LoadProduct | undefined;
}

/** The requests of a run: all of them for the responses, the timed ones again and again for the latency. */
export function probesOf(fixtures: TwinFixtures, keys: Target["keys"], random: Draw): TwinRequest[] {
  const products = oddFirst(spreadOf(shuffled(fixtures.products, random)));
  const timed = (kind: string, requests: readonly Request[]): TwinRequest[] =>
    requests.map((request) => ({ kind, isTimed: true, request }));
  return [
    ...timed("retailers", [retailers()]),
    ...timed(
      "lookup-by-id",
      products.slice(0, most.products).map(({ retailer, product_id }) => byId(retailer, product_id)),
    ),
    ...timed(
      "lookup-by-url",
      products.flatMap(({ url }) => (url === undefined ? [] : [byUrl(url)])).slice(0, most.urls),
    ),
    ...timed(
      "lookup-by-gtin",
      products
        .flatMap(({ gtin, retailer }) => (gtin === undefined ? [] : [byGtin(gtin, retailer), byGtin(gtin)]))
        .slice(0, most.gtins),
    ),
    ...timed("category-page", pagesOf(fixtures)),
    ...timed("batch", batchesOf(fixtures, random)),
    ...walksOf(fixtures, keys),
    ...unusualOf(fixtures, random).map((request) => ({ kind: unusualName, isTimed: false, request })),
    ...otherKeysOf(fixtures, keys),
  ];
}

function pagesOf({ categories }: LoadFixtures): Request[] {
  return categories
    .slice(0, most.pages)
    .flatMap((category) => [byCategory(category), byCategory(category, { limit: "5" })]);
}

/**
 * Small pages show where a walk ends, skips or repeats; large ones show what a page holds. A cursor may be sent twice, and
 * shows each organization what that may see.
 */
function walksOf({ categories }: LoadFixtures, keys: Target["keys"]): TwinRequest[] {
  const again: Caller[] = keys.otherOrg === undefined ? ["primary"] : ["primary", "otherOrg"];
  const walks: PageWalk[] = categories.slice(0, most.walks).flatMap((category) => [
    { category, limits: ["3"], pages: 6, again },
    { category, limits: ["2", "5"], pages: 4 },
    { category, limits: ["50"], pages: 4, endsExactly: true },
  ]);
  return walks.map((walk) => ({ kind: walkName, isTimed: false, walk }));
}

function batchesOf({ products, unknownProductId, dialect }: LoadFixtures, random: Draw): Request[] {
  const [first] = products;
  if (first === undefined || dialect.batchRequestField === undefined) return [];
  const known = products.map(({ retailer, product_id }) => ({ retailer, product_id }));
  const unknown = { retailer: first.retailer, product_id: unknownProductId };
  const sized = batchSizes
    .filter((size) => size <= known.length)
    .map((size) => shuffled(known, random).slice(0, size));
  return [...sized, [...shuffled(known, random).slice(0, 4), unknown], [unknown]]
    .slice(0, most.batches)
    .map((items) => batch(items, dialect));
}

function unusualOf(fixtures: TwinFixtures, random: Draw): Request[] {
  const { products, categories, unknownRetailer, unknownProductId, unentitledRetailer, dialect } = fixtures;
  const [one, ...others] = shuffled(products, random);
  const [category] = categories;
  const withoutKey: Partial<Request> = { caller: "nobody" };
  const badKey = (header: KeyHeader): Partial<Request> => ({
    caller: "nobody",
    headers: { [header]: header === keyHeaders.bearer ? "Bearer no-such-key" : "no-such-key" },
  });
  const retailer = one?.retailer ?? unknownRetailer;
  const known = one === undefined ? retailers() : byId(one.retailer, one.product_id);
  const another = others.slice(0, 1).map(({ retailer, product_id }) => ({ retailer, product_id }));
  const withGtin = products.find(({ gtin }) => gtin !== undefined);
  const elsewhere = others.find((other) => other.retailer !== withGtin?.retailer)?.retailer;
  const withLetters = products.find(({ product_id: id }) => id !== inOtherCase(id));
  const withUrl = products.find(({ url }) => url !== undefined);
  const anyUrl = withUrl?.url ?? "https://shop.example.com/";
  const items = (count: number) =>
    Array.from({ length: count }, () => ({ retailer, product_id: one?.product_id ?? unknownProductId }));
  const ofUrl = (change: (url: URL) => void): Request[] => {
    const url = URL.parse(withUrl?.url ?? "");
    if (url === null) return [];
    change(url);
    return [byUrl(url.href)];
  };
  return [
    ...[retailers(), known].flatMap((request) => [
      { ...request, ...withoutKey },
      { ...request, ...badKey(keyHeaders.bearer) },
      { ...request, ...badKey(keyHeaders.plain) },
    ]),
    ...foreignOf(fixtures),
    // What is missing in another case does not hide what is there.
    ...(withLetters === undefined
      ? []
      : [inOtherCase(withLetters.product_id), withLetters.product_id].map((id) =>
          byId(withLetters.retailer, id),
        )),
    byId(retailer, unknownProductId),
    ...asUsualClients(byId(retailer, unknownProductId)),
    byId(unknownRetailer, unknownProductId),
    ...(unentitledRetailer === undefined ? [] : [byId(unentitledRetailer, unknownProductId)]),
    ...ofUrl((url) => (url.pathname = `${url.pathname}-${unknownProductId}`)),
    ...ofUrl((url) => (url.hostname = `other-${url.hostname}`)),
    ...ofUrl((url) => (url.hostname = "shop.example.com")),
    byUrl("https://shop.example.com/no-such-page"),
    byUrl(""),
    byUrl("no URL"),
    byGtin("00000000000000"),
    byGtin(""),
    byGtin("letters"),
    ...(withGtin?.gtin === undefined
      ? []
      : [
          byGtin(withGtin.gtin, unknownRetailer),
          ...(elsewhere === undefined ? [] : [byGtin(withGtin.gtin, elsewhere)]),
          ...(unentitledRetailer === undefined ? [] : [byGtin(withGtin.gtin, unentitledRetailer)]),
          query("lookup-by-gtin", { gtin: withGtin.gtin, category }),
          query("lookup-by-gtin", { gtin: withGtin.gtin, retailer: withGtin.retailer, category }),
          query("lookup-by-gtin", { gtin: withGtin.gtin, url: anyUrl }),
          query("lookup-by-gtin", { gtin: withGtin.gtin, url: anyUrl, category }),
          query("lookup-by-gtin", { gtin: withGtin.gtin, retailer: withGtin.retailer, url: anyUrl }),
        ]),
    query("other", {}),
    { ...retailers(), endpoint: "other", path: "/no-such-route" },
    byCategory("no such category"),
    ...(category === undefined
      ? []
      : [
          byCategory(category, { limit: "many" }),
          byCategory(category, { limit: "1.5" }),
          byCategory(category, { cursor: "no-such-cursor" }),
          byCategory(category, { limit: "100" }),
          byCategory(category, { limit: "1000" }),
          query("category-page", { category, url: anyUrl }),
        ]),
    ...(dialect.batchRequestField === undefined
      ? []
      : [
          batch(items(mostBatchItems + 1), dialect),
          batch([{ retailer }], dialect),
          batch(
            oddIds.map((product_id) => ({ retailer, product_id })),
            dialect,
          ),
          batch([...items(1), ...items(1)], dialect),
          batch([...items(1), { retailer: unknownRetailer, product_id: unknownProductId }], dialect),
          ...(unentitledRetailer === undefined
            ? []
            : [
                batch(
                  [...items(1), { retailer: unentitledRetailer, product_id: unknownProductId }, ...another],
                  dialect,
                ),
              ]),
        ]),
  ];
}

/** Identifiers that nothing has, and that a response must echo as they are. */
const oddIds = ["007", "12345678901234567890", " Ab-1 ", "ß", "e\u0301", "a.b;c?d"] as const;

function inOtherCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
}

/** A product that the primary key may not see, by every way to look it up, and after many that it may see. */
function foreignOf({ unentitledProduct: product, products, dialect }: TwinFixtures): Request[] {
  if (product === undefined) return [];
  const { retailer, product_id, gtin, url } = product;
  const many = [...products.slice(0, mostBatchItems - 1), product];
  const items = many.map((one) => ({ retailer: one.retailer, product_id: one.product_id }));
  return [
    byId(retailer, product_id),
    ...(url === undefined ? [] : [byUrl(url)]),
    ...(gtin === undefined ? [] : [byGtin(gtin), byGtin(gtin, retailer)]),
    ...(dialect.batchRequestField === undefined
      ? []
      : [batch(items.slice(-1), dialect), batch(items, dialect)]),
  ];
}

/** Without a key, with the other header, as usual clients send them, with the other keys: who may see what is part of the response. */
function otherKeysOf(fixtures: TwinFixtures, keys: Target["keys"]): TwinRequest[] {
  const { categories, dialect } = fixtures;
  const lookups = spreadOf(fixtures.products)
    .slice(0, most.retailers)
    .flatMap(({ retailer, product_id, gtin, url }) => [
      byId(retailer, product_id),
      ...(gtin === undefined ? [] : [byGtin(gtin)]),
      ...(url === undefined ? [] : [byUrl(url)]),
      ...(dialect.batchRequestField === undefined ? [] : [batch([{ retailer, product_id }], dialect)]),
    ]);
  const requests = [
    retailers(),
    ...lookups,
    ...categories.slice(0, 1).map((category) => byCategory(category)),
    ...foreignOf(fixtures),
  ];
  const callers = (["sameOrg", "otherOrg"] as const).filter((role) => keys[role] !== undefined);
  // Each way in alone would repeat the same for every retailer.
  const once = new Set<Request["endpoint"]>();
  return requests
    .flatMap((request): Request[] => {
      const isFirst = !once.has(request.endpoint);
      once.add(request.endpoint);
      const ways: Request[] = [
        { ...request, caller: "nobody" },
        { ...request, keyHeader: keyHeaders.bearer },
        { ...request, keyHeader: keyHeaders.plain },
        ...asUsualClients(request),
      ];
      return [...(isFirst ? ways : []), ...callers.map((caller) => ({ ...request, caller }))];
    })
    .map((request) => ({ kind: request.endpoint, isTimed: false, request }));
}

/** Identifiers with unusual characters are rare, and what goes wrong with them is not: half of a sample has them. */
function oddFirst(products: readonly LoadProduct[]): LoadProduct[] {
  const isOdd = ({ product_id }: LoadProduct) => /[^\w-]/.test(product_id);
  const odd = products.filter(isOdd).slice(0, most.products / 2);
  return [...odd, ...products.filter((product) => !odd.includes(product))];
}

/** One product of each retailer first, so that a sample has all of them. */
function spreadOf<P extends { readonly retailer: string }>(products: readonly P[]): P[] {
  const groups = [...Map.groupBy(products, ({ retailer }) => retailer).values()];
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: longest }, (_, row) => groups.flatMap((group) => group[row] ?? [])).flat();
}

function shuffled<T>(items: readonly T[], random: Draw): T[] {
  const left = [...items];
  for (let last = left.length - 1; last > 0; last--) {
    const place = randomInt.source(random)(0, last + 1)();
    const [a, b] = [left[last] as T, left[place] as T];
    [left[last], left[place]] = [b, a];
  }
  return left;
}
