import { byCategory, byGtin, byId, byUrl, type Endpoint, query, type Request } from "../client/requests.ts";
import { valuesAt } from "../discovery/field-paths.ts";
import { type Fixtures, need } from "../discovery/fixtures.ts";
import { isOfAnotherRetailer } from "../discovery/gtin-lookup.ts";
import { onUnknownSite, unknownUrl } from "../discovery/stand-ins.ts";
import type { Check } from "../engine/check.ts";
import { failed, NotJudged, type Outcome, passed } from "../engine/outcome.ts";
import { section } from "../engine/section.ts";
import { looksLikeGtin, neighbouringGtins, sameGtin } from "../response/gtin.ts";
import { wrappingsOf } from "../response/products-in.ts";
import { hasStatus } from "./expectations.ts";
import { gtinMismatch } from "./gtin-mismatch.ts";
import { differsFrom, productOf } from "./product-comparison.ts";

/** GTINs to ask for again that found nothing, and that several retailers share. */
const unfoundToTry = 3;
const sharedToTry = 2;
const sitesToTry = 4;

/** Spec, GET /v1/products (query-driven), but for the paging, which is in product-list-page.check.ts. */
export default section("query", [
  {
    id: "query.url/known-page",
    requirement: "query.url",
    title: "The page URLs of known products, of different forms, give those products",
    requests: 4,
    async run({ fixtures, shared }) {
      const [first, ...others] = fixtures.withUrl;
      // Where there is one, the fixture's reason and fix are those of a missing URL.
      for (const fixture of [first ?? need(fixtures.productByUrl), ...others]) {
        const answer = await shared(byUrl(fixture.url));
        const status = hasStatus(answer, 200, `${fixture.url} is the product_url of a product`);
        if (status.kind !== "pass") return status;
        const around = wrappingsOf(answer.response.json);
        if (around.length > 0) return failed(`the answer is no product: ${around.join(", ")}`, answer);
        const difference = differsFrom(fixture, productOf(answer));
        if (difference !== undefined)
          return failed(`another product than that of the page: ${difference}`, answer);
      }
      return passed(`${fixtures.withUrl.length} URLs`);
    },
  },
  {
    id: "query.url-not-found/unknown-page",
    requirement: "query.url-not-found",
    title: "A page of a known retailer's site that shows no product gives 404",
    requests: 5,
    async run({ fixtures, ask, control }) {
      const { url } = need(fixtures.productByUrl);
      const succeeds = await control(byUrl(url));
      // On each site: that of one retailer may be resolved in a way of its own.
      const pages = new Set([url, ...fixtures.sites].map(unknownUrl));
      for (const page of [...pages].slice(0, sitesToTry)) {
        const status = hasStatus(await ask(byUrl(page)), 404, `${page} shows no product`, succeeds);
        if (status.kind !== "pass") return status;
      }
      return passed(`404 on ${pages.size} sites`);
    },
  },
  {
    id: "query.url-not-found/unknown-site",
    requirement: "query.url-not-found",
    title: "A page of a site that belongs to no retailer gives 404",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const { url } = need(fixtures.productByUrl);
      const succeeds = await control(byUrl(url));
      const answer = await ask(byUrl(onUnknownSite(url)));
      return hasStatus(answer, 404, "no retailer has that site", succeeds);
    },
  },
  {
    id: "query.gtin/known",
    requirement: "query.gtin",
    title: "Known GTINs give products that carry them",
    requests: 4,
    async run({ fixtures, dialect, shared, ask }) {
      const { unfoundByGtin } = fixtures;
      // One alone may be a mistake of the retailer's.
      if (fixtures.productsByGtin.present || unfoundByGtin.length > 1) {
        for (const { gtin, retailer, productId } of unfoundByGtin.slice(0, unfoundToTry)) {
          const answer = await ask(byGtin(gtin));
          if (answer.response.status !== 404) continue;
          // Unscoped it may resolve to another retailer's product, which writes it otherwise.
          const scoped = await ask(byGtin(gtin, retailer));
          if (scoped.response.status === 200) continue;
          // It may be gone by now.
          const own = await ask(byId(retailer, productId));
          const carried = dialect.gtin === undefined ? [gtin] : valuesAt(productOf(own), dialect.gtin);
          if (own.response.status === 200 && carried.some((value) => sameGtin(value, gtin)))
            return failed(
              `${retailer} / ${productId} carries the GTIN ${gtin}, which finds nothing`,
              answer,
              own,
            );
        }
      }
      for (const fixture of need(fixtures.productsByGtin).slice(0, 4)) {
        const { gtin } = fixture;
        const answer = await shared(byGtin(gtin));
        const status = hasStatus(answer, 200, `a product carries the GTIN ${gtin}`);
        if (status.kind !== "pass") return status;
        const around = wrappingsOf(answer.response.json);
        if (around.length > 0) return failed(`the answer is no product: ${around.join(", ")}`, answer);
        // Another retailer's product with the same GTIN is as right as the one that is known.
        const product = productOf(answer);
        const carried =
          dialect.gtin === undefined ? [] : valuesAt(product, dialect.gtin).filter(looksLikeGtin);
        if (carried.some((value) => sameGtin(value, gtin))) continue;
        // Also one with a wrong check digit: what it shows is not what was asked for.
        if (carried.length > 0)
          return failed(`asked for ${gtin}, got a product with ${carried.join(", ")}`, answer);
        // That one may carry the GTIN and not show it: any field may be missing.
        if (isOfAnotherRetailer(product, fixture)) continue;
        const difference = differsFrom(fixture, product);
        if (difference !== undefined)
          return failed(`asked for ${gtin}, got a product without it: ${difference}`, answer);
      }
      return passed();
    },
  },
  {
    id: "query.gtin-not-found/unknown",
    requirement: "query.gtin-not-found",
    title: "A well-formed GTIN that no product has gives 404",
    requests: 2,
    async run({ fixtures, dialect, ask, control }) {
      const [product] = need(fixtures.productsByGtin);
      const succeeds = await control(byGtin(product.gtin));
      for (const gtin of neighbouringGtins(product.gtin)) {
        const answer = await ask(byGtin(gtin));
        const carried = dialect.gtin === undefined ? [] : valuesAt(productOf(answer), dialect.gtin);
        // A made-up GTIN may belong to something by chance.
        const exists = answer.response.status === 200 && carried.some((value) => sameGtin(value, gtin));
        if (!exists) return hasStatus(answer, 404, `no product has the GTIN ${gtin}`, succeeds);
      }
      throw new NotJudged("every made-up GTIN belongs to a product", "Run again with another category.");
    },
  },
  {
    id: "query.gtin-match/own-retailer",
    requirement: "query.gtin-match",
    title: "A GTIN with the retailer of its product gives that retailer's product",
    requests: 2,
    async run({ fixtures, shared }) {
      // Where the GTIN is another retailer's too, it may resolve to that one only (404); given is the own product or none.
      for (const { gtin, retailer } of fixtures.sharedGtins.slice(0, sharedToTry)) {
        const answer = await shared(byGtin(gtin, retailer));
        if (answer.response.status === 200 && isOfAnotherRetailer(answer.response.json, { retailer }))
          return failed(
            `asked for ${retailer}, got a product of ${String(productOf(answer).retailer)}`,
            answer,
          );
      }
      for (const { gtin, retailer } of need(fixtures.productsByGtin)) {
        const answer = await shared(byGtin(gtin, retailer));
        const status = hasStatus(answer, 200, `${retailer} has a product with the GTIN ${gtin}`);
        if (status.kind !== "pass") return status;
        const seen = productOf(answer).retailer;
        if (seen !== undefined && seen !== retailer) {
          return failed(`asked for ${retailer}, got a product of ${String(seen)}`, answer);
        }
      }
      return passed();
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
    id: "query.category/first-page",
    requirement: "query.category",
    title: "A known category gives a page",
    requests: 1,
    async run({ fixtures, shared }) {
      const { category } = need(fixtures.category);
      return hasStatus(await shared(byCategory(category)), 200, `${category} could be browsed before`);
    },
  },
  {
    id: "query.category/unknown",
    requirement: "query.category",
    title: "A category that nobody has is answered with an empty page, 404 or 400",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const succeeds = await control(byCategory(need(fixtures.category).category));
      const answer = await ask(byCategory("shelfcheck-no-such-category"));
      return hasStatus(answer, [200, 400, 404], "the spec leaves it open which of these", succeeds);
    },
  },
  {
    id: "query.invalid-parameter/gtin-letters",
    requirement: "query.invalid-parameter",
    title: "A gtin of letters gives 400, or 404 as one that no product has",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const [{ gtin }] = need(fixtures.productsByGtin);
      const succeeds = await control(byGtin(gtin));
      return hasStatus(await ask(byGtin("not-a-gtin")), [400, 404], "a GTIN has digits only", succeeds);
    },
  },
  exclusive("query.exclusive-identifiers", "gtin-and-url", "gtin with url", ["gtin", "url"]),
  exclusive("query.category-alone", "category-and-gtin", "category with gtin", ["category", "gtin"]),
  exclusive("query.category-alone", "category-and-url", "category with url", ["category", "url"]),
  exclusive("query.category-alone", "all-three", "category with url and gtin", ["category", "url", "gtin"]),
  invalid("no-parameter", "No parameter at all", "url", {}, "one identifier or a category is required"),
  tolerated("limit-zero", "A limit of 0", "0"),
  tolerated("limit-negative", "A negative limit", "-1"),
  tolerated("limit-huge", "A limit of a million", "1000000"),
  invalid(
    "retailer-alone",
    "retailer without gtin",
    "gtin",
    { gtin: undefined },
    "retailer alone selects no mode",
  ),
  invalid("empty-gtin", "An empty gtin", "gtin", { gtin: "" }, "an empty gtin is none"),
  invalid("empty-url", "An empty url", "url", { url: "" }, "an empty url is none"),
  invalid("empty-category", "An empty category", "category", { category: "" }, "an empty category is none"),
  invalid("limit-word", "A limit that is no number", "category", { limit: "ten" }, "limit is an integer"),
  invalid(
    "limit-fraction",
    "A limit that is no integer",
    "category",
    { limit: "1.5" },
    "limit is an integer",
  ),
  invalid(
    "cursor-garbage",
    "A cursor that was never given",
    "category",
    { cursor: "shelfcheck-made-this-up" },
    "no page gave that cursor",
  ),
]);

