import { itemName } from "../../schemas/accounts.ts";
import { byUrl, query } from "../client/requests.ts";
import { type Fixtures, need, orNone } from "../discovery/fixtures.ts";
import { carriesGtin, productsIn } from "../response/products-in.ts";
import type { CheckContext } from "./check/check.ts";
import { type ChangedRequest, type StatusRow, section } from "./check/rows.ts";
import { wholeWalk } from "./walk.ts";

type Parameters = Readonly<Record<string, string | undefined>>;

/** Of a request that succeeds in each mode. The GTIN has its retailer, so that a row can remove the GTIN. */
const modes = {
  url: ({ productByUrl }: Fixtures): Parameters => ({ url: need(productByUrl).url }),
  gtin({ productsByGtin }: Fixtures): Parameters {
    const [{ gtin, retailer }] = need(productsByGtin);
    return { gtin, retailer };
  },
  category: ({ category }: Fixtures): Parameters => ({ category: need(category).category }),
} as const;
const endpointOf = { url: "lookup-by-url", gtin: "lookup-by-gtin", category: "category-page" } as const;

/** Most URLs to look up, for one that belongs to a product with a GTIN. */
const urlsToTry = 2;

/** Spec, GET /v1/products, Rules: parameters that exclude each other, are missing or are invalid. */
export default section("query", [
  invalid(
    "query.invalid-parameter/gtin-letters",
    "A gtin without digits returns 400 or 404",
    ["gtin"],
    () => [{ gtin: "not-a-gtin" }],
    [400, 404],
  ),
  invalid(
    "query.exclusive-identifiers/gtin-and-url",
    "gtin combined with url returns 400, with a retailer too, and whether they name one product or two",
    ["url", "gtin"],
    gtinsAndUrls,
    400,
    2 + urlsToTry + 3,
  ),
  invalid(
    "query.category-alone/category-and-gtin",
    "category combined with gtin returns 400, with a retailer too",
    ["category", "gtin"],
    ({ retailer, ...both }) => [both, { ...both, retailer }],
    400,
    4,
  ),
  invalid(
    "query.category-alone/category-and-url",
    "category combined with url returns 400, with a gtin too",
    ["category", "url"],
    (both, { fixtures }) => {
      const [product] = orNone(fixtures.productsByGtin);
      return product === undefined ? [both] : [both, { ...both, gtin: product.gtin }];
    },
    400,
    4,
  ),
  invalid(
    "query.invalid-parameter/no-parameter",
    "A request without parameters, or with a limit or a cursor alone, returns 400",
    [],
    (_, { fixtures }) => {
      const cursors = fixtures.categories.flatMap(({ nextCursor }) => nextCursor || []);
      return [{}, { limit: "3" }, ...cursors.slice(0, 1).map((cursor) => ({ cursor }))];
    },
    400,
    3,
  ),
  invalid("query.impossible-value/limit-negative", "A negative limit returns 400", ["category"], (all) => [
    { ...all, limit: "-1" },
  ]),
  {
    id: "query.impossible-value/cursor-of-another-category",
    walks: true,
    title: "The cursor of another category returns 400, or a page of the category",
    alone: true,
    bad: cursorOfAnother,
    expect: 400,
    none: { code: "no-other-category" },
    // A cursor may be a place in any list, so the category's own products are correct.
    async unless(exchange, context) {
      const { products } = await wholeWalk(context);
      const own = new Set(products.map(({ name }) => name));
      const shown = productsIn(exchange, context.fieldNames);
      return (
        exchange.response.status === 200 && shown.every(({ product }) => own.has(itemName(product) ?? ""))
      );
    },
  },
  changed("retailer-alone", "retailer without gtin", "gtin", { gtin: undefined }),
  changed("empty-gtin", "An empty gtin", "gtin", { gtin: "" }),
  changed("empty-url", "An empty url", "url", { url: "" }),
  changed("empty-category", "An empty category", "category", { category: "" }),
  changed("limit-word", "A limit that is not a number", "category", { limit: "ten" }),
  changed("limit-with-a-tail", "A limit with letters after its digits", "category", { limit: "3x" }),
  changed("limit-fraction", "A limit that is not an integer", "category", { limit: "1.5" }),
  changed("cursor-garbage", "A made-up cursor", "category", { cursor: "shelfcheck-made-this-up" }),
]);

function changed(name: string, title: string, mode: keyof typeof modes, change: Parameters): StatusRow {
  const sets = (usual: Parameters) => [{ ...usual, ...change }];
  return invalid(`query.invalid-parameter/${name}`, `${title} returns 400`, [mode], sets);
}

/** @param sets what is sent, made of the parameters of these modes, each of which succeeds by itself */
function invalid(
  id: StatusRow["id"],
  title: string,
  of: readonly (keyof typeof modes)[],
  sets: (usual: Parameters, context: CheckContext) => readonly Parameters[] | Promise<readonly Parameters[]>,
  expect: StatusRow["expect"] = 400,
  requests = of.length + 1,
): StatusRow {
  return {
    id,
    title,
    requests,
    good: ({ fixtures }) => of.map((mode) => query(endpointOf[mode], modes[mode](fixtures))),
    async bad(context) {
      const usual: Parameters = Object.assign({}, ...of.map((mode) => modes[mode](context.fixtures)));
      return (await sets(usual, context)).map(sent);
    },
    expect,
  };
}

/** A request with these parameters, and with them as fields of a finding. */
function sent(given: Parameters): ChangedRequest {
  const parameters = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    request: query("other", given),
    condition: "parameters",
    details: { parameters: Object.fromEntries(parameters) },
  };
}

/** A GTIN and a URL of one product, and of two: a service may accept them only if they agree, or do not. */
async function gtinsAndUrls(_: Parameters, context: CheckContext): Promise<Parameters[]> {
  const { fixtures, fieldNames, shared } = context;
  const page = need(fixtures.productByUrl);
  const gtins = need(fixtures.productsByGtin);
  const pairs: Parameters[] = [];
  for (const { url, gtin, retailer } of gtins.filter((each) => each.url !== undefined).slice(0, urlsToTry))
    if (pairs.length === 0 && url !== undefined && (await shared(byUrl(url))).response.status === 200)
      pairs.push({ gtin, url }, { gtin, url, retailer });
  // Products of several retailers may have one GTIN, which a service may take for one product.
  const [{ gtin, retailer } = gtins[0]] = gtins.filter(
    (one) => !carriesGtin(page.product, one.gtin, fieldNames),
  );
  const two = { gtin, url: page.url };
  return [...pairs, two, ...(pairs.length === 0 ? [{ ...two, retailer }] : [])];
}

/** A category that was walked to its end, with the cursor of another one. */
async function cursorOfAnother(context: CheckContext): Promise<ChangedRequest[]> {
  const { category, end } = await wholeWalk(context);
  const other = context.fixtures.categories.find((one) => one.category !== category && one.nextCursor !== "");
  if (other === undefined || end !== "empty cursor") return [];
  const changed = sent({ category, cursor: other.nextCursor });
  return [{ ...changed, request: { ...changed.request, endpoint: "category-page" } }];
}
