import { describe, expect, test } from "vitest";
import { catalogFrom, type LoadCatalog } from "./catalog.ts";
import { sampleFixtures } from "./sample-fixtures.ts";
import {
  batchCalls,
  blockSize,
  type LookupMix,
  lookupCall,
  lookupMix,
  mixPeriod,
  popularRank,
  uniform,
  walkStart,
} from "./traffic.ts";

const catalog = catalogFrom(sampleFixtures());
const lookupKind = (mix: LookupMix, index: number) => lookupCall(mix, index).name;

describe("draws", () => {
  test("are even over [0, 1) and differ by seed, index and stream", () => {
    const draws = Array.from({ length: 20_000 }, (_, index) => uniform(7, index, 1));
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const draw of draws) tenths[Math.floor(draw * 10)] = (tenths[Math.floor(draw * 10)] ?? 0) + 1;
    for (const count of tenths) expect(count).toBeGreaterThan(1850);
    expect(new Set(draws).size).toBeGreaterThan(19_990);
    expect(uniform(8, 0, 1)).not.toBe(uniform(7, 0, 1));
    expect(uniform(7, 0, 2)).not.toBe(uniform(7, 0, 1));
  });

  test("ranks follow Zipf's law", () => {
    const count = 200;
    const seen = Array.from({ length: count }, () => 0);
    const draws = 200_000;
    for (let index = 0; index < draws; index += 1) {
      const rank = popularRank(uniform(3, index, 1), count);
      seen[rank] = (seen[rank] ?? 0) + 1;
    }
    for (const rank of [0, 1, 9, 99]) {
      const expected = (draws * Math.log((rank + 2) / (rank + 1))) / Math.log(count + 1);
      expect(Math.abs((seen[rank] ?? 0) - expected)).toBeLessThan(5 * Math.sqrt(expected));
    }
    expect(seen.every((times) => times > 0)).toBe(true);
    expect(popularRank(1 - 2 ** -53, count)).toBe(count - 1);
  });
});

describe("lookups", () => {
  const mix = lookupMix(catalog, 5);

  test("have the stated mix in every block", () => {
    for (let block = 0; block < 8; block += 1) {
      const kinds = Array.from({ length: blockSize }, (_, slot) => lookupKind(mix, block * blockSize + slot));
      const count = (kind: string) => kinds.filter((each) => each === kind).length;
      expect([count("lookup-by-id"), count("lookup-by-url"), count("lookup-by-gtin")]).toEqual([13, 4, 2]);
    }
  });

  test("have every kind once in a period, as far as the catalog has data for it", () => {
    const kindsOf = (of: LoadCatalog) => {
      const mixOf = lookupMix(of, 5);
      return new Set(Array.from({ length: mixPeriod }, (_, index) => lookupKind(mixOf, index)));
    };
    const always = ["lookup-by-id", "lookup-unknown-product", "lookup-unknown-retailer", "retailers"];
    const more = ["lookup-by-gtin", "lookup-by-url", "lookup-unentitled-retailer"];
    expect(kindsOf(catalog)).toEqual(new Set([...always, ...more]));
    const { products, unentitledRetailer: _, ...rest } = sampleFixtures();
    const bare = products.map(({ retailer, product_id }) => ({ retailer, product_id }));
    expect(kindsOf(catalogFrom({ ...rest, products: bare }))).toEqual(new Set(always));
  });

  test("have their expected errors at each place of a block, one after the other, from where the seed says", () => {
    const places = (from: number) =>
      Array.from({ length: blockSize }, (_, block) =>
        Array.from({ length: blockSize }, (_, place) =>
          lookupKind(lookupMix(catalog, from), block * blockSize + place),
        ).findIndex((kind) => kind.startsWith("lookup-un") || kind === "retailers"),
      );
    expect(places(5).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: blockSize }, (_, place) => place),
    );
    expect(places(6)[0]).not.toBe(places(5)[0]);
  });

  test("depend only on seed and index", () => {
    const nine = lookupMix(catalog, 9);
    const calls = (order: number[]) => order.map((index) => JSON.stringify(lookupCall(nine, index))).sort();
    const forwards = Array.from({ length: 500 }, (_, index) => index);
    expect(calls(forwards.toReversed())).toEqual(calls(forwards));
    expect(lookupCall(lookupMix(catalog, 10), 3)).not.toEqual(lookupCall(nine, 3));
  });

  test("encode special characters in ids, URLs and categories", () => {
    expect(catalog.byId.at(7)).toBe('/products/retailer-1/id%2F7%20%25\n"id/7 %"');
    expect(catalog.byUrl.at(7)).toBe(
      '/products?url=https%3A%2F%2Fshop.example%2F7%3Fa%3D1%26b%3D2\n"id/7 %"',
    );
    expect(walkStart(catalog, 2).path).toBe("/products?category=home%20%26%20garden");
    const dots = catalogFrom({ ...sampleFixtures(), products: [{ retailer: "..", product_id: "." }] });
    expect(dots.byId.at(0)).toBe('/products/%2E%2E/%2E\n"."');
  });
});

describe("batches", () => {
  test("have every size from 1 to 50 once in fifty, and distinct items", () => {
    const batchAt = batchCalls(catalog, 4);
    const sizes: number[] = [];
    for (let index = 0; index < 50; index += 1) {
      const { body = "" } = batchAt(index);
      const items = (JSON.parse(body) as { items: object[] }).items.map((item) => JSON.stringify(item));
      sizes.push(items.length);
      expect(new Set(items).size).toBe(items.length);
      expect(items.includes('{"retailer":"retailer-0","product_id":"no-such-product"}')).toBe(
        index % 5 === 0,
      );
    }
    expect(sizes.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, place) => place + 1));
  });

  test("use the target's name for the list, or none", () => {
    const dialect = (batchRequestField: string) =>
      catalogFrom({ ...sampleFixtures(), dialect: { batchRequestField } });
    expect(JSON.parse(batchCalls(dialect('odd "name"'), 1)(0).body ?? "")).toHaveProperty('odd "name"');
    expect(JSON.parse(batchCalls(dialect(""), 1)(0).body ?? "")).toBeInstanceOf(Array);
    expect(() => batchCalls(catalogFrom({ ...sampleFixtures(), dialect: {} }), 1)(0)).toThrow("dialect");
  });
});

test("a catalog without products is refused with the fix", () => {
  expect(() => catalogFrom({ ...sampleFixtures(), products: [] })).toThrow("name a category");
});
