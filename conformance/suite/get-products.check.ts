import type { Check } from "../check.ts";
import { need } from "../fixtures.ts";
import { broken, irrelevant, type Outcome, Unjudged } from "../outcome.ts";
import { isObject } from "../products-in.ts";
import { byGtin, byId, byUrl, query } from "../requests.ts";
import { unknownUrl } from "../stand-ins.ts";
import { hasStatus } from "./expectations.ts";
import { section } from "./section.ts";

/** Pairs of a GTIN and a retailer to try before a GTIN counts as carried by every retailer. */
const pairsToTry = 6;

/** Spec, GET /v1/products (query-driven). */
export default section("query", [
  {
    id: "query.url-not-found/unknown-page",
    requirement: "query.url-not-found",
    title: "A page of a known retailer's site that shows no product gives 404",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const { url } = need(fixtures.productByUrl);
      const succeeds = await control(byUrl(url));
      return hasStatus(await ask(byUrl(unknownUrl(url))), 404, "that page shows no product", succeeds);
    },
  },
  {
    id: "query.gtin-match/own-retailer",
    requirement: "query.gtin-match",
    title: "A GTIN with the retailer of its product gives that retailer's product",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const [product] = need(fixtures.productsByGtin);
      if (product === undefined) return irrelevant("no product has a GTIN");
      const succeeds = await control(byGtin(product.gtin));
      const answer = await ask(byGtin(product.gtin, product.retailer));
      const why = `${product.retailer} has the product with GTIN ${product.gtin}`;
      const status = hasStatus(answer, 200, why, succeeds);
      if (status.kind !== "held") return status;
      const seen = isObject(answer.response.json) ? answer.response.json.retailer : undefined;
      return seen === undefined || seen === product.retailer
        ? status
        : broken(`asked for ${product.retailer}, got a product of ${String(seen)}`, answer, succeeds);
    },
  },
  {
    id: "query.gtin-mismatch/other-retailer",
    requirement: "query.gtin-mismatch",
    title: "A GTIN with a retailer that does not have the product gives 404",
    requests: 3,
    run: gtinMismatch,
  },
  {
    id: "query.invalid-parameter/none",
    requirement: "query.invalid-parameter",
    title: "A request without any parameter gives 400",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const { url } = need(fixtures.productByUrl);
      const succeeds = await control(byUrl(url));
      const answer = await ask(query("GET /products?url", {}));
      return hasStatus(answer, 400, "one identifier or a category is required", succeeds);
    },
  },
]);

// The retailer asked for may really carry the GTIN too: then its own product is a right answer, and another pair is tried.
async function gtinMismatch({ fixtures, ask, control }: Parameters<Check["run"]>[0]): Promise<Outcome> {
  const products = need(fixtures.productsByGtin);
  const slugs = need(fixtures.retailers);
  const pairs = products.flatMap((product) =>
    slugs.filter((slug) => slug !== product.retailer).map((slug) => ({ product, slug })),
  );
  if (pairs.length === 0) {
    throw new Unjudged(
      "the organization may use one retailer only, so there is no other to scope a GTIN to",
      "Use a key whose organization has two retailers.",
    );
  }
  for (const { product, slug } of pairs.slice(0, pairsToTry)) {
    const succeeds = await control(byGtin(product.gtin, product.retailer));
    const answer = await ask(byGtin(product.gtin, slug));
    const why = `GTIN ${product.gtin} was scoped to ${slug}, and its product is one of ${product.retailer}`;
    const { status, json } = answer.response;
    if (status !== 200) return hasStatus(answer, 404, why, succeeds);
    const { retailer: seen, product_id: id } = isObject(json) ? json : {};
    if (seen !== undefined && seen !== slug) {
      return broken(`${why}: expected 404, got a product of ${String(seen)}`, answer, succeeds);
    }
    // A product need not say whose it is: then its retailer is asked whether it has one of that id.
    if (seen === undefined && typeof id === "string") {
      const own = await ask(byId(slug, id));
      if (own.response.status === 404) {
        return broken(`${why}: expected 404, got a product that ${slug} does not have`, answer, own);
      }
    }
  }
  throw new Unjudged(
    "every retailer that was tried carries the GTINs that were tried",
    "Give a category with products that only one retailer has (--category).",
  );
}
