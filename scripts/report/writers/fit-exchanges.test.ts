import { expect, test } from "vitest";
import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import { sampleExchange } from "../../../test/support/samples/sample.ts";
import { embeddedJson, fitExchanges } from "./fit-exchanges.ts";

const exchange = (nth: number): Evidence => sampleExchange({ body: `${nth} ${"x".repeat(3000)}` });

test("with enough room nothing is cut, and each exchange is embedded once", () => {
  const fitted = fitExchanges([[exchange(1), exchange(2)], [exchange(1)], []], 1_000_000);
  expect(fitted.slots).toEqual([[0, 1], [0], []]);
  expect(fitted.exchanges).toEqual([exchange(1), exchange(2)]);
  expect(fitted.cutAt).toBeUndefined();
});

test("with less room every slot keeps its first exchange, cut to the same length", () => {
  const slots = Array.from({ length: 20 }, (_, nth) => [
    exchange(3 * nth),
    exchange(3 * nth + 1),
    exchange(3 * nth + 2),
  ]);
  const fitted = fitExchanges(slots, 40_000);
  expect(fitted.slots).toEqual(slots.map((_, nth) => [nth]));
  expect(fitted.cutAt).toBe(1000);
  expect(fitted.exchanges[7]?.response.body).toBe(`21 ${"x".repeat(997)}… (2,003 more characters)`);
  expect(fitted.exchanges[7]?.curl).toBe(exchange(21).curl);
  expect(Buffer.byteLength(embeddedJson(fitted.exchanges))).toBeLessThanOrEqual(40_002);
});

test("with hardly any room the first slots are filled and the rest stay empty", () => {
  const { slots, bytes } = fitExchanges([[exchange(1)], [exchange(2)], [exchange(3)]], 900);
  expect(slots[0]).toEqual([0]);
  expect(slots[2]).toEqual([]);
  expect(bytes).toBeLessThanOrEqual(900);
});

test("embedded JSON parses to the same value, without end tags and invisible characters", () => {
  const value = { text: "</script><!--\u2028\u202E\u0007\u007F\u{E0041}\uD83D" };
  const text = embeddedJson(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toMatch(/^[\x20-\x7e]*$/);
  expect(text).not.toContain("<");
});
