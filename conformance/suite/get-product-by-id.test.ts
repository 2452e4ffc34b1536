import { expect, test } from "vitest";
import { byId } from "../client/requests.ts";
import { stubContext } from "../testing/stub-context.ts";
import section from "./get-product-by-id.check.ts";

test.each(["ZETA", "zeta%20"])(
  "a product of another organization returned for the slug %s is a failure",
  async (slug) => {
    const context = await stubContext((request, correct, respond) => {
      const [retailer, id = ""] = request.path.split("/").slice(-2);
      return retailer === slug ? respond({ ...byId("zeta", id), caller: "otherOrg" }) : correct;
    });
    const check = section.checks.find(({ id }) => id === "by-id.unentitled-slug/existing-product");
    expect(await check?.run(context)).toMatchObject({
      kind: "fail",
      findings: [
        { code: "wrong-status", condition: "retailer-not-granted", expected: [400, 403], actual: 200 },
      ],
    });
  },
);
