import { isObject } from "../../schemas/json.ts";
import { byId, retailers } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { statusOf } from "../requirements/outcome.ts";
import { unlessType } from "../response/body-findings.ts";
import { slugsIn } from "../response/readers.ts";
import { section } from "./check/rows.ts";
import { noSlugRefused, slugsToTry } from "./retailer.check.ts";

/** Spec, GET /v1/retailers. Passive rules judge the fields of the entries: rules/retailer-responses.ts. */
export default section("retailers", [
  {
    id: "retailers.shape/list",
    title: "GET /retailers returns 200 with an array under retailers",
    requests: 1,
    bad: () => ({ request: retailers(), condition: "known-retailers" }),
    expect: 200,
    // A body that is not JSON is judged by service.json.
    unfit: ({ response: { json } }) =>
      json === undefined ? undefined : unlessType(json, "/retailers", "array")[0],
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
    bad: ({ fixtures: { product, unlisted } }) => {
      need(product);
      return unlisted.map(({ retailer, productId }) => ({
        request: byId(retailer, productId),
        subject: retailer,
        product: { retailer, productId },
      }));
    },
    expect: [200, 400, 403, 404],
    async unfit({ response }, { ask }, { subject, product }) {
      if (response.status !== 200 || !isObject(response.json) || product === undefined) return undefined;
      const list = await ask(retailers());
      return slugsIn(list.response.json).includes(product.retailer)
        ? undefined
        : { code: "retailer-not-listed", subject: subject ?? "", product };
    },
  },
  {
    id: "retailers.scope/other-organization",
    title: "No retailer listed for the other organization is rejected with 403",
    bad({ fixtures }) {
      const listed = need(fixtures.otherRetailers);
      const byRetailer = Map.groupBy(fixtures.products, ({ retailer }) => retailer);
      const known = listed.flatMap((slug) => byRetailer.get(slug)?.[0] ?? []);
      return known.slice(0, slugsToTry).map(({ retailer, productId }) => ({
        request: { ...byId(retailer, productId), caller: "otherOrg" },
        subject: retailer,
        product: { retailer, productId },
      }));
    },
    expect: [200, 400, 401, 403, 404],
    unfit: (exchange, _context, { subject = "", product }) =>
      exchange.response.status === 403
        ? {
            code: "listed-retailer-refused",
            condition: "other-organization",
            subject,
            product,
            ...statusOf(exchange),
          }
        : undefined,
  },
]);
