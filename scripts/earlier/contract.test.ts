import { expect, test } from "vitest";
import { requirements } from "../../conformance/requirements/all.ts";
import { sections } from "../../conformance/requirements/requirement.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Discovered, FieldsByRetailer } from "../../schemas/contracts/results.ts";
import { exampleLoad, exampleResults } from "../../test/support/samples/example.ts";
import { type Contract, differencesBetween, isDifferenceName } from "./contract.ts";

type Counts = Readonly<Record<string, number | undefined>>;
const usual = { title: 40, price: 38, color: 20, "images[].url": 30, "size.width": 40, "size.height": 40 };

/** What the products of a retailer have; undefined for a field that none has. */
function acme(change: Counts = {}, products = 40): FieldsByRetailer[string] {
  const counts = Object.entries<number | undefined>({ ...usual, ...change });
  const known = counts.flatMap(([path, count]) => (count === undefined ? [] : [[path, count] as const]));
  return { products, fields: Object.fromEntries(known) };
}

const productsByType = {
  title: { string: 80 },
  price: { number: 76 },
  images: { array: 60 },
  "images[]": { object: 60 },
  "images[].url": { string: 60 },
  size: { object: 80 },
};
const { images: _list, "images[]": _entry, "images[].url": _url, ...withoutImages } = productsByType;

/** The contract of a run, as far as it is not usual. */
interface Change extends Partial<Discovered> {
  readonly keyFingerprint?: string;
  /** Requests a second. */
  readonly limit?: number;
  /** Of the load run that estimated it. */
  readonly verdict?: LoadResult["verdict"];
}

function contract({ keyFingerprint = "a", limit, verdict = "pass", ...discovered }: Change = {}): Contract {
  const found = limit && { perSecond: limit, low: limit * 0.95, high: limit * 1.05, burst: 10 };
  const rateLimit = found ? ({ mode: "probe", limit: found } as const) : undefined;
  const { fieldsByRetailer = { acme: acme(), bolt: acme() } } = discovered;
  const fields: Record<string, number> = {};
  for (const [path, count] of Object.values(fieldsByRetailer).flatMap((one) => Object.entries(one.fields)))
    fields[path] = (fields[path] ?? 0) + count;
  return {
    target: { keyFingerprint },
    load: [exampleLoad(), exampleLoad({ scenario: "rate-limit", rateLimit, verdict })],
    discovered: {
      ...exampleResults().discovered,
      dialect: { batchRequestField: "items", gtin: "gtin" },
      retailers: ["acme", "bolt"],
      categories: ["shoes"],
      ...{ fields, fieldsByRetailer, productsByType },
      ...discovered,
    },
  };
}
const fields = (change: Counts, products?: number) => ({
  fieldsByRetailer: { acme: acme(change, products), bolt: acme() },
});
const nowhere = (change: Counts) => ({ fieldsByRetailer: { acme: acme(change), bolt: acme(change) } });
const names = (batchRequestField: string, gtin = "gtin"): Change => ({
  dialect: { batchRequestField, gtin },
});
const noTitle = fields({ title: undefined });
const noImages = { ...nowhere({ "images[].url": undefined }), productsByType: withoutImages };
const noSize = fields({ "size.width": undefined, "size.height": undefined });
const imagesAsText = {
  ...nowhere({ "images[].url": undefined, images: 30 }),
  productsByType: { ...withoutImages, images: { string: 60 } },
};
const priceIs = (price: Record<string, number>): Change => ({
  productsByType: { ...productsByType, price },
});
const moreCategories = { ...priceIs({ string: 78 }), ...fields({ extra: 9 }), categories: ["shoes", "hats"] };
/** Half of the prices: of the 9 strings of now, 4.5 would have been there. */
const fewerBefore = { ...priceIs({ number: 39 }), ...nowhere({ price: 19.5 }) };
const rare = (type: string, change: Counts = {}): Change => ({
  productsByType: { ...productsByType, rare: { [type]: 5 } },
  ...fields(change),
});

