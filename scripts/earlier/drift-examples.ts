import type { Contract } from "../../schemas/types.ts";
import type { DriftRuleId } from "./drift-rules.ts";

/** A contract that tests modify. */
export const usual: Contract = {
  keyFingerprint: "0123456789ab",
  retailers: ["acme", "bolt"],
  categories: ["shoes"],
  dialect: { batchRequestField: "items", batchFoundField: "products", batchFoundProduct: "", gtin: "gtin" },
  fieldsByRetailer: {
    acme: { products: 40, fields: { title: 40, gtin: 40, price: 20, size: 1 } },
    bolt: { products: 12, fields: { title: 12, gtin: 12 } },
  },
  statuses: { "lookup-by-url": { 200: 30, 404: 20, 429: 5 } },
  accepted: 160,
  refused: 20,
};

/** The fields of the retailer acme, counted in `products` products. */
export const acme = (products: number, fields: Record<string, number>): Partial<Contract> => ({
  fieldsByRetailer: { ...usual.fieldsByRetailer, acme: { products, fields } },
});
export const dialect = (change: Contract["dialect"]): Partial<Contract> => ({
  dialect: { ...usual.dialect, ...change },
});
const without = (name: keyof Contract["dialect"]): Partial<Contract> => {
  const { [name]: _gone, ...rest } = usual.dialect;
  return { dialect: rest };
};
export const byUrl = (counts: Record<string, number>): Partial<Contract> => ({
  statuses: { "lookup-by-url": counts },
});
const probe = (perSecond: number, width = 0.1) => ({
  limit: { perSecond, low: perSecond * (1 - width), high: perSecond * (1 + width) },
});
export const all = { title: 38, gtin: 38, price: 20, size: 1 };

/** An example: its name, the rule that applies (undefined for no drift), and the changes after and before. */
export type DriftExample = readonly [
  name: string,
  rule: DriftRuleId | undefined,
  after: Partial<Contract>,
  before?: Partial<Contract>,
];

/** For each rule of drift, examples that it applies to and similar ones that it does not. */
export const driftExamples: readonly DriftExample[] = [
  ["nothing changed", undefined, {}],
  ["the found list is renamed", "dialect.renamed", dialect({ batchFoundField: "found" })],
  ["the request field is renamed", "dialect.renamed", dialect({ batchRequestField: "" })],
  [
    "the GTIN is renamed",
    "dialect.renamed",
    {
      ...dialect({ gtin: "ean" }),
      fieldsByRetailer: { bolt: { products: 1, fields: { ean: 1 } } },
      retailers: ["bolt"],
    },
    { retailers: ["bolt"], fieldsByRetailer: { bolt: { products: 1, fields: { ean: 1 } } } },
  ],
  ["the GTIN is found elsewhere too", "dialect.moved", dialect({ gtin: "identifiers[].value" })],
  ["the found list is not found", "dialect.lost", without("batchFoundField")],
  ["a name is found", "dialect.found", {}, without("gtin")],
  ["a retailer is gone", "retailer.vanished", { retailers: ["acme"] }],
  ["a retailer is new", "retailer.appeared", { retailers: ["acme", "bolt", "city"] }],
  [
    "no product of a retailer is seen",
    "retailer.not-sampled",
    {
      fieldsByRetailer: { acme: usual.fieldsByRetailer.acme ?? { products: 0, fields: {} } },
    },
  ],
  ["a field of all products is gone", "field.vanished", acme(38, { ...all, title: 0 })],
  ["a field of some products is gone", "field.vanished-optional", acme(38, { ...all, price: 0 })],
  [
    "a field is gone, of another category",
    "field.vanished-elsewhere",
    {
      ...acme(38, { ...all, title: 0 }),
      categories: ["hats"],
    },
  ],
  [
    "a field is gone, one more category",
    "field.vanished",
    {
      ...acme(38, { ...all, title: 0 }),
      categories: ["hats", "shoes"],
    },
  ],
  ["a field is on a quarter of the products", "field.rarer", acme(38, { ...all, title: 9 })],
  ["a field is on most products", undefined, acme(38, { ...all, title: 30 })],
  ["a rare field is not seen", "field.not-seen", acme(38, { ...all, size: 0 })],
  [
    "a field is gone, of two products",
    "field.not-seen",
    acme(1, { gtin: 1, price: 1, size: 1 }),
    {
      ...acme(2, { title: 2, gtin: 2, price: 1, size: 1 }),
    },
  ],
  ["a field is new everywhere", "field.new", acme(38, { ...all, cost_price: 38 })],
  [
    "a field known of another retailer",
    "field.appeared",
    {
      fieldsByRetailer: {
        ...usual.fieldsByRetailer,
        bolt: { products: 12, fields: { title: 12, gtin: 12, price: 3 } },
      },
    },
  ],
  ["a status that the spec does not name", "status.unknown", byUrl({ 200: 30, 404: 20, 410: 1 })],
  ["a server error", "status.server-error", byUrl({ 200: 30, 404: 20, 502: 1 })],
  ["no successful response", "status.no-success", byUrl({ 404: 50 })],
  ["a status of the spec", "status.appeared", byUrl({ 200: 30, 404: 20, 403: 4 })],
  ["a status is gone", "status.gone", byUrl({ 200: 50 })],
  ["fewer 429", undefined, byUrl({ 200: 30, 404: 20 })],
  ["an endpoint that was not requested", undefined, { statuses: {} }],
  [
    "wrong methods and unknown paths",
    undefined,
    {
      statuses: { ...usual.statuses, other: { 405: 3 } },
    },
    { statuses: { ...usual.statuses, other: { 404: 3 } } },
  ],
  ["hardly any of a burst is accepted", "limit.lowered", { accepted: 1 }],
  ["a quarter of a burst is accepted", "limit.lowered", { accepted: 40 }],
  ["less of a burst is accepted, within its variation", undefined, { accepted: 63 }],
  [
    "a limit where there was none within reach",
    "limit.lowered",
    { accepted: 60 },
    { accepted: 600, refused: 0 },
  ],
  ["four times as many of a burst are accepted", "limit.raised", { accepted: 640 }],
  ["no limit within reach any more", undefined, { accepted: 600, refused: 0 }],
  ["a probe finds half", "limit.halved", probe(20), probe(40)],
  ["a probe finds two thirds", "limit.lowered", probe(26), probe(40)],
  ["a probe finds more", "limit.raised", probe(60), probe(40)],
  ["probes that overlap", undefined, probe(36), probe(40)],
  ["rough probes that overlap say nothing, however far apart", undefined, probe(20, 0.5), probe(40, 0.5)],
];
