import { randomLcg } from "d3-random";
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
import type { Target } from "../../conformance/client/target.ts";
import { keyHeaders, mostBatchItems } from "../../schemas/api.ts";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import { oneOfEachRetailer } from "../runs/stages/load-fixtures.ts";
import type { BySide, unusualKinds } from "./twin-result.ts";

/** What both deployments are asked. Those of a page differ in the cursor: each gets its own back. */
export interface TwinProbe {
  /** Kind of request, as reports name it. */
  readonly kind: string;
  /** Its latency is compared. */
  readonly isTimed: boolean;
  readonly requests: BySide<Request>;
}

/** Pages of a category. */
export interface PageWalk {
  readonly category: string;
  readonly limit: string;
  readonly pages: number;
}

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
const most = { ids: 16, urls: 8, gtins: 8, categories: 3, others: 3 } as const;

/** About 100 requests: all for the responses, the timed ones again and again for the latency. */
export function probesOf(fixtures: TwinFixtures, keys: Target["keys"], random: Draw) {
  const products = oneOfEachRetailer(shuffled(fixtures.products, random));
  const categories = fixtures.categories.slice(0, most.categories);
  const unknown = { ...products[0], product_id: fixtures.unknownProductId };
  const batchOf = batchWith(fixtures);
  const timed = [
    retailers(),
    ...products.slice(0, most.ids).map(byIdOf),
    ...products.flatMap(byUrlOf).slice(0, most.urls),
    ...products.flatMap(byGtinOf).slice(0, most.gtins),
    ...categories.flatMap((category) => [byCategory(category), byCategory(category, { limit: "5" })]),
    ...[1, 10, mostBatchItems].flatMap((size) => batchOf(shuffled(products, random).slice(0, size))),
    ...batchOf([...products.slice(0, 3), unknown]),
  ];
  // Who may see what is part of the response; a key in either header is, too.
  const others = (["sameOrg", "otherOrg"] as const).filter((role) => keys[role] !== undefined);
  const seenBy = [
    retailers(),
    ...products.slice(0, most.others).map(byIdOf),
    ...products.slice(0, 1).flatMap((product) => [...byUrlOf(product), ...byGtinOf(product)]),
    ...categories.slice(0, 1).map((category) => byCategory(category)),
    ...batchOf(products.slice(0, most.others)),
    ...[fixtures.unentitledProduct ?? []].flat().map(byIdOf),
  ];
  const untimed = [
    ...others.flatMap((caller) => seenBy.map((request) => ({ ...request, caller }))),
    ...Object.values(keyHeaders).map((keyHeader) => ({ ...retailers(), keyHeader })),
  ];
  const probes = [
    ...timed.map((request) => ({ kind: request.endpoint, isTimed: true, request })),
    ...Object.entries(unusualOf(fixtures, products)).flatMap(([kind, requests]) =>
      requests.map((request) => ({ kind, isTimed: false, request })),
    ),
    ...untimed.map((request) => ({ kind: request.endpoint, isTimed: false, request })),
  ].map(({ request, ...probe }): TwinProbe => ({ ...probe, requests: { old: request, new: request } }));
  const walks = categories.flatMap((category): PageWalk[] => [
    { category, limit: "3", pages: 4 },
    { category, limit: "50", pages: 3 },
  ]);
  return { probes, walks };
}

/** Requests that most clients never send. */
function unusualOf(
  fixtures: TwinFixtures,
  products: readonly LoadProduct[],
): Record<keyof typeof unusualKinds, Request[]> {
  const { unknownRetailer, unknownProductId, unentitledRetailer = unknownRetailer } = fixtures;
  const [{ retailer, product_id: id } = { retailer: unknownRetailer, product_id: unknownProductId }] =
    products;
  const otherCase = id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase();
  const url = products.find((one) => one.url !== undefined)?.url ?? "https://shop.example.com/";
  const scoped = products.find((one) => one.gtin !== undefined);
  const gtin = scoped?.gtin ?? "00000000000000";
  const elsewhere = products.find((one) => one.retailer !== scoped?.retailer)?.retailer ?? unknownRetailer;
  const [category = "no such category"] = fixtures.categories;
  const nobody = { ...retailers(), caller: "nobody" } as const;
  const unknown = { ...products[0], product_id: unknownProductId };
  const foreign = [fixtures.unentitledProduct ?? []].flat();
  const batchOf = batchWith(fixtures);
  return {
    "invalid-key": [
      nobody,
      { ...nobody, headers: { [keyHeaders.bearer]: "Bearer no-such-key" } },
      { ...nobody, headers: { [keyHeaders.plain]: "no-such-key" } },
    ],
    "unknown-item": [
      byId(retailer, unknownProductId),
      byId(unentitledRetailer, unknownProductId),
      byId(unknownRetailer, id),
      ...[`${url}-${unknownProductId}`, url.replace("://", "://other-")].map(byUrl),
      ...[unknownRetailer, unentitledRetailer, elsewhere].map((other) => byGtin(gtin, other)),
      byCategory("no such category"),
      { ...retailers(), endpoint: "other", path: "/no-such-route" },
    ],
    "odd-parameters": [
      ...(otherCase === id ? [] : [byId(retailer, otherCase)]),
      ...["", "no URL"].map(byUrl),
      ...["00000000000000", "letters"].map((odd) => byGtin(odd)),
      query("lookup-by-gtin", { gtin, category }),
      query("lookup-by-gtin", { gtin, retailer, url }),
      query("category-page", { category, url }),
      query("other", {}),
      ...["many", "1000"].map((limit) => byCategory(category, { limit })),
      byCategory(category, { cursor: "no-such-cursor" }),
    ],
    "odd-batch": [
      ...batchOf(Array.from({ length: mostBatchItems + 1 }, () => unknown)),
      ...batchOf([{ retailer: unknownRetailer }]),
      ...batchOf(oddIds.map((product_id) => ({ ...unknown, product_id }))),
      ...batchOf([...products.slice(0, 1), ...products.slice(0, 2), unknown]),
      // One that the key may not see, after many that it may.
      ...foreign.flatMap((product) => batchOf([...products.slice(0, mostBatchItems - 1), product])),
    ],
    "not-entitled": foreign.flatMap((product) => [
      byIdOf(product),
      ...byUrlOf(product),
      ...byGtinOf(product),
    ]),
  };
}

/** Identifiers that nothing has, and that a response must echo as they are. */
const oddIds = ["007", "12345678901234567890", " Ab-1 ", "ß", "e\u0301", "a.b;c?d"] as const;

/** Batches of products; none if the field names of a batch are unknown. */
function batchWith({ dialect }: Pick<LoadFixtures, "dialect">) {
  return (items: readonly Partial<LoadProduct>[]): Request[] => {
    const ids = items.map(({ retailer, product_id }) => ({ retailer, product_id }));
    return dialect.batchRequestField === undefined ? [] : [batch(ids, dialect)];
  };
}

function byIdOf({ retailer, product_id }: LoadProduct): Request {
  return byId(retailer, product_id);
}

function byUrlOf({ url }: LoadProduct): Request[] {
  return url === undefined ? [] : [byUrl(url)];
}

function byGtinOf({ gtin, retailer }: LoadProduct): Request[] {
  return gtin === undefined ? [] : [byGtin(gtin, retailer), byGtin(gtin)];
}

function shuffled<T>(items: readonly T[], random: Draw): T[] {
  const drawn = items.map((one) => ({ one, at: random() }));
  return drawn.toSorted((first, second) => first.at - second.at).map(({ one }) => one);
}
