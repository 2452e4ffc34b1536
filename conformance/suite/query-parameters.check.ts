import { notApplicable, type Outcome, passed } from "../client/outcome.ts";
import { byCategory, byGtin, byUrl, type Endpoint, query, type Request } from "../client/requests.ts";
import { type Fixtures, type GtinFixture, need } from "../discovery/fixtures.ts";
import { carriesGtin } from "../discovery/gtin-lookup.ts";
import type { RequirementId } from "../requirements/all.ts";
import { productsIn } from "../response/products-in.ts";
import { type Check, type CheckContext, section } from "./check/check.ts";
import { type FindingContext, hasStatus } from "./check/expectations.ts";
import { wholeWalk } from "./walk.ts";

const negative = "-1";

/** Spec, GET /v1/products, Rules: parameters that exclude each other, are missing or are invalid. */
export default section("query", [
  {
    id: "query.invalid-parameter/gtin-letters",
    title: "A gtin of letters returns 400 or 404",
    requests: 2,
    async run({ fixtures, ask, control }) {
      const [{ gtin }] = need(fixtures.productsByGtin);
      const succeeds = await control(byGtin(gtin));
      const letters = "not-a-gtin";
      return hasStatus(await ask(byGtin(letters)), [400, 404], sent({ gtin: letters }), succeeds);
    },
  },
  {
    id: "query.exclusive-identifiers/gtin-and-url",
    title: "gtin combined with url returns 400, whether they name one product or two",
    requests: 7,
    async run(context) {
      const { ask, control } = context;
      const [first, ...others] = await gtinsAndUrls(context);
      const outcomeOf = async ({ gtin, retailer, url }: GtinAndUrl) => {
        const succeeds = await control(byGtin(gtin, retailer));
        await control(byUrl(url));
        const combined = { gtin, url };
        return hasStatus(await ask(query("other", combined)), 400, sent(combined), succeeds);
      };
      let outcome = await outcomeOf(first);
      for (const pair of others) if (outcome.kind === "pass") outcome = await outcomeOf(pair);
      return outcome;
    },
  },
  exclusive("query.category-alone", "category-and-gtin", "category combined with gtin", ["category", "gtin"]),
  exclusive("query.category-alone", "category-and-url", "category combined with url", ["category", "url"]),
  exclusive(
    "query.exclusive-identifiers",
    "gtin-and-retailer-and-url",
    "url combined with gtin and retailer",
    ["gtin", "url"],
    { withRetailer: true },
  ),
  exclusive(
    "query.category-alone",
    "category-and-gtin-and-retailer",
    "category combined with gtin and retailer",
    ["category", "gtin"],
    { withRetailer: true },
  ),
  exclusive("query.category-alone", "all-three", "category combined with url and gtin", [
    "category",
    "url",
    "gtin",
  ]),
  invalid("no-parameter", "A request without parameters", "url", {}),
  tolerated("limit-zero", "A limit of 0", "0"),
  tolerated("limit-negative", "A negative limit", negative),
  {
    id: "query.impossible-value/limit-negative",
    title: "A negative limit returns 400",
    requests: 2,
    async run({ fixtures, shared, control }) {
      const { category } = need(fixtures.category);
      const succeeds = await control(byCategory(category));
      const exchange = await shared(byCategory(category, { limit: negative }));
      return hasStatus(exchange, 400, sent({ category, limit: negative }), succeeds);
    },
  },
  {
    id: "query.impossible-value/cursor-of-another-category",
    title: "The cursor of another category returns 400, or a page of the category",
    requests: 1,
    run: cursorOfAnother,
  },
  invalid("retailer-alone", "retailer without gtin", "gtin", { gtin: undefined }),
  invalid("empty-gtin", "An empty gtin", "gtin", { gtin: "" }),
  invalid("empty-url", "An empty url", "url", { url: "" }),
  invalid("empty-category", "An empty category", "category", { category: "" }),
  invalid("limit-word", "A limit that is not a number", "category", { limit: "ten" }),
  invalid("limit-fraction", "A limit that is not an integer", "category", { limit: "1.5" }),
  invalid("cursor-garbage", "A made-up cursor", "category", {
    cursor: "shelfcheck-made-this-up",
  }),
]);

/** A GTIN with the retailer of its product, and a page URL. */
interface GtinAndUrl extends Pick<GtinFixture, "gtin" | "retailer"> {
  readonly url: string;
}

const urlsToTry = 2;

/**
 * A GTIN and a URL of one product, and of two, as far as the catalog has them: a faulty service may accept them together
 * only if they agree, or only if they do not.
 */
