import { failed, NotJudged, type Outcome, passed, statusOf } from "../client/outcome.ts";
import { byGtin, byId, byUrl } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { carriesGtin } from "../discovery/gtin-lookup.ts";
import type { CheckContext } from "./check/check.ts";
import { hasStatus } from "./check/expectations.ts";
import { eachEndpoint, unknownProduct } from "./check/inputs.ts";
import { differsFrom, productOf, sameContent } from "./check/product-comparison.ts";
import { type PairRow, section } from "./check/rows.ts";

/** Spec, What the service does. Passive rules judge that every response is JSON and no field is null. */
export default section("service", [
  {
    id: "service.read-only/writing-methods",
    title: "POST, PUT, PATCH and DELETE on a product do not succeed",
    requests: 5,
    async run(context) {
      const known = need(context.fixtures.product);
      const succeeds = await context.control(byId(known.retailer, known.productId));
      // An unknown id: nothing is lost should the service accept the request.
      const { retailer, productId } = await unknownProduct(context);
      const request = byId(retailer, productId);
      const nothing = await context.shared(request);
      if (nothing.response.status < 300)
        throw new NotJudged({ code: "control-failed", ...statusOf(nothing) }, { exchange: nothing });
      for (const method of ["DELETE", "PUT", "PATCH", "POST"]) {
        const write =
          method === "DELETE" ? {} : { headers: { "content-type": "application/json" }, body: "{}" };
        const exchange = await context.ask({ ...request, ...write, endpoint: "other", method });
        if (exchange.response.status < 300) {
          return failed(
            { code: "write-accepted", endpoint: request.endpoint, subject: method, ...statusOf(exchange) },
            exchange,
            succeeds,
          );
        }
      }
      return passed({ code: "checked", seen: { count: 4, of: "requests" } });
    },
  },
  {
    id: "service.four-ways/same-product",
    title: "A product from a category page is also found by id, by GTIN and by URL",
    requests: 4,
    run: sameProductOnEachPath,
  },
  ...eachEndpoint.map(
    ({ ending, label, request }): PairRow => ({
      id: `service.organization-scope/${ending}`,
      title: `${label}: a second key of the organization gets the same response as the first`,
      restsOn: "sameOrgKey",
      async ways(context) {
        await context.control(request(context));
        return [[request(context), { ...request(context), caller: "sameOrg" }]];
      },
      view: sameContent("second-key"),
    }),
  ),
]);

async function sameProductOnEachPath({
  fixtures,
  fieldNames,
  shared,
  control,
}: CheckContext): Promise<Outcome> {
  const browsed = need(fixtures.product);
  const byItsId = await control(byId(browsed.retailer, browsed.productId));
  const lookups = [{ exchange: byItsId, fixture: browsed }];
  if (fixtures.productByUrl.present) {
    const fixture = fixtures.productByUrl.value;
    lookups.push({ exchange: await shared(byUrl(fixture.url)), fixture });
  }
  const [gtinFixture] = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  if (gtinFixture !== undefined) {
    const exchange = await shared(byGtin(gtinFixture.gtin, gtinFixture.retailer));
    lookups.push({ exchange, fixture: gtinFixture });
  }
  for (const { exchange, fixture } of lookups) {
    const { retailer, productId } = fixture;
    const status = hasStatus(exchange, 200, { condition: "known-product", product: { retailer, productId } });
    if (status.kind !== "pass") return status;
    const product = productOf(exchange);
    const difference = differsFrom(fixture, product);
    // A retailer may have several products with one GTIN: any of them is correct.
    const isOfGtin =
      exchange.endpoint === "lookup-by-gtin" &&
      product.retailer === retailer &&
      carriesGtin(product, gtinFixture?.gtin ?? "", fieldNames);
    if (difference !== undefined && !isOfGtin) return failed(difference, exchange);
  }
  // Without its fixture, a lookup path is not judged.
  need(fixtures.productByUrl);
  need(fixtures.productsByGtin);
  return passed({
    code: "checked",
    seen: { count: lookups.length, of: "responses" },
    details: { endpoints: lookups.map(({ exchange }) => exchange.endpoint) },
  });
}
