import { byCategory, byGtin, byUrl, query } from "../client/requests.ts";
import { type CategoryFixture, type Fixtures, need, type UrlFixture } from "../discovery/fixtures.ts";
import { notApplicable, type Outcome } from "../requirements/outcome.ts";
import { carriesGtin } from "../response/gtin.ts";
import { productsIn } from "../response/products-in.ts";
import type { CheckContext } from "./check/check.ts";
import { hasStatus } from "./check/expectations.ts";
import { type ChangedRequest, type StatusRow, section } from "./check/rows.ts";
import { wholeWalk } from "./walk.ts";

type Parameters = Readonly<Record<string, string | undefined>>;

/** A request that succeeds in each mode. The GTIN has its retailer, so that a row can remove the GTIN. */
const usual = {
  url: ({ productByUrl }: Fixtures) => ({ url: need(productByUrl).url }),
  gtin({ productsByGtin }: Fixtures) {
    const [{ gtin, retailer }] = need(productsByGtin);
    return { gtin, retailer };
  },
  category: ({ category }: Fixtures) => ({ category: need(category).category }),
} as const;

/** Spec, GET /v1/products, Rules: parameters that exclude each other, are missing or are invalid. */
export default section("query", [
  {
    ...invalid("gtin-letters", "A gtin of letters", "gtin", { gtin: "not-a-gtin", retailer: undefined }),
    title: "A gtin of letters returns 400 or 404",
    expect: [400, 404],
  },
  {
    id: "query.exclusive-identifiers/gtin-and-url",
    title:
      "gtin combined with url returns 400, with a retailer too, and whether they name one product or two",
    requests: 8,
    good: ({ fixtures }) => [byUrl(usual.url(fixtures).url), byGtin(need(fixtures.productsByGtin)[0].gtin)],
    async bad(context) {
      const pairs = await gtinsAndUrls(context);
      const scoped = pairs.slice(0, 1).map(({ gtin, retailer, url }) => sent({ gtin, retailer, url }));
      return [...pairs.map(({ gtin, url }) => sent({ gtin, url })), ...scoped];
    },
    expect: 400,
  },
  {
    id: "query.category-alone/category-and-gtin",
    title: "category combined with gtin returns 400, with a retailer too",
    requests: 4,
    good: ({ fixtures }) => [
      byCategory(usual.category(fixtures).category),
      byGtin(usual.gtin(fixtures).gtin),
    ],
    bad({ fixtures }) {
      const { gtin, retailer } = usual.gtin(fixtures);
      const { category } = usual.category(fixtures);
      return [sent({ category, gtin }), sent({ category, gtin, retailer })];
    },
    expect: 400,
  },
  {
    id: "query.category-alone/category-and-url",
    title: "category combined with url returns 400, with a gtin too",
    requests: 4,
    good: ({ fixtures }) => [byCategory(usual.category(fixtures).category), byUrl(usual.url(fixtures).url)],
    bad({ fixtures }) {
      const both = { ...usual.category(fixtures), ...usual.url(fixtures) };
      const gtins = fixtures.productsByGtin.present ? [usual.gtin(fixtures).gtin] : [];
      return [sent(both), ...gtins.map((gtin) => sent({ ...both, gtin }))];
    },
    expect: 400,
  },
  {
    ...invalid("no-parameter", "A request without parameters", "url", {}),
    bad: () => sent({}),
  },
  {
    id: "query.impossible-value/limit-negative",
    title: "A negative limit returns 400",
    good: ({ fixtures }) => byCategory(usual.category(fixtures).category),
    bad({ fixtures }) {
      const parameters = { ...usual.category(fixtures), limit: "-1" };
      return { ...sent(parameters), request: query("category-page", parameters) };
    },
    expect: 400,
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
  invalid("limit-with-a-tail", "A limit with letters after its digits", "category", { limit: "3x" }),
  invalid("limit-fraction", "A limit that is not an integer", "category", { limit: "1.5" }),
  invalid("cursor-garbage", "A made-up cursor", "category", { cursor: "shelfcheck-made-this-up" }),
]);

function invalid(name: string, title: string, mode: keyof typeof usual, change: Parameters): StatusRow {
  const endpoint = { url: "lookup-by-url", gtin: "lookup-by-gtin", category: "category-page" } as const;
  return {
    id: `query.invalid-parameter/${name}`,
    title: `${title} returns 400`,
    good: ({ fixtures }) => query(endpoint[mode], usual[mode](fixtures)),
    bad: ({ fixtures }) => sent({ ...usual[mode](fixtures), ...change }),
    expect: 400,
  };
}

/** A request with these parameters, and with them as fields of a finding. */
function sent(parameters: Parameters): ChangedRequest {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    request: query("other", parameters),
    condition: "parameters",
    details: { parameters: Object.fromEntries(given) },
  };
}

/** Most URLs to look up, for one that belongs to a product with a GTIN. */
const urlsToTry = 2;

/**
 * A GTIN and a URL of one product, and of two, as far as the catalog has them: a faulty service may accept them together
 * only if they agree, or only if they do not.
 */
async function gtinsAndUrls({ fixtures, fieldNames, shared }: CheckContext) {
  const page = need(fixtures.productByUrl);
  const gtins = need(fixtures.productsByGtin);
  const ofOne: UrlFixture[] = [];
  for (const { url, ...one } of gtins.filter((each) => each.url !== undefined).slice(0, urlsToTry))
    if (url !== undefined && (await shared(byUrl(url))).response.status === 200) ofOne.push({ ...one, url });
  // Products of several retailers may have one GTIN, which a service may take for one product.
  const [other = gtins[0]] = gtins.filter((one) => !carriesGtin(page.product, one.gtin, fieldNames));
  return [...ofOne.slice(0, 1), { ...other, url: page.url }];
}

/** Browses a category with the cursor of another one. A cursor may be a place in any list, so its own products are correct. */
async function cursorOfAnother(context: CheckContext): Promise<Outcome> {
  const { category, end, products } = await wholeWalk(context);
  const isOther = (one: CategoryFixture) => one.category !== category && one.nextCursor !== "";
  const other = context.fixtures.categories.find(isOther);
  if (other === undefined || end !== "empty cursor")
    return notApplicable({ code: "no-other-category", subject: category });
  const { request: _, ...about } = sent({ category, cursor: other.nextCursor });
  const exchange = await context.ask(byCategory(category, { cursor: other.nextCursor }));
  const own = new Set(products);
  const isOwn = productsIn(exchange, context.fieldNames).every(({ product }) =>
    own.has(`${product.retailer} / ${product.product_id}`),
  );
  return hasStatus(exchange, isOwn ? [200, 400] : 400, about);
}
