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
import { keyHeaders, mostBatchItems } from "../../schemas/api.ts";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import { walkName } from "../../schemas/scenarios.ts";
import { unusualName } from "./twin-result.ts";

/** Pages of a category. Each deployment gets its own cursors back. */
export interface PageWalk {
  readonly category: string;
  readonly limit: string;
  readonly pages: number;
  /** Who requests the last page once more afterwards. */
  readonly again?: readonly Caller[];
}

/** What both deployments are asked. */
export type TwinRequest = {
  /** Kind of request, as reports name it. */
  readonly kind: string;
  /** Its latency is compared. */
  readonly isTimed: boolean;
} & ({ readonly request: Request } | { readonly walk: PageWalk });

/** Draw numbers of a run: the same seed asks the same in the same order. */
export type Draw = () => number;

export function randomOf(seed: number): Draw {
  // The generator keeps 32 bits of the fraction.
  return randomLcg(((seed * 2654435761) % 2 ** 32) / 2 ** 32);
}

type LoadProduct = LoadFixtures["products"][number];

/** What requests are made of: what the load has, and a product that the primary key may not see. */
export interface TwinFixtures extends LoadFixtures {
  readonly unentitledProduct?: LoadProduct | undefined;
}

/** Most different requests of a kind. */
const most = { ids: 16, urls: 8, gtins: 4, categories: 3, walks: 2, others: 3 } as const;

/** The requests of a run, about 100: all of them for the responses, the timed ones again and again for the latency. */
export function probesOf(fixtures: TwinFixtures, keys: Target["keys"], random: Draw): TwinRequest[] {
  const products = oddFirst(spreadOf(shuffled(fixtures.products, random)));
  const { dialect, unentitledProduct: foreign } = fixtures;
  const categories = fixtures.categories.slice(0, most.categories);
  const batchOf = (items: readonly unknown[]) =>
    dialect.batchRequestField === undefined ? [] : [batch(items, dialect)];
  const timed: readonly Request[] = [
    retailers(),
    ...products.slice(0, most.ids).map(lookup),
    ...products.flatMap(({ url }) => (url === undefined ? [] : [byUrl(url)])).slice(0, most.urls),
    ...products
      .filter(({ gtin }) => gtin !== undefined)
      .slice(0, most.gtins)
      .flatMap(({ gtin = "", retailer }) => [byGtin(gtin, retailer), byGtin(gtin)]),
    ...categories.flatMap((category) => [byCategory(category), byCategory(category, { limit: "5" })]),
    ...[1, 10, mostBatchItems].flatMap((size) =>
      batchOf(shuffled(products, random).slice(0, size).map(item)),
    ),
    ...batchOf([...products.slice(0, 3).map(item), item(unknownOf(fixtures))]),
  ];
  const others = (["sameOrg", "otherOrg"] as const).filter((role) => keys[role] !== undefined);
  const walks: PageWalk[] = categories.slice(0, most.walks).flatMap((category) => [
    { category, limit: "3", pages: 4, again: ["primary", ...others.filter((role) => role === "otherOrg")] },
    { category, limit: "50", pages: 3 },
  ]);
  // Who may see what is part of the response; a key in either header is, too.
  const seenBy = [
    retailers(),
    ...products.slice(0, most.others).map(lookup),
    ...products
      .slice(0, 1)
      .flatMap(({ url, gtin }) => [
        ...(url === undefined ? [] : [byUrl(url)]),
        ...(gtin === undefined ? [] : [byGtin(gtin)]),
      ]),
    ...categories.slice(0, 1).map((category) => byCategory(category)),
    ...batchOf(products.slice(0, most.others).map(item)),
    ...(foreign === undefined ? [] : [lookup(foreign)]),
  ];
  const untimed: readonly Request[] = [
    ...others.flatMap((caller) => seenBy.map((request) => ({ ...request, caller }))),
    ...Object.values(keyHeaders).map((keyHeader) => ({ ...retailers(), keyHeader })),
    ...products.slice(0, 1).flatMap((product) => asUsualClients(lookup(product))),
  ];
  return [
    ...timed.map((request) => ({ kind: request.endpoint, isTimed: true, request })),
    ...walks.map((walk) => ({ kind: walkName, isTimed: false, walk })),
    ...unusualOf(fixtures, products, batchOf).map((request) => ({
      kind: unusualName,
      isTimed: false,
      request,
    })),
    ...untimed.map((request) => ({ kind: request.endpoint, isTimed: false, request })),
  ];
}

