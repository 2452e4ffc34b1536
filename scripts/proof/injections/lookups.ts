import {
  type Asked,
  type Change,
  errorAnswer,
  type Injection,
  inject,
  injectRemembering,
  objectOf,
  onBody,
  onStatus,
  type Way,
} from "../injection.ts";

const notThere = { slug: "shelfcheck-not-there", name: "Not there", domains: [] };
const isWay = (way: Way) => (asked: Asked) => asked.way === way;
const as = (status: number, code: string) => () => errorAnswer(status, code);
const failing =
  (when: (asked: Asked) => boolean): Change =>
  (_answer, asked) =>
    when(asked) ? errorAnswer(500, "internal_error") : undefined;

/** Answers a request with two parameters as if one of them had not been sent. */
const dropping =
  (dropped: string, whenAlso: string): Change =>
  async (answer, asked, ask) => {
    const { parameters } = asked;
    if (answer.status !== 400 || !parameters.has(dropped) || !parameters.has(whenAlso)) return undefined;
    const fewer = new URLSearchParams(parameters);
    fewer.delete(dropped);
    // A retailer goes with its GTIN.
    if (dropped === "gtin") fewer.delete("retailer");
    return await ask({ ...asked, parameters: fewer });
  };

/** Faults in what a lookup is refused with, and in what is accepted. */
export const lookupInjections: readonly Injection[] = [
  inject(
    "unentitled-400",
    "by-id.unentitled-slug/existing-product",
    onStatus(403, as(400, "bad_request"), isWay("by-id")),
  ),
  inject(
    "unentitled-gtin-404",
    "errors.unentitled-retailer/by-gtin",
    onStatus(403, as(404, "not_found"), isWay("gtin")),
  ),
  inject(
    "unknown-slug-404",
    "by-id.unknown-slug/known-product",
    onStatus(400, as(404, "not_found"), isWay("by-id")),
  ),
  inject(
    "unknown-slug-by-gtin-404",
    "errors.unknown-retailer/by-gtin",
    onStatus(
      400,
      as(404, "not_found"),
      ({ way, parameters }) => way === "gtin" && parameters.has("retailer") && parameters.get("gtin") !== "",
    ),
  ),
  inject(
    "unknown-product-400",
    "by-id.unknown-product/unknown-id",
    onStatus(404, as(400, "bad_request"), isWay("by-id")),
  ),
  inject(
    "unknown-url-400",
    "query.url-not-found/unknown-page",
    onStatus(404, as(400, "bad_request"), isWay("url")),
  ),
  inject(
    "unknown-gtin-400",
    "query.gtin-not-found/unknown",
    onStatus(
      404,
      as(400, "bad_request"),
      ({ way, parameters }) => way === "gtin" && !parameters.has("retailer"),
    ),
    {
      "authentication.entitlement":
        "400 where 403 or 404 belong: a GTIN that is not granted is one that is not there",
    },
  ),
  inject(
    "mismatch-400",
    "query.gtin-mismatch/other-retailer",
    onStatus(
      404,
      as(400, "bad_request"),
      ({ way, parameters }) => way === "gtin" && parameters.has("retailer"),
    ),
  ),
  inject("url-and-gtin-accepted", "query.exclusive-identifiers/gtin-and-url", dropping("gtin", "url")),
  inject(
    "category-and-gtin-accepted",
    "query.category-alone/category-and-gtin",
    dropping("gtin", "category"),
  ),
  inject("all-three-accepted", "query.category-alone/all-three", async (answer, asked, ask) => {
    const { parameters } = asked;
    const three = ["category", "url", "gtin"].every((name) => parameters.has(name));
    const parametersOfOne = new URLSearchParams({ category: parameters.get("category") ?? "" });
    return answer.status === 400 && three ? await ask({ ...asked, parameters: parametersOfOne }) : undefined;
  }),
  inject("category-and-url-accepted", "query.category-alone/category-and-url", dropping("url", "category")),
  inject(
    "empty-gtin-404",
    "query.invalid-parameter/empty-gtin",
    onStatus(400, as(404, "not_found"), ({ parameters }) => parameters.get("gtin") === ""),
  ),
  inject(
    "empty-url-404",
    "query.invalid-parameter/empty-url",
    onStatus(400, as(404, "not_found"), ({ parameters }) => parameters.get("url") === ""),
  ),
  inject("limit-fraction-accepted", "query.invalid-parameter/limit-fraction", async (answer, asked, ask) => {
    const limit = asked.parameters.get("limit");
    if (answer.status !== 400 || limit === null || !limit.includes(".")) return undefined;
    const parameters = new URLSearchParams(asked.parameters);
    parameters.set("limit", limit.split(".")[0] ?? "1");
    return await ask({ ...asked, parameters });
  }),
  inject(
    "no-parameter-404",
    "query.invalid-parameter/no-parameter",
    onStatus(
      400,
      as(404, "not_found"),
      ({ path, parameters }) => path === "/products" && parameters.size === 0,
    ),
  ),

  injectRemembering(
    "category-gone-on-return",
    "query.category/first-page",
    () => {
      const asked = new Set<string>();
      return (_answer, { way, caller, parameters }) => {
        const page = parameters.toString();
        if (way !== "category" || caller !== "primary" || parameters.size > 1) return undefined;
        return asked.size === asked.add(page).size ? errorAnswer(404, "not_found") : undefined;
      };
    },
    {
      "page.last-cursor": "the walk begins at that page",
      "query.paging": "what stood on that page is on none any more",
    },
  ),
  inject(
    "gtin-letters-500",
    "query.invalid-parameter/gtin-letters",
    failing(({ parameters }) => /[a-z]/i.test(parameters.get("gtin") ?? "")),
  ),
  inject(
    "empty-category-404",
    "query.invalid-parameter/empty-category",
    onStatus(400, as(404, "not_found"), ({ parameters }) => parameters.get("category") === ""),
  ),
  inject("unknown-category-403", "query.category/unknown", (answer, { way, caller, parameters }) => {
    const nothing = answer.status === 404 || answer.status === 400 || isEmptyPage(objectOf(answer));
    const plain =
      way === "category" &&
      caller === "primary" &&
      parameters.size === 1 &&
      parameters.get("category") !== "";
    return nothing && plain ? errorAnswer(403, "forbidden") : undefined;
  }),
  inject(
    "odd-limit-500",
    ["query.limit/limit-zero", "query.limit/limit-negative", "query.limit/limit-huge"],
    failing(({ parameters }) => ["0", "-1", "1000000"].includes(parameters.get("limit") ?? "")),
  ),
  inject(
    "duplicates-500",
    "batch.lookup/duplicates",
    failing(({ way, body }) => way === "batch" && hasDuplicates(body)),
  ),
  injectRemembering(
    "batch-of-one-refused",
    "batch.size/one",
    () => {
      let asked = false;
      // Only once larger ones were sent: a target that refuses the first batch of all shows no dialect.
      return ({ status }, { way, caller, body }) => {
        if (way !== "batch" || status !== 200 || caller !== "primary") return undefined;
        const { length } = itemsIn(body);
        asked ||= length > 1;
        return asked && length === 1 ? errorAnswer(400, "bad_request") : undefined;
      };
    },
    { "batch.partial": "a batch of one item that is not there is refused" },
  ),
  inject(
    "listed-slug-unknown",
    "retailer.slug/accepted",
    onBody("retailers", (body) => ({
      ...body,
      retailers: Array.isArray(body.retailers) ? [notThere, ...body.retailers] : body.retailers,
    })),
    { "query.gtin-mismatch": "a retailer that is listed, and not there, gives 400" },
  ),
];

function isEmptyPage(page: Readonly<Record<string, unknown>> | undefined): boolean {
  return Array.isArray(page?.products) && page.products.length === 0;
}

function itemsIn(body: Buffer): readonly unknown[] {
  const value = JSON.parse(body.toString("utf8") || "{}") as object;
  return Array.isArray(value) ? value : (Object.values(value).find(Array.isArray) ?? []);
}

function hasDuplicates(body: Buffer): boolean {
  const items = itemsIn(body);
  return new Set(items.map((item) => JSON.stringify(item))).size < items.length;
}
