import type { Contract } from "../../../scripts/earlier/drift.ts";
import type { DriftRuleId } from "../../../scripts/earlier/drift-rules.ts";

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
const limit = (low: number, high: number) => ({ limit: { perSecond: (low + high) / 2, low, high } });
export const all = { title: 38, gtin: 38, price: 20, size: 1 };
const onlyAcme: Partial<Contract> = {
  fieldsByRetailer: { acme: usual.fieldsByRetailer.acme ?? { products: 0, fields: {} } },
};

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
  [
    "the GTIN is found elsewhere, and one retailer still has it in the old place",
    "dialect.moved",
    {
      ...dialect({ gtin: "ean" }),
      fieldsByRetailer: {
        acme: { products: 1, fields: { ean: 1 } },
        bolt: { products: 1, fields: { ean: 1, gtin: 1 } },
      },
    },
    {
      fieldsByRetailer: {
        acme: { products: 1, fields: { ean: 1 } },
        bolt: { products: 1, fields: { ean: 1, gtin: 1 } },
      },
    },
  ],
  [
    "the found list is renamed, and its old name is also that of a field",
    "dialect.renamed",
    dialect({ batchFoundField: "found" }),
    dialect({ batchFoundField: "price" }),
  ],
  ["the found list is not found", "dialect.lost", without("batchFoundField")],
  ["a name is found", "dialect.found", {}, without("gtin")],
  ["a retailer is gone", "retailer.vanished", { retailers: ["acme"] }],
  ["a retailer is new", "retailer.appeared", { retailers: ["acme", "bolt", "city"] }],
  ["no product of a retailer is seen", "retailer.not-sampled", onlyAcme],
  ["no product of a retailer was ever seen", undefined, onlyAcme, onlyAcme],
  [
    "a retailer of which no product was sampled has products",
    undefined,
    {},
    { fieldsByRetailer: { ...onlyAcme.fieldsByRetailer, bolt: { products: 0, fields: {} } } },
  ],
  ["products of a retailer are seen for the first time", undefined, {}, onlyAcme],
  ["a field of all products is gone", "field.vanished", acme(38, { ...all, title: 0 })],
  [
    "a field of nearly all products is gone",
    "field.vanished",
    acme(38, { ...all, title: 0 }),
    acme(40, { title: 38, gtin: 40, price: 20, size: 1 }),
  ],
  [
    "a field of fewer than 95 % of the products is gone",
    "field.vanished-optional",
    acme(38, { ...all, title: 0 }),
    acme(40, { title: 37, gtin: 40, price: 20, size: 1 }),
  ],
  ["a field that no product ever had", undefined, acme(38, { ...all, ghost: 0 })],
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
  [
    "a field is gone, one category less",
    "field.vanished-elsewhere",
    { ...acme(38, { ...all, title: 0 }), categories: ["shoes"] },
    { categories: ["shoes", "bags"] },
  ],
  ["a field is on a quarter of the products", "field.rarer", acme(38, { ...all, title: 9 })],
  ["a field is on just under half as many products", "field.rarer", acme(38, { ...all, title: 18 })],
  ["a field is on half as many products", undefined, acme(38, { ...all, title: 19 })],
  [
    "a field is on a quarter of the products, of other categories",
    undefined,
    { ...acme(38, { ...all, title: 9 }), categories: ["hats"] },
  ],
  [
    "a field is on a third of three products, which chance explains",
    undefined,
    acme(3, { title: 1, gtin: 3, price: 1, size: 1 }),
    acme(2, { title: 2, gtin: 2, price: 1, size: 1 }),
  ],
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
  ...[500, 502, 504].map(
    (status) =>
      [
        `the server error ${status}`,
        "status.server-error",
        byUrl({ 200: 30, 404: 20, [status]: 1 }),
      ] as const,
  ),
  ["no successful response", "status.no-success", byUrl({ 404: 50 })],
  ["a status of the spec", "status.appeared", byUrl({ 200: 30, 404: 20, 403: 4 })],
  ["a status is gone", "status.gone", byUrl({ 200: 50 })],
  ["no 429 any more", undefined, byUrl({ 200: 30, 404: 20 }), byUrl({ 200: 30, 404: 20, 429: 900 })],
  ["a 429 for the first time", undefined, {}, byUrl({ 200: 30, 404: 20 })],
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
  [
    "hardly any of a burst is accepted, and only one run has a probe",
    "limit.lowered",
    { accepted: 1 },
    probe(40),
  ],
  [
    "a quarter of a burst is accepted, and only this run has a probe",
    "limit.lowered",
    { accepted: 40, ...probe(40) },
  ],
  ["hardly anything was sent", undefined, { accepted: 1, refused: 0 }],
  ["more is accepted than was sent before", undefined, { accepted: 640 }, { accepted: 160, refused: 0 }],
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
  ["probes that touch, lower", undefined, limit(30, 36), limit(36, 44)],
  ["probes that touch, higher", undefined, limit(44, 50), limit(36, 44)],
  ["rough probes that overlap say nothing, however far apart", undefined, probe(20, 0.5), probe(40, 0.5)],
];
