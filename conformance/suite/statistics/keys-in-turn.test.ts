import { describe, expect, test } from "vitest";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { isObject } from "../../../schemas/json.ts";
import { type StubFault, stubContext, withBody } from "../../../test/support/stub-context.ts";
import { byCategory, type Request } from "../../client/requests.ts";
import { nextCursor } from "../../discovery/browsing.ts";
import { absent, need } from "../../discovery/fixtures.ts";
import { keysInTurn } from "./keys-in-turn.ts";

async function outcomeOf(name: string, fault?: StubFault) {
  const context = await stubContext(fault);
  const entry = keysInTurn.find((one) => one.name === name);
  const outcome = await entry?.run(context);
  return { kind: outcome?.kind, findings: outcome?.findings, sent: context.sent.length, entry };
}

const names = keysInTurn.map(({ name }) => name);
const lookups = names.filter((name) => name !== "retailers" && name !== "by-category");

test.each(names)("%s: a correct service passes, within the planned requests", async (name) => {
  const { kind, sent, entry } = await outcomeOf(name);
  expect(kind).toBe("pass");
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThanOrEqual(entry?.requests ?? 0);
});

describe.each(lookups)("%s", (name) => {
  test("fails when the refusal of the other organization stays in the cache", async () => {
    let refused: ReturnType<StubFault> | undefined;
    const fault: StubFault = ({ caller }, correct) => {
      if (caller === "otherOrg") refused = correct;
      return refused ?? correct;
    };
    const { kind, findings = [] } = await outcomeOf(name, fault);
    expect(kind).toBe("fail");
    expect(findings[0]).toMatchObject({ condition: "in-turn", details: { after: "otherOrg" } });
  });

  test("is judged elsewhere when the product is not found at all", async () => {
    const fault: StubFault = (_request, correct) => withBody(correct, {});
    expect(await outcomeOf(name, fault)).toMatchObject({ kind: "pass" });
  });
});

test("without a retailer, a GTIN may lead to another retailer's product; with one, it must not", async () => {
  let count = 0;
  const fault: StubFault = ({ endpoint }, correct) => {
    const product = correct.response.json as object;
    const isOther = endpoint === "lookup-by-gtin" && correct.response.status === 200 && count++ % 2 === 1;
    return isOther ? withBody(correct, { ...product, retailer: "acme", product_id: "its-twin" }) : correct;
  };
  expect(await outcomeOf("by-gtin-unscoped", fault)).toMatchObject({ kind: "pass" });
  expect(await outcomeOf("by-gtin", fault)).toMatchObject({ kind: "fail" });
});

describe("retailers", () => {
  test("a retailer may be granted during the run", async () => {
    const fault: StubFault = (_request, correct) => {
      const { json } = correct.response;
      const listed = isObject(json) && Array.isArray(json.retailers) ? json.retailers : [];
      const granted = ["bolt", "zeta"].map((slug) => ({ slug, name: slug, domains: [] }));
      return withBody(correct, { retailers: [...listed, ...granted] });
    };
    expect(await outcomeOf("retailers", fault)).toMatchObject({ kind: "pass" });
  });
});

describe("by-category", () => {
  test("fails when products of the first organization are gone after a request of the other", async () => {
    let isFiltered = false;
    const fault: StubFault = ({ caller }, correct) => {
      isFiltered ||= caller === "otherOrg";
      const { json } = correct.response;
      const products = isObject(json) && Array.isArray(json.products) ? json.products : [];
      const shared = products.filter((product) => isObject(product) && product.retailer === "acme");
      return isFiltered && caller === "primary" ? withBody(correct, { products: shared }) : correct;
    };
    expect(await outcomeOf("by-category", fault)).toMatchObject({
      kind: "fail",
      findings: [{ code: "item-missing", condition: "in-turn", details: { after: "otherOrg" } }],
    });
  });

  test("requests the page that has shown a product of the first organization alone", async () => {
    const pages: Request[] = [];
    const fault: StubFault = (request, correct) => {
      pages.push(request);
      const { json } = correct.response;
      if (request.path.includes("cursor=c3") || !isObject(json) || !Array.isArray(json.products))
        return correct;
      const shared = json.products.filter((product) => isObject(product) && product.retailer === "acme");
      return withBody(correct, { ...json, products: shared });
    };
    const context = await stubContext(fault);
    const { category } = need(context.fixtures.category);
    for (const cursor of [{}, { cursor: "c3" }]) await context.ask(byCategory(category, cursor));
    const outcome = await keysInTurn.find(({ name }) => name === "by-category")?.run(context);
    expect(outcome?.kind).toBe("pass");
    expect(pages.slice(2).map(({ path }) => path.includes("cursor=c3"))).toEqual(Array(5).fill(true));
  });

  test("is not judged when no product tells the organizations apart", async () => {
    const fault: StubFault = (_request, correct) => {
      const { json } = correct.response;
      if (!isObject(json) || !Array.isArray(json.products)) return correct;
      const shared = json.products.filter((product) => isObject(product) && product.retailer === "acme");
      return withBody(correct, { ...json, products: shared });
    };
    const { fixtures } = await stubContext();
    const missing = { code: "no-own-product", details: { retailers: [] } } satisfies Finding;
    const context = await stubContext(fault, { fixtures: { ...fixtures, ownProduct: absent(missing) } });
    const run = keysInTurn.find(({ name }) => name === "by-category")?.run(context);
    await expect(run).rejects.toThrow(expect.objectContaining({ finding: missing }));
  });
});

test("by-category: fails when a cursor gives the access of the organization that got it", async () => {
  const context = await stubContext((request, correct, respond) =>
    request.path.includes("cursor=")
      ? { ...respond({ ...request, caller: "primary" }), caller: request.caller }
      : correct,
  );
  const { category } = need(context.fixtures.category);
  const first = await context.ask(byCategory(category, { limit: "1" }));
  await context.ask(byCategory(category, { limit: "3", cursor: nextCursor(first.response.json) ?? "" }));
  expect(await keysInTurn.find(({ name }) => name === "by-category")?.run(context)).toMatchObject({
    kind: "fail",
    findings: [{ code: "not-granted", subject: "otherOrg", actual: "bolt" }],
  });
});
