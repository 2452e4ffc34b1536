import { describe, expect, test, vi } from "vitest";
import type { Tenant } from "../../schemas/contracts/load-fixtures.ts";
import { valueAt } from "../../schemas/json.ts";
import { createRedaction } from "../../schemas/redaction.ts";
import { requestKindIds } from "../../schemas/scenarios.ts";
import { catalogFrom } from "./catalog.ts";
import { sampleFixtures } from "./sample-fixtures.ts";
import { identityOf, type TenantCall, volley, volleySize } from "./tenant-calls.ts";
import { createFit, createMisfitReporter, type SentExchange, type TenantExchange } from "./tenant-fit.ts";

const catalog = catalogFrom(sampleFixtures());
const tenants = catalog.tenants as readonly Tenant[];

describe("a volley", () => {
  test("is a pure function of seed and index, and differs with both", () => {
    const texts = [0, 0, 1].map((index) => JSON.stringify(volley(catalog, 1, index)));
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
    expect(JSON.stringify(volley(catalog, 2, 0))).not.toBe(texts[0]);
  });

  test("has requests of all organizations in turn, on every endpoint", () => {
    const calls = volley(catalog, 1, 0);
    expect(calls.map(({ tenant }) => tenant)).toEqual(
      Array.from({ length: volleySize }, (_, place) => place % 2),
    );
    const kinds = new Set(calls.map(({ name }) => name));
    expect(requestKindIds.filter((name) => !kinds.has(name))).toEqual([
      "lookup-unknown-product",
      "lookup-unknown-retailer",
    ]);
  });

  test("has one product that only one of them may see, requested by both", () => {
    for (const index of [0, 1]) {
      const calls = volley(catalog, 1, index);
      const outsider = calls.find(({ name }) => name === "lookup-unentitled-retailer") as TenantCall;
      expect(outsider.tenant).not.toBe(index % 2);
      expect(calls.filter(({ path }) => path === outsider.path).length).toBeGreaterThan(1);
    }
  });
});

describe("a response", () => {
  const calls = volley(catalog, 1, 0);
  const { fieldNames } = catalog;

  /** The right response to a call, as far as the organizations differ. */
  function fitting(call: TenantCall): TenantExchange {
    const { retailers, products } = tenants[call.tenant] as Tenant;
    const shown = products.filter((product) => call.items.includes(identityOf(product)));
    switch (call.name) {
      case "retailers":
        return { call, status: 200, body: { retailers: retailers.map((slug) => ({ slug, domains: [] })) } };
      case "category-page":
        return { call, status: 200, body: { products, meta: {} } };
      case "batch":
        return { call, status: 200, body: { found: shown, errors: [], meta: {} } };
      case "lookup-unentitled-retailer":
        return { call, status: 403, body: {} };
      default:
        return { call, status: 200, body: shown[0] };
    }
  }
  const all = calls.map(fitting);
  const misfit = createFit(tenants, fieldNames);
  const indexOf = (name: TenantCall["name"], tenant: number) =>
    calls.findIndex((call) => call.name === name && call.tenant === tenant);
  /** What is found when the exchange at a place is changed. */
  const found = (at: number, change: Partial<TenantExchange>) => {
    const changed = all.map((one, place) => (place === at ? { ...one, ...change } : one));
    const result = misfit(changed, at);
    const { details, path = "" } = result?.finding ?? {};
    const place = valueAt(changed[at]?.body, path);
    return result && { what: details?.what, place, other: changed[result.other]?.call };
  };

  test("that is right fits, whatever its kind", () => {
    expect(all.flatMap((_, at) => misfit(all, at) ?? [])).toEqual([]);
  });

  test.each(["retailers", "lookup-by-id", "lookup-by-url", "category-page", "batch"] as const)(
    "with the body of the other organization does not fit: %s",
    (name) => {
      const [own, other] = [indexOf(name, 0), indexOf(name, 1)];
      const result = found(own, { body: all[other]?.body });
      expect(result?.other?.tenant).toBe(1);
      expect(result?.what).toMatch(/retailer|product/);
      expect(result?.place).toEqual(expect.any(String));
    },
  );

  test("names the exchange that it fits", () => {
    const [own, other] = [indexOf("batch", 0), indexOf("batch", 1)];
    expect(found(own, { body: all[other]?.body })?.other).toBe(calls[other]);
  });

  test("to an outsider with the product does not fit", () => {
    const outsider = indexOf("lookup-unentitled-retailer", 1);
    const owner = calls.findIndex(
      ({ path, name }) => path === calls[outsider]?.path && name === "lookup-by-id",
    );
    expect(found(outsider, { status: 200, body: all[owner]?.body })?.what).toBe("retailer");
  });

  test.each<[string, listed: boolean, status: number, isLeak: boolean]>([
    ["out of a cache is a leak", false, 200, true],
    ["that the key's list has by then is none", true, 200, false],
    ["with a list of the same moment alone is a leak", false, 503, true],
  ])("with a foreign retailer that comes again alone, %s", (_name, listed, status, isLeak) => {
    const outsider = indexOf("lookup-unentitled-retailer", 1);
    const [shown] = (tenants[0] as Tenant).products.filter((one) =>
      calls[outsider]?.items.includes(identityOf(one)),
    );
    const sent = (one: TenantExchange): SentExchange => {
      const response = {
        status: one.status,
        headers: {},
        body: JSON.stringify(one.body),
        timings: { duration: 1 },
      };
      return { ...one, response };
    };
    const leaking = all.map((one, at) => sent(at === outsider ? { ...one, status: 200, body: shown } : one));
    const list = { retailers: listed ? [{ slug: shown?.retailer }] : [] };
    const send = (call: TenantCall) =>
      call.name === "retailers" ? sent({ call, status, body: list }) : (leaking[outsider] as SentExchange);
    const settings = { requestIdHeader: "off" };
    const report = createMisfitReporter({ settings, redaction: () => createRedaction([]) }, misfit);
    const found = misfit(leaking, outsider);
    using log = vi.spyOn(console, "warn").mockReturnValue();
    expect(found && report(found, leaking, outsider, send)).toBe(isLeak);
    expect(log).toHaveBeenCalledTimes(isLeak ? 1 : 0);
  });

  test("that changed without another organization fits: new retailers, other fields, failures", () => {
    const list = indexOf("retailers", 0);
    const slugs = ["retailer-0", "retailer-1", "brand-new"].map((slug) => ({ slug, domains: [] }));
    expect(found(list, { body: { retailers: slugs } })).toBeUndefined();
    expect(found(indexOf("lookup-by-id", 0), { body: { title: "Without identity" } })).toBeUndefined();
    expect(found(indexOf("lookup-by-id", 0), { status: 404, body: {} })).toBeUndefined();
    expect(found(indexOf("category-page", 0), { body: "not a page" })).toBeUndefined();
  });
});
