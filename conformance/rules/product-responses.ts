import { identityOf, otherGtin } from "../../schemas/accounts.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { type Product, product } from "../../schemas/contracts/product.ts";
import { isObject, pointer } from "../../schemas/json.ts";
import { noValuesIn } from "../../schemas/no-values.ts";
import { isUtcTimestamp, wrappingsOf, wrongFormat } from "../../schemas/product-values.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Endpoint } from "../client/requests.ts";
import { actual, typeValidator, unlessType } from "../response/body-findings.ts";
import { productsIn, requestedById } from "../response/products-in.ts";
import { type Rule, type RuleFacts, rulesOn } from "./rule.ts";

const wrongTypes = typeValidator(product);

/** Rules for every product, on any lookup path. What several paths tell of one product: suite/product.check.ts. */
export const productResponseRules: readonly Rule[] = [
  ...rulesOn("product", eachProduct, {
    "service.omitted-fields/every-product": [
      "No product contains null, an empty string or another value that can only stand for none, at any depth",
      (product, { prices }) => noValuesIn(product, "must", prices()),
    ],
    "service.stand-ins/every-product": [
      "No product contains a value that seems to stand for none",
      (product, { prices }) => noValuesIn(product, "should", prices()),
    ],
    "product.field-types/every-product": [
      "Every product field named in the spec has the type given there",
      (product) => wrongTypes(product),
    ],
    "product.currency/every-product": [
      "Every currency has the form of a currency code",
      (product) => wrongFormat(product, "currency"),
    ],
    "product.product-url/every-product": [
      "Every product_url is a URL, with or without a scheme",
      (product) => wrongFormat(product, "product_url"),
    ],
    "product.last-updated/every-product": [
      "Every last_updated is an ISO 8601 timestamp in UTC",
      (product) => wrongFormat(product, "last_updated"),
    ],
    "product.freshness/every-product": [
      "No last_updated is more than 15 minutes in the future",
      ({ last_updated: updated }, _facts, { response }) => {
        const at = typeof updated === "string" && isUtcTimestamp(updated) ? Date.parse(updated) : Number.NaN;
        const now = Math.max(Date.now(), Date.parse(String(response.headers.date)) || 0);
        return at > now + clockSkew
          ? [{ code: "wrong-format", path: "/last_updated", expected: "past-time", actual: updated }]
          : [];
      },
    ],
    "product.retailer/every-product": [
      "No product has a display name, or a listed slug in another case, as its retailer",
      (product, facts, { caller }) => {
        const { isName, inAnotherCase: expected = [] } = unlisted(product, facts, caller);
        const told = { path: "/retailer", actual: String(product.retailer) };
        if (isName === true) return [{ code: "name-for-slug", ...told }];
        return expected.length > 0
          ? [{ code: "told-otherwise", subject: "retailer-list", ...told, expected }]
          : [];
      },
    ],
    "authentication.entitlement/every-product": [
      "Every product returned is of a retailer that a response of the run lists for the organization of the key",
      (product, facts, { caller: subject }) => {
        return unlisted(product, facts, subject).inAnotherCase?.length === 0
          ? [{ code: "not-granted", path: "/retailer", actual: String(product.retailer), subject }]
          : [];
      },
    ],
    "product.retailer-name/of-another": [
      "No product has the name that GET /retailers gives another retailer",
      (product, { listed }) => {
        const [name, own] = namesOf(product, listed);
        // One name may be part of another: a retailer and its shop in one country.
        if (own.some((one) => plain(one).includes(name) || name.includes(plain(one)))) return [];
        const isOfAnother = listed
          .values()
          .some(({ names }) => names.values().some((one) => plain(one) === name));
        return own.length > 0 && isOfAnother ? [otherName(product, own)] : [];
      },
    ],
    "product.listed-name/as-listed": [
      "The retailer_name of every product is the name that GET /retailers gives its retailer",
      (product, { listed }) => {
        const [name, own] = namesOf(product, listed);
        return name === "" || own.length === 0 || own.some((one) => plain(one) === name)
          ? []
          : [otherName(product, own)];
      },
    ],
    "retailer.detection/every-product": [
      "The host of every product_url is a domain of its retailer, or below one, where it has any",
      ({ retailer, product_url: actual }, { listed }) => {
        const said = listed.get(String(retailer));
        // Domains may change at any time (spec, Retailer).
        const expected = said === undefined || said.isChanging ? [] : [...said.domains];
        const host = typeof actual === "string" ? hostOf(actual) : undefined;
        if (host === undefined || expected.length === 0 || expected.some((domain) => isBelow(host, domain)))
          return [];
        return [
          { code: "told-otherwise", subject: "retailer-domains", path: "/product_url", expected, actual },
        ];
      },
    ],
  }),
  {
    id: "product.same-shape/every-product",
    title: "Every product outside batches is returned without a wrapper around it",
    exercisedBy: "product",
    judge(exchange, facts) {
      const { endpoint, response } = exchange;
      if (endpoint === "category-page") return eachProduct(wrappingsOf)(exchange, facts);
      // In a batch result a wrapper is allowed, and discovery found it.
      if (response.status !== 200 || response.json === undefined || !lookupsOfOne.has(endpoint))
        return undefined;
      const isText = !isObject(response.json) && !Array.isArray(response.json);
      return isText ? unlessType(response.json, "", "object") : wrappingsOf(response.json);
    },
  },
  {
    id: "by-id.product/every-response",
    title: "Every product found by id shows that retailer and id, if any, but for the case of the id",
    exercisedBy: "lookup-by-id",
    judge(exchange, facts) {
      const [found] = exchange.endpoint === "lookup-by-id" ? productsIn(exchange, facts.fieldNames) : [];
      if (found === undefined) return undefined;
      const wanted = requestedById(exchange);
      const { retailer, productId } = wanted;
      // A display name in place of the slug is judged by product.retailer.
      const { isName } = unlisted({ retailer: String(found.product.retailer) }, facts, exchange.caller);
      return [
        ...(isName === undefined ? differs("retailer", found.product, retailer, wanted) : []),
        // A service may ignore the case of ids. The checks compare known products with the id as it was shown.
        ...(inOneCase(found.product.product_id) === inOneCase(productId)
          ? []
          : differs("product_id", found.product, productId, wanted)),
      ];
    },
  },
  {
    id: "query.gtin/every-response",
    title: "Every product found by a GTIN shows that GTIN, if it shows any",
    exercisedBy: "gtin",
    judge(exchange, { fieldNames }) {
      if (exchange.endpoint !== "lookup-by-gtin") return undefined;
      const [found] = productsIn(exchange, fieldNames);
      const [asked, another] = new URL(exchange.request.url).searchParams.getAll("gtin");
      if (fieldNames.gtin === undefined || asked === undefined || another !== undefined) return undefined;
      return found && otherGtin(found.product, asked, fieldNames.gtin);
    },
  },
];

