import { describe, expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Waiver } from "../../schemas/contracts/waivers.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import { isWithin, waiverForOutcome } from "./waiver-scope.ts";

const terms = { reason: "r", owner: "o", ticket: "t", expires: "2999-12-31" };
const waiver = (only: Waiver["only"]): Waiver => ({ id: "errors.shape", ...terms, only: only ?? {} });
const exchange = exchangeOf("category-page", {}, { status: 503 });
const finding: Finding = { code: "null-value", path: "/products/3/meta/count" };

describe("a narrowed waiver", () => {
  test.each<[Waiver["only"], boolean]>([
    [{ status: 503 }, true],
    [{ status: 500 }, false],
    [{ endpoint: "category-page" }, true],
    [{ endpoint: "batch" }, false],
    [{ field: "count" }, true],
    [{ field: "meta.count" }, true],
    [{ field: "ount" }, false],
    [{ status: 503, field: "price" }, false],
  ])("%o covers the finding: %s", (only, expected) => {
    expect(isWithin(waiver(only), finding, exchange)).toBe(expected);
  });

  test("waives a check only if it covers all that the check found", () => {
    const other = { ...finding, exchange: 1 };
    const evidence = [exchange, exchangeOf("batch", {}, { status: 400 })];
    const waivers = [waiver({ status: 503 })];
    const id = "errors.shape/every-response";
    expect(waiverForOutcome(id, { findings: [finding], evidence }, waivers)).toBe(waivers[0]);
    expect(waiverForOutcome(id, { findings: [finding, other], evidence }, waivers)).toBeUndefined();
  });
});
