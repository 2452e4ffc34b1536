import { describe, expect, test } from "vitest";
import { isObject } from "../../schemas/json.ts";
import { type StubFault, stubContext, withBody } from "../../test/support/stub-context.ts";
import { byId, type Request } from "../client/requests.ts";
import section from "./own-response.check.ts";

const names = section.checks.map(({ id }) => id.replace("service.own-response/", ""));
const checkOf = (name: string) => section.checks[names.indexOf(name)];

async function outcomeOf(name: string, fault?: StubFault) {
  return await checkOf(name)?.run(await stubContext(fault));
}

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
    expect(context.sent).toHaveLength(44);
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
  test("another product fails", async () => {
    const fault: StubFault = ({ caller }, correct, respond) =>
      caller === "primary" && correct.response.status === 200
        ? { ...correct, response: respond(byId("acme", "item-9")).response }
        : correct;
    expect(await outcomeOf("after-refusal", fault)).toMatchObject({
      kind: "fail",
      findings: expect.arrayContaining([
        expect.objectContaining({ code: "other-product", actual: "item-9" }),
      ]),
    });
  });
});

describe("in turn", () => {
  test("fails when the refusal of the other organization stays in the cache", async () => {
    let refused: ReturnType<StubFault> | undefined;
    const fault: StubFault = ({ caller }, correct) => {
      if (caller === "otherOrg") refused = correct;
      return refused ?? correct;
    };
    expect(await outcomeOf("in-turn", fault)).toMatchObject({
      kind: "fail",
      findings: [{ code: "wrong-status", condition: "in-turn", details: { after: "otherOrg" } }],
    });
  });

  test.each<[string, (request: Request) => boolean]>([
    ["by id", ({ endpoint }) => endpoint === "lookup-by-id"],
    ["by URL", ({ endpoint }) => endpoint === "lookup-by-url"],
    ["by GTIN", ({ path }) => path.includes("gtin=") && !path.includes("retailer=")],
    ["in a batch", ({ endpoint }) => endpoint === "batch"],
    ["behind a cursor", ({ path }) => path.includes("cursor=")],
  ])("fails when what the first organization may see is returned to the other one, %s", async (_name, is) => {
    const fault: StubFault = (request, correct, respond) =>
      is(request) ? { ...respond({ ...request, caller: "primary" }), caller: request.caller } : correct;
    expect(await outcomeOf("in-turn", fault)).toMatchObject({
      kind: "fail",
      findings: [{ code: "not-granted", subject: "otherOrg" }],
    });
  });

  test("a retailer may be granted during the run", async () => {
    const fault: StubFault = ({ endpoint }, correct) => {
      const { json } = correct.response;
      if (endpoint !== "retailers" || !isObject(json) || !Array.isArray(json.retailers)) return correct;
      const granted = ["bolt", "zeta"].map((slug) => ({ slug, name: slug, domains: [] }));
      return withBody(correct, { retailers: [...json.retailers, ...granted] });
    };
    expect(await outcomeOf("in-turn", fault)).toMatchObject({ kind: "pass" });
  });
});
