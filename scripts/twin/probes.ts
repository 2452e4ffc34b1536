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
import { unknownPath } from "../../conformance/discovery/unknown-values.ts";
import { keyHeaders, mostBatchItems } from "../../schemas/api.ts";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import { walkName } from "../../schemas/scenarios.ts";
import { oneOfEachRetailer } from "../runs/stages/load-fixtures.ts";
import type { BySide, unusualKinds } from "./twin-result.ts";

/** What both deployments are asked. */
export interface TwinProbe {
  /** Kind of request, as reports name it. */
  readonly kind: string;
  /** Its latency is compared. */
  readonly isTimed: boolean;
  /** Most pages, from this one on. Default: 1 */
  readonly pages?: number;
  /** Those of a later page differ in the cursor: each gets its own back. */
  readonly requests: BySide<Request>;
}

type LoadProduct = LoadFixtures["products"][number];

/** What requests are made of: what the load has, and at most one product that the primary key may not see. */
export interface TwinFixtures extends LoadFixtures {
  readonly foreign: readonly LoadProduct[];
}

/** Most different lookups of a kind, categories, pages of a walk, those of one walk to the end, and products that others look up. */
const most = { lookups: 12, categories: 3, pages: 4, pagesToEnd: 25, others: 2 } as const;

/**
 * Up to 180 requests: all for the responses, the timed ones again and again for the latency.
 * @param others Callers besides the usual one.
 */
export function probesOf(fixtures: TwinFixtures, others: readonly Request["caller"][]): TwinProbe[] {
  const products = oneOfEachRetailer(fixtures.products);
  const categories = fixtures.categories.slice(0, most.categories);
  const unknown = { ...products[0], product_id: fixtures.unknownProductId };
  const batchOf = batchWith(fixtures);
  const lookups = Map.groupBy(products.flatMap(lookupsOf), ({ endpoint }) => endpoint);
  const timed = [
    retailers(),
    ...[...lookups.values()].flatMap((own) => own.slice(0, most.lookups)),
    ...categories.flatMap((category) => [byCategory(category), byCategory(category, { limit: "5" })]),
    ...[1, 10, mostBatchItems].flatMap((size) => batchOf(products.slice(-size))),
    ...batchOf([...products.slice(0, 3), unknown]),
  ];
  // Who may see what is part of the response; a key in either header is, too.
  const seenBy = [
    retailers(),
    ...[...products.slice(0, most.others), ...fixtures.foreign].flatMap(lookupsOf),
    ...categories.slice(0, 1).map((category) => byCategory(category)),
    ...batchOf(products.slice(0, most.others)),
  ];
  const untimed = [
    ...others.flatMap((caller) => seenBy.map((request) => ({ ...request, caller }))),
    ...Object.values(keyHeaders).map((keyHeader) => ({ ...retailers(), keyHeader })),
  ];
  return [
    ...timed.map((request) => probeOf(request, request.endpoint, true)),
    ...Object.entries(unusualOf(fixtures, products)).flatMap(([kind, requests]) =>
      requests.map((request) => probeOf(request, kind)),
    ),
    ...untimed.map((request) => probeOf(request)),
    ...categories.flatMap((category, place) =>
      ["3", "50"].map((limit) => ({
        ...probeOf(byCategory(category, { limit }), walkName),
        pages: place === 0 && limit === "50" ? most.pagesToEnd : most.pages,
      })),
    ),
  ];
}

function probeOf(request: Request, kind: string = request.endpoint, isTimed = false): TwinProbe {
  return { kind, isTimed, requests: { old: request, new: request } };
}

/** Requests that most clients never send. */
function unusualOf(
  fixtures: TwinFixtures,
  products: readonly LoadProduct[],
): Record<keyof typeof unusualKinds, Request[]> {
  const { foreign, unknownRetailer, unknownProductId, unentitledRetailer = unknownRetailer } = fixtures;
  const [{ retailer, product_id: id } = { retailer: unknownRetailer, product_id: unknownProductId }] =
    products;
  const otherCase = id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase();
  const url = products.find((one) => one.url !== undefined)?.url ?? "https://shop.example.com/";
  const withGtin = products.filter((one) => one.gtin !== undefined);
  const { gtin = "00000000000000" } = withGtin[0] ?? {};
  // Each retailer, for what it does not have: a made-up product, and one of another retailer.
  const elsewhere = [...new Set(products.map((one) => one.retailer))].slice(0, most.lookups);
  const [category = "no such category"] = fixtures.categories;
  const nobody = { ...retailers(), caller: "nobody" } as const;
  const unknown = { ...products[0], product_id: unknownProductId };
  const batchOf = batchWith(fixtures);
  return {
    "invalid-key": [
      nobody,
      { ...nobody, headers: { [keyHeaders.bearer]: "Bearer no-such-key" } },
      { ...nobody, headers: { [keyHeaders.plain]: "no-such-key" } },
    ],
    "unknown-item": [
      ...[unentitledRetailer, ...elsewhere].map((other) => byId(other, unknownProductId)),
      byId(unknownRetailer, id),
      ...[`${url}-${unknownProductId}`, url.replace("://", "://other-")].map(byUrl),
      ...[unknownRetailer, unentitledRetailer, ...elsewhere].map((other) =>
        byGtin(withGtin.find((one) => one.retailer !== other)?.gtin ?? gtin, other),
      ),
      byCategory("no such category"),
      { ...retailers(), endpoint: "other", path: unknownPath },
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
    "not-entitled": foreign.flatMap(lookupsOf),
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

function lookupsOf({ retailer, product_id, url, gtin }: LoadProduct): Request[] {
  return [
    byId(retailer, product_id),
    ...(url === undefined ? [] : [byUrl(url)]),
    ...(gtin === undefined ? [] : [byGtin(gtin, retailer), byGtin(gtin)]),
  ];
}
