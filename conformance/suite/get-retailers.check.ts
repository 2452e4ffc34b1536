import { isObject } from "../../schemas/json.ts";
import { byGtin, byId, retailers } from "../client/requests.ts";
import { need, orNone } from "../discovery/fixtures.ts";
import { statusOf } from "../requirements/outcome.ts";
import { slugsIn } from "../response/readers.ts";
import { lookupOf } from "./check/inputs.ts";
import { type StatusRow, section } from "./check/rows.ts";

/** Most slugs to try of a service with hundreds. */
const slugsToTry = 8;

/** Spec, Retailer and GET /v1/retailers. Fields of the entries: rules/retailer-responses.ts. */
export default section("retailers", [
  {
    id: "versioning.path/base-address",
    title: "GET /retailers below a base URL that ends in /v1 returns 200",
    // The config requires a base URL that ends in /v1, so any response below it will do.
    bad: () => ({ request: retailers(), condition: "base-address" }),
    expect: 200,
  },
  {
    id: "retailers.shape/list",
    title: "GET /retailers returns 200",
    bad: () => ({ request: retailers(), condition: "known-retailers" }),
    expect: 200,
  },
  accepted("retailer.slug/accepted", "Listed retailers are not rejected with 400", 400),
  accepted("retailers.scope/all-granted", "Listed retailers are not rejected with 403", 403),
  accepted(
    "retailers.scope/other-organization",
    "Retailers listed for both organizations are not rejected with 403 for the other one",
    403,
    "otherOrg",
  ),
  {
    id: "retailers.scope/all-listed",
    title: "A retailer whose products are on category pages and found by id is listed",
    requests: 2,
    bad({ fixtures: { product: known, unlisted } }) {
      need(known);
      return unlisted.map((product) => ({ request: lookupOf(product), subject: product.retailer, product }));
    },
    expect: [200, 400, 403, 404],
    async unfit({ response }, { ask }, { subject = "", product }) {
      if (response.status !== 200 || !isObject(response.json)) return undefined;
      const list = slugsIn((await ask(retailers())).response.json);
      return list.includes(subject) ? undefined : { code: "retailer-not-listed", subject, product };
    },
  },
]);

/** No listed slug is refused with this status, for one of its products where known. */
function accepted(
  id: StatusRow["id"],
  title: string,
  status: 400 | 403,
  caller: "primary" | "otherOrg" = "primary",
): StatusRow {
  return {
    id,
    title,
    requests: slugsToTry,
    bad({ fixtures }) {
      const slugs = need(caller === "primary" ? fixtures.retailers : fixtures.otherRetailers);
      const [gtin] = orNone(fixtures.productsByGtin);
      const all = slugs.flatMap((subject) => {
        const product = fixtures.products.find(({ retailer }) => retailer === subject);
        if (product !== undefined) return [{ request: lookupOf(product, caller), subject, product }];
        if (caller !== "primary") return [];
        if (gtin !== undefined) return [{ request: byGtin(gtin.gtin, subject), subject }];
        // Another retailer's id may be malformed here; otherwise any will do, also one of a retailer that is not listed.
        if (status === 400) return [];
        const { productId } = fixtures.unlisted[0] ?? need(fixtures.product);
        return [{ request: byId(subject, productId), subject }];
      });
      return all.slice(0, slugsToTry);
    },
    expect: [200, 400, 401, 403, 404],
    unfit: (exchange, _context, { subject = "", product }) => {
      if (exchange.response.status !== status) return undefined;
      const whose = caller === "primary" ? {} : ({ condition: "other-organization" } as const);
      return { code: "listed-retailer-refused", subject, ...whose, product, ...statusOf(exchange) };
    },
  };
}
