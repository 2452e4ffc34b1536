import { byUrl } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { NotJudged, statusOf } from "../requirements/outcome.ts";
import { eachEndpoint, lookupOf, succeeding, unknownProduct } from "./check/inputs.ts";
import { otherThanKnown, sameContent } from "./check/product-comparison.ts";
import { type PairRow, section } from "./check/rows.ts";
import { scopedGtin } from "./get-products.check.ts";
import { largePage } from "./walk.ts";

/** Spec, What the service does. Passive rules judge that every response is JSON and no field is null. */
export default section("service", [
  {
    id: "service.read-only/writing-methods",
    title: "POST, PUT, PATCH and DELETE on the path of a made-up product do not succeed",
    requests: 5,
    alone: true,
    good: succeeding["lookup-by-id"],
    async bad(context) {
      // An unknown id: nothing is lost should the service accept the request.
      const request = lookupOf(await unknownProduct(context));
      const nothing = await context.shared(request);
      if (nothing.response.status < 300)
        throw new NotJudged({ code: "control-failed", ...statusOf(nothing) }, nothing);
      const json = { headers: { "content-type": "application/json" }, body: "{}" };
      return ["DELETE", "PUT", "PATCH", "POST"].map((method) => ({
        request: { ...request, ...(method === "DELETE" ? {} : json), endpoint: "other", method },
        subject: method,
        expect: "any",
      }));
    },
    expect: 404,
    unfit: (exchange, _context, { subject = "" }) =>
      exchange.response.status < 300
        ? { code: "write-accepted", endpoint: "lookup-by-id", subject, ...statusOf(exchange) }
        : undefined,
  },
  {
    id: "service.four-ways/same-product",
    title: "Products from category pages are also found by id, by URL, and by GTIN with their retailer",
    requests: 4,
    bad({ fixtures }) {
      const [byId, byItsUrl] = [need(fixtures.product), need(fixtures.productByUrl)];
      const [byItsGtin] = need(fixtures.productsByGtin);
      return [
        { request: lookupOf(byId), condition: "known-product", product: byId },
        { request: byUrl(byItsUrl.url), condition: "known-product", product: byItsUrl },
        scopedGtin(byItsGtin),
      ];
    },
    expect: 200,
    unfit: otherThanKnown,
  },
  ...eachEndpoint.map(
    ({ ending, label, request }): PairRow => ({
      id: `service.organization-scope/${ending}`,
      title: `${label}: a second key of the organization gets the same status, products and retailers as the first`,
      restsOn: "sameOrgKey",
      requests: 4,
      async ways(context) {
        const first = request(context);
        await context.control(first);
        // What a key lacks may come behind the first page. Such a limit may be refused, to both keys.
        const large = { ...first, path: `${first.path}&limit=${largePage}` };
        const all = first.endpoint === "category-page" ? [first, large] : [first];
        return all.map((own) => [own, { ...own, caller: "sameOrg" }]);
      },
      view: sameContent("second-key"),
    }),
  ),
]);