type Parameters = Readonly<Record<string, string | undefined>>;
type Mode = "url" | "gtin" | "category";

function exclusive(
  requirement: string,
  name: string,
  title: string,
  modes: readonly [Mode, ...Mode[]],
): Check {
  return {
    id: `${requirement}/${name}`,
    requirement,
    title: `${title} gives 400`,
    requests: 3,
    async run(context) {
      const { fixtures } = context;
      const succeeds = await context.control(request(modes[0], fixtures));
      for (const mode of modes.slice(1)) await context.control(request(mode, fixtures));
      // Without the retailer: alone it would be one parameter too many for any other mode.
      const both = {
        ...Object.assign({}, ...modes.map((mode) => parametersOf(mode, fixtures))),
        retailer: undefined,
      };
      const why = "each succeeds alone, and together they are not allowed";
      return hasStatus(await context.ask(query("other", both)), 400, why, succeeds);
    },
  };
}

function invalid(name: string, title: string, mode: Mode, change: Parameters, why: string): Check {
  return {
    id: `query.invalid-parameter/${name}`,
    requirement: "query.invalid-parameter",
    title: `${title} gives 400`,
    requests: 2,
    async run({ fixtures, ask, control }): Promise<Outcome> {
      const succeeds = await control(request(mode, fixtures));
      const spoiled = name === "no-parameter" ? {} : { ...parametersOf(mode, fixtures), ...change };
      return hasStatus(await ask(query("other", spoiled)), 400, why, succeeds);
    },
  };
}

