import { describe, expect, test } from "vitest";
import { type StubFault, stubContext, withBody } from "../../test/support/stub-context.ts";
import { byId } from "../client/requests.ts";
import { absent } from "../discovery/fixtures.ts";
import section from "./get-product-by-id.check.ts";

const check = section.checks.find(({ id }) => id === "by-id.unentitled-slug/existing-product");
const notGranted = { code: "wrong-status", condition: "retailer-not-granted", actual: 200 };

/** Returns the other organization's product of the retailer `zeta` for another spelling of its slug. */
const ignoresSpelling =
  (spelling: string): StubFault =>
  (request, correct, respond) => {
    const [retailer, id = ""] = request.path.split("/").slice(-2);
    return retailer === spelling ? respond({ ...byId("zeta", id), caller: "otherOrg" }) : correct;
  };

test.each(["ZETA", "zeta%20"])(
  "a product of another organization returned for the slug %s is a failure",
  async (slug) => {
    const context = await stubContext(ignoresSpelling(slug));
    expect(await check?.run(context)).toMatchObject({
      kind: "fail",
      findings: [{ ...notGranted, expected: [400, 403] }],
    });
  },
);

describe("without a list of retailers, a product of another organization", () => {
  async function outcomeOf(fault?: StubFault) {
    const { fixtures } = await stubContext();
    const retailers = absent({ code: "no-retailer", subject: "primary", actual: 200 });
    return await check?.run(await stubContext(fault, { fixtures: { ...fixtures, retailers } }));
  }

  test("that is refused passes", async () => {
    expect(await outcomeOf()).toMatchObject({ kind: "pass" });
  });

  test("that is returned is a failure", async () => {
    const fault: StubFault = (request, _correct, respond) => respond({ ...request, caller: "otherOrg" });
    expect(await outcomeOf(fault)).toMatchObject({
      kind: "fail",
      findings: [{ ...notGranted, expected: [403] }],
    });
  });

  test("that is returned for another spelling of the slug is a failure", async () => {
    expect(await outcomeOf(ignoresSpelling("ZETA"))).toMatchObject({
      kind: "fail",
      findings: [{ ...notGranted, expected: [400, 403] }],
    });
  });

  test("may have the id of a product of an own retailer with that other spelling", async () => {
    const fault: StubFault = (request, correct, respond) => {
      const other = ignoresSpelling("ZETA")(request, correct, respond);
      return other === correct || other instanceof Error
        ? correct
        : withBody(other, { ...(other.response.json as object), retailer: "ZETA" });
    };
    expect(await outcomeOf(fault)).toMatchObject({ kind: "pass" });
  });
});
