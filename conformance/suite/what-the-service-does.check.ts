import { byGtin, byId, byUrl } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import type { Check, CheckContext } from "../engine/check.ts";
import { failed, type Outcome, passed } from "../engine/outcome.ts";
import { section } from "../engine/section.ts";
import { endpoints } from "./each-endpoint.ts";
import { answerDifference, differsFrom, productOf } from "./product-comparison.ts";
import { unknownProduct } from "./unknown-product.ts";

/** Spec, What the service does. That every response is JSON and no field null is held by the passive rules. */
export default section("service", [
  {
    id: "service.read-only/writing-methods",
    requirement: "service.read-only",
    title: "POST, PUT, PATCH and DELETE of a product do not succeed",
    requests: 5,
    async run(context) {
      const known = need(context.fixtures.product);
      const succeeds = await context.control(byId(known.retailer, known.productId));
      // An id that belongs to nothing: should the service obey after all, nothing is lost.
      const { retailer, productId } = await unknownProduct(context);
      const request = byId(retailer, productId);
      for (const method of ["DELETE", "PUT", "PATCH", "POST"]) {
        const write =
          method === "DELETE" ? {} : { headers: { "content-type": "application/json" }, body: "{}" };
        const answer = await context.ask({ ...request, ...write, endpoint: "other", method });
        if (answer.response.status < 300) {
          return failed(
            `${method} on a product was answered with ${answer.response.status}`,
            answer,
            succeeds,
          );
        }
      }
      return passed("all of them were refused");
    },
  },
  {
    id: "service.four-ways/same-product",
    requirement: "service.four-ways",
    title: "The product that browsing shows is found by id, by its GTIN and by its URL",
    requests: 4,
    run: sameProductFourWays,
  },
  ...Object.entries(endpoints).map(
    ([name, request]): Check => ({
      id: `service.organization-scope/${name}`,
      requirement: "service.organization-scope",
      title: `A second key of the organization is served as the first is: ${name}`,
      requests: 2,
      async run(context) {
        need(context.fixtures.sameOrgKey);
        const own = await context.control(request(context));
        const same = await context.ask({ ...request(context), caller: "sameOrg" });
        if (same.response.status !== 200)
          return failed(`the second key got ${same.response.status}`, same, own);
        const difference = answerDifference(own, same, context.dialect);
        return difference === undefined
          ? passed()
          : failed(`the second key is shown something else: ${difference}`, same, own);
      },
    }),
  ),
]);

async function sameProductFourWays({ fixtures, ask, control }: CheckContext): Promise<Outcome> {
  const browsed = need(fixtures.product);
  const byItsId = await control(byId(browsed.retailer, browsed.productId));
  const ways = [{ name: "by id", answer: byItsId, fixture: browsed }];
  if (fixtures.productByUrl.present) {
    const fixture = fixtures.productByUrl.value;
    ways.push({ name: "by URL", answer: await ask(byUrl(fixture.url)), fixture });
  }
  const [gtinFixture] = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  if (gtinFixture !== undefined) {
    const answer = await ask(byGtin(gtinFixture.gtin, gtinFixture.retailer));
    ways.push({ name: "by GTIN", answer, fixture: gtinFixture });
  }
  for (const { name, answer, fixture } of ways) {
    if (answer.response.status !== 200) {
      return failed(
        `${name}: ${fixture.retailer} / ${fixture.productId} gave ${answer.response.status}`,
        answer,
      );
    }
    const difference = differsFrom(fixture, productOf(answer));
    if (difference !== undefined)
      return failed(`${name}: another product than browsing showed: ${difference}`, answer);
  }
  // A way for which there was no fixture is not judged, whatever the others showed.
  need(fixtures.productByUrl);
  need(fixtures.productsByGtin);
  return passed(`found ${ways.map(({ name }) => name).join(", ")}`);
}