const lookupsOfOne: ReadonlySet<Endpoint> = new Set(["lookup-by-id", "lookup-by-url", "lookup-by-gtin"]);

/** Most milliseconds by which clocks of different machines are expected to differ. */
const clockSkew = 15 * 60_000;

function eachProduct(
  judge: (product: Product, facts: RuleFacts, exchange: Exchange) => readonly Finding[],
): Rule["judge"] {
  return (exchange, facts) => {
    const products = productsIn(exchange, facts.fieldNames);
    if (products.length === 0) return undefined;
    const findings: Finding[] = [];
    for (const { path, product } of products)
      for (const finding of judge(product, facts, exchange))
        findings.push({ ...finding, ...identityOf(product), path: path + (finding.path ?? "") });
    return findings;
  };
}

/**
 * What the retailer of a product is where it is no slug of its caller's list: a display name, or another slug, with those that it
 * equals but for its case, which is no leak. Empty where it is one, or where the list is not known
 * and no other of the run has such a slug.
 */
function unlisted(
  { retailer: actual }: Product,
  { entitled, retailerNames, listed }: RuleFacts,
  caller: Exchange["caller"],
): { readonly isName?: true; readonly inAnotherCase?: string[] } {
  const granted = entitled(caller);
  if (typeof actual !== "string" || (granted ?? listed).has(actual)) return {};
  if (retailerNames.has(actual)) return { isName: true };
  const isAlike = (slug: string) => slug.toLowerCase() === actual.toLowerCase();
  const inAnotherCase = [...(granted ?? listed.keys())].filter(isAlike);
  return granted === undefined && inAnotherCase.length === 0 ? {} : { inAnotherCase };
}

function differs(
  name: "retailer" | "product_id",
  product: Product,
  expected: string,
  wanted: NonNullable<Finding["product"]>,
): Finding[] {
  const value = product[name];
  // Missing and null fields are judged by other rules.
  if (value === undefined || value === null || value === "" || value === expected) return [];
  return [{ code: "other-product", path: pointer(name), expected, ...actual(value), product: wanted }];
}

function inOneCase(id: unknown): unknown {
  return typeof id === "string" ? id.toLowerCase() : id;
}

/** The plain name of a product's retailer, empty without one, and the names that lists give that retailer. */
function namesOf(
  { retailer, retailer_name: name }: Product,
  listed: RuleFacts["listed"],
): [name: string, own: string[]] {
  const own = [...(listed.get(String(retailer))?.names ?? [])];
  return [typeof name === "string" ? plain(name) : "", own];
}

function otherName({ retailer_name: actual }: Product, expected: string[]): Finding {
  return { code: "told-otherwise", subject: "retailer-list", path: "/retailer_name", expected, actual };
}

/** A name without what is not normalized: its case and blanks (spec, What the service does). */
function plain(name: string): string {
  return name.trim().replaceAll(/\s+/g, " ").toLowerCase();
}

/** The host of a URL, which may lack its scheme; undefined when it has none. */
function hostOf(url: string): string | undefined {
  if (/^\/(?!\/)/.test(url)) return undefined;
  const whole = /^[a-z][\w+.-]*:\/\//i.test(url) ? url : `https://${url.replace(/^\/\//, "")}`;
  const host = URL.parse(whole)?.hostname ?? "";
  return host === "" ? undefined : host;
}

function isBelow(host: string, domain: string): boolean {
  const base = hostOf(domain.replace(/^\*\./, ""))?.replace(/^www\./, "");
  return host === base || host.endsWith(`.${base}`);
}