test.each<[string, names: string[], after: Change, before?: Change]>([
  ["nothing", [], {}],
  ["another name in a batch", ["name-changed/batchRequestField"], names("ids"), names("title")],
  ["a name that was not found this time", [], { dialect: {} }],
  ["a name that was not found before", [], {}, { dialect: {} }],
  ["another place of the GTIN", ["name-changed/gtin"], names("items", "ean")],
  [
    "one more place of the GTIN",
    ["field-new/products"],
    { ...names("items", "ean"), ...fields({ gtin: 4 }) },
  ],
  ["a retailer less", ["retailer-gone/bolt"], { retailers: ["acme"] }],
  ["an empty list of retailers", ["retailer-gone/acme"], { retailers: [] }, { retailers: ["acme"] }],
  ["a list of retailers that was not read", [], { retailers: undefined }],
  ["a retailer more", ["retailer-new/core"], { retailers: ["acme", "bolt", "core"] }],
  ["a field that all products of a retailer had", ["field-gone/title"], noTitle],
  ["a field that nearly all had", ["field-gone/price"], fields({ price: undefined })],
  ["a field that half of all had", ["field-gone/color"], nowhere({ color: undefined })],
  ["a field that half of those of a retailer had", [], fields({ color: undefined })],
  ["a field that a few had", [], nowhere({ color: undefined }), nowhere({ color: 9 })],
  ["a field that fewer have", [], fields({ title: 3 })],
  ["a retailer with too few products now", [], fields({ title: undefined }, 9)],
  ["a retailer with just enough products", ["field-gone/title"], fields({ title: undefined }, 10)],
  ["a retailer with too few products before", [], noTitle, fields({}, 9)],
  ["a retailer whose products were not seen", [], { fieldsByRetailer: { acme: acme() } }],
  ["no products seen before", [], {}, { fieldsByRetailer: {} }],
  ["a category less", [], noTitle, { categories: ["shoes", "lamps"] }],
  ["a category more", [], moreCategories],
  ["all fields of an object", ["field-gone/size"], noSize],
  ["a list that three in four had", ["field-gone/images"], noImages],
  ["a list that a few had", [], noImages, nowhere({ "images[].url": 5 })],
  ["a list that is empty now", [], nowhere({ "images[].url": undefined })],
  ["a list that becomes a string", ["field-type/images"], imagesAsText],
  ["a number that becomes a string", ["field-type/price"], priceIs({ string: 78 })],
  ["a number that is a string in some products", ["field-type/price"], priceIs({ number: 73, string: 5 })],
  ["a number that is a string in few products", [], priceIs({ number: 74, string: 4 })],
  ["a type of few among more products now", [], { ...priceIs({ number: 78, string: 9 }) }, fewerBefore],
  [
    "another type of a field",
    ["field-type/rare"],
    rare("number", { rare: 10 }),
    rare("string", { rare: 10 }),
  ],
  ["another type of a rare field", [], rare("number", { rare: 9 }), rare("string", { rare: 10 })],
  ["a type that is one of those before", [], {}, priceIs({ number: 77, string: 1 })],
  ["a type that was not seen now", [], { productsByType: {} }],
  ["a type that was not seen before", [], {}, { productsByType: {} }],
  ["a field that no product had", ["field-new/products"], fields({ material: 3 })],
  ["a field with the name of a method", ["field-new/products"], fields({ constructor: 3 })],
  ["half the limit", ["limit-halved/rate"], { limit: 20 }, { limit: 40 }],
  ["a lower limit", ["limit-changed/rate"], { limit: 30 }, { limit: 40 }],
  ["a higher limit", ["limit-changed/rate"], { limit: 60 }, { limit: 40 }],
  ["limits that may be the same", [], { limit: 38 }, { limit: 40 }],
  ["a limit that was not probed before", [], { limit: 20 }],
  ["a limit that was not probed now", [], {}, { limit: 20 }],
  ["a limit of an invalid run", [], { limit: 20, verdict: "invalid" }, { limit: 40 }],
])("%s: %j", (_name, expected, after, before) => {
  const found = differencesBetween(contract(before), contract(after));
  expect(found.map(({ name }) => name)).toEqual(expected);
  // A gate compares before load, so a waiver of that would never apply.
  for (const { name, breaking } of found)
    expect(isDifferenceName(name)).toBe(breaking && name !== "limit-halved/rate");
});

test("each is a sentence with what was before and what is now, breaking ones first", () => {
  const before = contract({ limit: 40 });
  const after = contract({
    ...imagesAsText,
    ...nowhere({ title: undefined, "images[].url": undefined, images: 30, extra: 3 }),
    dialect: { batchRequestField: "", gtin: "gtin" },
    retailers: ["acme", "core"],
    keyFingerprint: "b",
    limit: 20,
  });
  expect(differencesBetween(before, after).map(({ message }) => message)).toEqual([
    "Batch request field: `items` before, the body itself now.",
    "The retailer `bolt` is no longer listed. The primary key has changed: another organization may have other retailers.",
    "Field `title`: gone. 80 of 80 products had it, now none of 80 (`acme` and `bolt`).",
    "Field `images`: array before, now string in 60 products.",
    "Rate limit: about 40 requests a second (38 to 42) before, about 20 requests a second (19 to 21) now.",
    "The retailer `core` is listed now.",
    "New on products: `extra`.",
  ]);
  const fewer = differencesBetween(contract(), contract({ ...noImages, retailers: ["acme"] }));
  expect(fewer.map(({ message }) => message)).toEqual([
    "The retailer `bolt` is no longer listed.",
    "Field `images`: gone. 60 of 80 products had it, now none of 80.",
  ]);
});

test("no requirement has the name of a difference", () => {
  const ids = [...requirements.map(({ id }) => id), ...Object.keys(sections)];
  expect(ids.filter((id) => isDifferenceName(id))).toEqual([]);
});
