import { describe, expect, test } from "vitest";
import { isObject } from "../../schemas/json.ts";
import { cachedBy, type StubFault, stubContext, withBody } from "../../test/support/stub-context.ts";
import { byCategory, byId, type Request, retailers } from "../client/requests.ts";
import { nextCursor } from "../discovery/browsing.ts";
import { need } from "../discovery/fixtures.ts";
import section from "./own-response.check.ts";

const names = section.checks.map(({ id }) => id.replace("service.own-response/", ""));
const checkOf = (name: string) => section.checks[names.indexOf(name)];

async function outcomeOf(name: string, fault?: StubFault) {
  return await checkOf(name)?.run(await stubContext(fault));
}

const idOf = ({ path }: Request) => path.split("/").at(-1) ?? "";
const gtinOf = ({ path }: Request) => new URLSearchParams(path.split("?")[1]).get("gtin") ?? path;
const keyOf = ({ caller, path }: Request) => `${caller} ${path}`;

test.each(names)("%s: a correct service passes, within the planned requests", async (name) => {
  const context = await stubContext();
  expect((await checkOf(name)?.run(context))?.kind).toBe("pass");
  expect(context.sent.length).toBeGreaterThan(0);
  expect(context.sent.length).toBeLessThanOrEqual(checkOf(name)?.requests ?? 0);
});

describe("at once", () => {
  test("every lookup path is used, with either organization's key; more in a thorough run", async () => {
    const context = await stubContext(undefined, { effort: 2 });
    await checkOf("at-once")?.run(context);
    expect(context.sent).toHaveLength(48);
    expect(new Set(context.sent.map(({ endpoint }) => endpoint))).toEqual(
      new Set(["lookup-by-id", "lookup-by-url", "lookup-by-gtin", "retailers", "batch"]),
    );
    expect(new Set(context.sent.map(({ caller }) => caller))).toEqual(new Set(["primary", "otherOrg"]));
  });

  test.each<[string, StubFault, expected: object]>([
    [
      "the product of another lookup by id",
      ({ path }, correct, respond) =>
        path.endsWith("item-3")
          ? { ...correct, response: respond(byId("acme", "item-0")).response }
          : correct,
      { code: "other-product", path: "/product_id", expected: "item-3", actual: "item-0" },
    ],
    [
      "an item of another batch",
      ({ endpoint }, correct) =>
        endpoint === "batch"
          ? withBody(correct, { products: [{ retailer: "acme", product_id: "of another" }] })
          : correct,
      { code: "item-not-sent", actual: { retailer: "acme", product_id: "of another" } },
    ],
  ])("%s is a wrong response", async (_name, fault, expected) => {
    expect(await outcomeOf("at-once", fault)).toMatchObject({ kind: "fail", findings: [expected] });
  });
});

describe("after a refusal", () => {
  test.each<[string, StubFault, status: number]>([
    ["the key", cachedBy(({ path }) => path), 401],
    ["the retailer", cachedBy((request) => `${request.caller} ${idOf(request)}`), 400],
    ["the case of an id", cachedBy((request) => keyOf(request).toLowerCase()), 404],
    ["the retailer of a GTIN", cachedBy((request) => `${request.caller} ${gtinOf(request)}`), 404],
  ])("a cache that ignores %s returns the refusal again", async (_name, fault, status) => {
    expect(await outcomeOf("after-refusal", fault)).toMatchObject({
      kind: "fail",
      findings: [{ code: "wrong-status", condition: "after-refusal", expected: [200], actual: status }],
      evidence: [{ response: { status } }, { response: { status } }],
    });
  });

  test("another product fails", async () => {
    const fault: StubFault = ({ caller }, correct, respond) =>
      caller === "primary" && correct.response.status === 200 ? respond(byId("acme", "item-9")) : correct;
    expect(await outcomeOf("after-refusal", fault)).toMatchObject({
      kind: "fail",
      findings: [{ code: "other-product", condition: "after-refusal", actual: "item-9" }],
    });
  });
});

describe.each(["by-id", "by-url", "by-gtin", "by-gtin-unscoped", "batch"])("in turn, %s", (lookup) => {
  const name = `in-turn-${lookup}`;

  test("fails when the refusal of the other organization stays in the cache", async () => {
    let refused: ReturnType<StubFault> | undefined;
    const fault: StubFault = ({ caller }, correct) => {
      if (caller === "otherOrg") refused = correct;
      return refused ?? correct;
    };
    expect(await outcomeOf(name, fault)).toMatchObject({
      kind: "fail",
      findings: [{ condition: "in-turn", details: { after: "otherOrg" } }],
    });
  });

  test("fails when the product stays in the cache", async () => {
    const fault = cachedBy(({ path, body = "" }) => path + body);
    expect(await outcomeOf(name, fault)).toMatchObject({
      kind: "fail",
      findings: [{ code: "not-granted", subject: "otherOrg" }],
    });
  });

  test("does not apply when the product is not found at all", async () => {
    const fault: StubFault = (_request, correct) => withBody(correct, {});
    expect(await outcomeOf(name, fault)).toMatchObject({ kind: "notApplicable" });
  });
});

test("without a retailer, a GTIN may lead to another retailer's product; with one, it must not", async () => {
  let count = 0;
  const fault: StubFault = ({ endpoint, caller }, correct) => {
    const product = correct.response.json as object;
    const isOther = endpoint === "lookup-by-gtin" && caller === "primary" && count++ > 0;
    return isOther ? withBody(correct, { ...product, retailer: "acme", product_id: "its-twin" }) : correct;
  };
  expect(await outcomeOf("in-turn-by-gtin-unscoped", fault)).toMatchObject({ kind: "pass" });
  count = 0;
  expect(await outcomeOf("in-turn-by-gtin", fault)).toMatchObject({ kind: "fail" });
});

describe("in turn, retailers", () => {
  test("the list of the other organization fails", async () => {
    expect(
      await outcomeOf(
        "in-turn-retailers",
        cachedBy(({ path }) => path),
      ),
    ).toMatchObject({
      kind: "fail",
      findings: [
        { code: "retailer-of-other-organization", subject: "bolt", details: { caller: "otherOrg" } },
      ],
    });
  });

  test("a retailer may be granted during the run", async () => {
    const fault: StubFault = (_request, correct) => {
      const { json } = correct.response;
      const listed = isObject(json) && Array.isArray(json.retailers) ? json.retailers : [];
      const granted = ["bolt", "zeta"].map((slug) => ({ slug, name: slug, domains: [] }));
      return withBody(correct, { retailers: [...listed, ...granted] });
    };
    expect(await outcomeOf("in-turn-retailers", fault)).toMatchObject({ kind: "pass" });
  });
});

test("in turn, by category: fails when a cursor gives the access of the organization that got it", async () => {
  const context = await stubContext((request, correct, respond) =>
    request.path.includes("cursor=")
      ? { ...respond({ ...request, caller: "primary" }), caller: request.caller }
      : correct,
  );
  const { category } = need(context.fixtures.category);
  for (const caller of ["primary", "otherOrg"] as const) await context.ask({ ...retailers(), caller });
  const first = await context.ask(byCategory(category, { limit: "1" }));
  await context.ask(byCategory(category, { limit: "3", cursor: nextCursor(first.response.json) ?? "" }));
  expect(await checkOf("in-turn-by-category")?.run(context)).toMatchObject({
    kind: "fail",
    findings: [{ code: "not-granted", subject: "otherOrg", actual: "bolt" }],
  });
});