async function gtinsAndUrls({
  fixtures,
  fieldNames,
  shared,
}: CheckContext): Promise<[GtinAndUrl, ...GtinAndUrl[]]> {
  const page = need(fixtures.productByUrl);
  const gtins = need(fixtures.productsByGtin);
  const isOfPage = (one: GtinFixture) => one.retailer === page.retailer && one.productId === page.productId;
  // Products of several retailers may have one GTIN, which a service may take for one product.
  const two = gtins.find((one) => !isOfPage(one) && !carriesGtin(page.product, one.gtin, fieldNames));
  const pairs = two === undefined ? [] : [{ ...two, url: page.url }];
  const one = gtins.find(isOfPage);
  if (one !== undefined) return [{ ...one, url: page.url }, ...pairs];
  for (const { url, ...carrier } of gtins.filter((each) => each.url !== undefined).slice(0, urlsToTry)) {
    if (url === undefined || (await shared(byUrl(url))).response.status !== 200) continue;
    return [{ ...carrier, url }, ...pairs];
  }
  return [{ ...(two ?? gtins[0]), url: page.url }];
}

type Parameters = Readonly<Record<string, string | undefined>>;
type Mode = "url" | "gtin" | "category";

function exclusive(
  requirement: RequirementId,
  name: string,
  title: string,
  modes: readonly [Mode, ...Mode[]],
  { withRetailer = false } = {},
): Check {
  return {
    id: `${requirement}/${name}`,
    title: `${title} returns 400`,
    requests: 3,
    async run(context) {
      const { fixtures } = context;
      const succeeds = await context.control(request(modes[0], fixtures));
      for (const mode of modes.slice(1)) await context.control(request(mode, fixtures));
      const all: Parameters = Object.assign({}, ...modes.map((mode) => parametersOf(mode, fixtures)));
      // The retailer alone may be a reason to refuse, since it is only allowed with a GTIN.
      const combined = withRetailer ? all : { ...all, retailer: undefined };
      return hasStatus(await context.ask(query("other", combined)), 400, sent(combined), succeeds);
    },
  };
}

function invalid(name: string, title: string, mode: Mode, change: Parameters): Check {
  return {
    id: `query.invalid-parameter/${name}`,
    title: `${title} returns 400`,
    requests: 2,
    async run({ fixtures, ask, control }): Promise<Outcome> {
      const succeeds = await control(request(mode, fixtures));
      const spoiled = name === "no-parameter" ? {} : { ...parametersOf(mode, fixtures), ...change };
      return hasStatus(await ask(query("other", spoiled)), 400, sent(spoiled), succeeds);
    },
  };
}

// A limit out of range may be rejected or clamped: the spec does not give the range.
function tolerated(name: string, title: string, limit: string): Check {
  return {
    id: `query.limit/${name}`,
    title: `${title} returns a page or 400`,
    requests: 2,
    async run({ fixtures, shared, control }) {
      const { category } = need(fixtures.category);
      const succeeds = await control(byCategory(category));
      const exchange = await shared(byCategory(category, { limit }));
      return hasStatus(exchange, [200, 400], sent({ category, limit }), succeeds);
    },
  };
}

/** Browses a category with the cursor of another one. A cursor may be a place in any list, so its own products are correct. */
async function cursorOfAnother(context: CheckContext): Promise<Outcome> {
  const whole = await wholeWalk(context);
  const other = context.fixtures.categories.find(
    (one) => one.category !== whole.category && one.nextCursor !== "",
  );
  if (other === undefined || whole.end !== "empty cursor")
    return notApplicable({ code: "no-other-category", subject: whole.category });
  const parameters = { category: whole.category, cursor: other.nextCursor };
  const exchange = await context.ask(byCategory(parameters.category, parameters));
  const own = new Set(whole.products);
  const foreign = productsIn(exchange, context.fieldNames).filter(
    ({ product }) => !own.has(`${product.retailer} / ${product.product_id}`),
  );
  return exchange.response.status === 200 && foreign.length === 0
    ? passed({ code: "answered", endpoint: "category-page", actual: 200 }, exchange)
    : hasStatus(exchange, 400, sent(parameters));
}

/** The parameters that were sent, as fields of a finding. */
function sent(parameters: Parameters): FindingContext {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { condition: "parameters", details: { parameters: Object.fromEntries(given) } };
}

// Parameters of a successful request in this mode. The GTIN has its retailer, so that a check can remove the GTIN.
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
