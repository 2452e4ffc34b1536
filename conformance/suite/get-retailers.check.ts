import { byId, retailers } from "../client/requests.ts";
import { slugsIn } from "../discovery/browsing.ts";
import { need } from "../discovery/fixtures.ts";
import { failed, passed } from "../engine/outcome.ts";
import { section } from "../engine/section.ts";
import { noSlugRefused, slugsToTry } from "./each-slug.ts";
import { hasStatus } from "./expectations.ts";

/** Spec, GET /v1/retailers. The fields of the entries are held by the passive rules in rules/retailer-answers.ts. */
export default section("retailers", [
  {
    id: "retailers.shape/list",
    requirement: "retailers.shape",
    title: "GET /retailers answers 200 with a list under retailers",
    requests: 1,
    async run({ ask }) {
      const answer = await ask(retailers());
      const status = hasStatus(answer, 200, "the key is accepted");
      if (status.kind !== "pass") return status;
      if (answer.response.json === undefined) return passed("not JSON: see service.json");
      const list = (answer.response.json as { retailers?: unknown } | null | undefined)?.retailers;
      return Array.isArray(list)
        ? passed(`${list.length} retailers`)
        : failed("there is no list under retailers", answer);
    },
  },
  {
    id: "retailers.scope/all-granted",
    requirement: "retailers.scope",
    title: "No listed retailer is refused as one that the organization may not use",
    requests: slugsToTry,
    run: async (context) => await noSlugRefused(context, 403),
  },
  {
    id: "retailers.scope/all-listed",
    requirement: "retailers.scope",
    title: "Every retailer whose products the organization can fetch is listed",
    requests: 2,
    async run({ fixtures, ask }) {
      need(fixtures.product);
      for (const { retailer, productId } of fixtures.unlisted) {
        const list = await ask(retailers());
        if (slugsIn(list.response.json).includes(retailer)) continue;
        const answer = await ask(byId(retailer, productId));
        if (answer.response.status === 200) {
          return failed(
            `${retailer} / ${productId} is found, and GET /retailers does not list ${retailer}`,
            list,
            answer,
          );
        }
      }
      return passed();
    },
  },
  {
    id: "retailers.scope/other-organization",
    requirement: "retailers.scope",
    title: "The other organization is not shown a retailer that it is refused",
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
        const answer = await ask({ ...byId(product.retailer, product.productId), caller: "otherOrg" });
        if (answer.response.status === 403) {
          return failed(
            `${product.retailer} is listed for the other organization and refused to it with 403`,
            answer,
          );
        }
      }
      return passed();
    },
  },
]);
