import type { Finding } from "../../schemas/contracts/finding.ts";
import { failed, passed, statusOf } from "../client/outcome.ts";
import { byId, retailers } from "../client/requests.ts";
import { slugsIn } from "../discovery/browsing.ts";
import { need } from "../discovery/fixtures.ts";
import { unlessType } from "../response/body-findings.ts";
import { hasStatus } from "./check/expectations.ts";
import { section } from "./check/rows.ts";
import { noSlugRefused, slugsToTry } from "./retailer.check.ts";

/** Spec, GET /v1/retailers. Passive rules judge the fields of the entries: rules/retailer-responses.ts. */
export default section("retailers", [
  {
    id: "retailers.shape/list",
    title: "GET /retailers returns 200 with an array under retailers",
    requests: 1,
    async run({ shared }) {
      const exchange = await shared(retailers());
      const status = hasStatus(exchange, 200, { condition: "known-retailers" });
      const { json } = exchange.response;
      if (status.kind !== "pass") return status;
      if (json === undefined) return passed({ code: "judged-elsewhere", subject: "service.json" }, exchange);
      const findings = unlessType(json, "/retailers", "array");
      return findings.length === 0 ? status : failed(findings, exchange);
    },
  },
  {
    id: "retailers.scope/all-granted",
    title: "No listed retailer is rejected with 403",
    requests: slugsToTry,
    run: async (context) => await noSlugRefused(context, 403),
  },
  {
    id: "retailers.scope/all-listed",
    title: "Every retailer whose products the organization can fetch is listed",
    requests: 2,
    async run({ fixtures, ask }) {
      need(fixtures.product);
      for (const { retailer, productId } of fixtures.unlisted) {
        const list = await ask(retailers());
        if (slugsIn(list.response.json).includes(retailer)) continue;
        const exchange = await ask(byId(retailer, productId));
        if (exchange.response.status === 200) {
          const finding: Finding = {
            code: "retailer-not-listed",
            path: "/retailers",
            subject: retailer,
            product: { retailer, productId },
            comparedWith: 1,
          };
          return failed(finding, list, exchange);
        }
      }
      return passed();
    },
  },
  {
    id: "retailers.scope/other-organization",
    title: "No retailer listed for the other organization is rejected with 403",
    requests: 2,
    async run({ fixtures, ask }) {
      const listed = new Set(need(fixtures.otherRetailers));
      const known = [...Map.groupBy(fixtures.products, ({ retailer }) => retailer).values()].map(
        ([first]) => first,
      );
      for (const product of known
        .filter((each) => each !== undefined && listed.has(each.retailer))
        .slice(0, slugsToTry)) {
        if (product === undefined) continue;
        const exchange = await ask({ ...byId(product.retailer, product.productId), caller: "otherOrg" });
        if (exchange.response.status === 403) {
          const { retailer: subject, productId } = product;
          return failed(
            {
              code: "listed-retailer-refused",
              condition: "other-organization",
              subject,
              product: { retailer: subject, productId },
              ...statusOf(exchange),
            },
            exchange,
          );
        }
      }
      return passed();
    },
  },
]);