// A limit out of bounds may be refused or clamped: the spec does not show the bounds.
function tolerated(name: string, title: string, limit: string): Check {
  return {
    id: `query.limit/${name}`,
    requirement: "query.limit",
    title: `${title} gives a page, or 400`,
    requests: 2,
    async run({ fixtures, ask, control }) {
      const { category } = need(fixtures.category);
      const succeeds = await control(byCategory(category));
      return hasStatus(await ask(byCategory(category, { limit })), [200, 400], `limit=${limit}`, succeeds);
    },
  };
}

// What selects a mode and succeeds; the GTIN with its retailer, so that it can be taken away.
function parametersOf(mode: Mode, fixtures: Fixtures): Parameters {
  switch (mode) {
    case "url":
      return { url: need(fixtures.productByUrl).url };
    case "gtin": {
      const [{ gtin, retailer }] = need(fixtures.productsByGtin);
      return { gtin, retailer };
    }
    case "category":
      return { category: need(fixtures.category).category };
    default:
      return mode satisfies never;
  }
}

const endpointOf = {
  url: "lookup-by-url",
  gtin: "lookup-by-gtin",
  category: "category-page",
} as const satisfies Record<Mode, Endpoint>;

function request(mode: Mode, fixtures: Fixtures): Request {
  return query(endpointOf[mode], parametersOf(mode, fixtures));
}