function unusualOf(
  fixtures: TwinFixtures,
  products: readonly LoadProduct[],
  batchOf: (items: readonly unknown[]) => Request[],
): Request[] {
  const { unknownRetailer, unknownProductId, unentitledRetailer, unentitledProduct: foreign } = fixtures;
  const [one = unknownOf(fixtures), ...more] = products;
  const { url = "https://shop.example.com/no-such-page" } =
    products.find((other) => other.url !== undefined) ?? {};
  const { gtin = "00000000000000", retailer } = products.find((other) => other.gtin !== undefined) ?? one;
  const elsewhere = more.find((other) => other.retailer !== retailer)?.retailer ?? unknownRetailer;
  const [category = "no such category"] = fixtures.categories;
  const missing = { ...one, product_id: unknownProductId };
  const hidden = { ...missing, retailer: unentitledRetailer ?? unknownRetailer };
  const otherCase = products.find(({ product_id: id }) => id !== inOtherCase(id)) ?? one;
  return [
    { ...retailers(), caller: "nobody" },
    { ...lookup(one), caller: "nobody" },
    { ...retailers(), caller: "nobody", headers: { [keyHeaders.bearer]: "Bearer no-such-key" } },
    { ...retailers(), caller: "nobody", headers: { [keyHeaders.plain]: "no-such-key" } },
    // What is missing in another case does not hide what is there.
    byId(otherCase.retailer, inOtherCase(otherCase.product_id)),
    lookup(missing),
    lookup({ ...one, retailer: unknownRetailer }),
    lookup(hidden),
    byUrl(`${url}-${unknownProductId}`),
    byUrl(url.replace("://", "://other-")),
    byUrl(""),
    byUrl("no URL"),
    byGtin("00000000000000"),
    byGtin("letters"),
    byGtin(gtin, unknownRetailer),
    byGtin(gtin, elsewhere),
    byGtin(gtin, hidden.retailer),
    query("lookup-by-gtin", { gtin, category }),
    query("lookup-by-gtin", { gtin, retailer, url }),
    query("category-page", { category, url }),
    query("other", {}),
    { ...retailers(), endpoint: "other", path: "/no-such-route" },
    byCategory("no such category"),
    byCategory(category, { limit: "many" }),
    byCategory(category, { limit: "1000" }),
    byCategory(category, { cursor: "no-such-cursor" }),
    ...batchOf(Array.from({ length: mostBatchItems + 1 }, () => item(one))),
    ...batchOf([{ retailer: one.retailer }]),
    ...batchOf(oddIds.map((product_id) => ({ retailer: one.retailer, product_id }))),
    ...batchOf([one, one, { ...missing, retailer: unknownRetailer }, hidden, ...more.slice(0, 1)].map(item)),
    ...(foreign === undefined ? [] : foreignOf(foreign, products, batchOf)),
  ];
}

/** A product that the primary key may not see, by every way to look it up, and after many that it may see. */
function foreignOf(
  product: LoadProduct,
  products: readonly LoadProduct[],
  batchOf: (items: readonly unknown[]) => Request[],
): Request[] {
  return [
    lookup(product),
    ...(product.url === undefined ? [] : [byUrl(product.url)]),
    ...(product.gtin === undefined ? [] : [byGtin(product.gtin), byGtin(product.gtin, product.retailer)]),
    ...batchOf([...products.slice(0, mostBatchItems - 1), product].map(item)),
  ];
}

/** Identifiers that nothing has, and that a response must echo as they are. */
const oddIds = ["007", "12345678901234567890", " Ab-1 ", "ß", "e\u0301", "a.b;c?d"] as const;

function lookup({ retailer, product_id }: LoadProduct): Request {
  return byId(retailer, product_id);
}

function item({ retailer, product_id }: LoadProduct) {
  return { retailer, product_id };
}

function unknownOf({ products: [one], unknownRetailer, unknownProductId }: TwinFixtures): LoadProduct {
  return { retailer: one?.retailer ?? unknownRetailer, product_id: unknownProductId };
}

function inOtherCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
}

/** Identifiers with unusual characters are rare, and what goes wrong with them is not: half of a sample has them. */
function oddFirst(products: readonly LoadProduct[]): LoadProduct[] {
  const odd = products.filter(({ product_id }) => /[^\w-]/.test(product_id)).slice(0, most.ids / 2);
  return [...odd, ...products.filter((product) => !odd.includes(product))];
}

/** One product of each retailer first, so that a sample has all of them. */
function spreadOf(products: readonly LoadProduct[]): LoadProduct[] {
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
