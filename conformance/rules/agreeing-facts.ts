import {
  entriesOf,
  itemName,
  itemsIn,
  miscountedItems,
  otherGtin,
  type PlacedEntry,
  repeatedOnPage,
  wrongTotal,
} from "../../schemas/accounts.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { isObject } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { countersOf } from "../response/batch-result.ts";
import { productsIn } from "../response/products-in.ts";
import { eachProduct } from "./product-responses.ts";
import type { Rule, RuleFacts } from "./rule.ts";

/**
 * Facts that a service tells in several places must agree: one rule for each pair of places, at the cost of no request.
 * What is told by several lookup paths is compared in suite/product.check.ts.
 */
export const agreeingFactRules: readonly Rule[] = [
  {
    id: "product.retailer-name/of-another",
    title: "No product has the name that GET /retailers gives another retailer",
    exercisedBy: "product",
    judge: eachProduct((product, { listed }) => {
      const [name, own] = namesOf(product, listed);
      // One name may be part of another: a retailer and its shop in one country.
      const isRelated = own.some((one) => plain(one).includes(name) || name.includes(plain(one)));
      if (own.length === 0 || isRelated) return [];
      const isOfAnother = listed
        .entries()
        .some(
          ([slug, { names }]) =>
            slug !== product.retailer && names.values().some((one) => plain(one) === name),
        );
      return isOfAnother ? [otherName(product, own)] : [];
    }),
  },
  {
    id: "product.listed-name/as-listed",
    title: "The retailer_name of every product is the name that GET /retailers gives its retailer",
    exercisedBy: "product",
    judge: eachProduct((product, { listed }) => {
      const [name, own] = namesOf(product, listed);
      return name === "" || own.length === 0 || own.some((one) => plain(one) === name)
        ? []
        : [otherName(product, own)];
    }),
  },
  {
    id: "retailer.detection/every-product",
    title: "The host of every product_url is a domain of its retailer, or below one",
    exercisedBy: "product",
    judge: eachProduct(({ retailer, product_url: url }, { listed }) => {
      const said = typeof retailer === "string" ? listed.get(retailer) : undefined;
      // Domains may change at any time (spec, Retailer).
      const domains = said === undefined || said.isChanging ? [] : [...said.domains];
      const host = typeof url === "string" ? hostOf(url) : undefined;
      return host === undefined || domains.length === 0 || domains.some((domain) => isBelow(host, domain))
        ? []
        : [
            {
              code: "told-otherwise",
              subject: "retailer-domains",
              path: "/product_url",
              expected: domains,
              actual: url,
            },
          ];
    }),
  },
  {
    id: "query.gtin/every-response",
    title: "Every product found by a GTIN shows that GTIN, if it shows any",
    exercisedBy: "gtin",
    judge(exchange, { fieldNames }) {
      if (exchange.endpoint !== "lookup-by-gtin") return undefined;
      const [found] = productsIn(exchange, fieldNames);
      const asked = new URL(exchange.request.url).searchParams.getAll("gtin");
      if (found === undefined || fieldNames.gtin === undefined || asked.length !== 1) return undefined;
      return otherGtin(found.product, asked[0] ?? "", fieldNames.gtin);
    },
  },
  {
    id: "query.paging/every-page",
    title: "No page has a product twice",
    exercisedBy: "page",
    judge(exchange, { fieldNames }) {
      if (exchange.endpoint !== "category-page" || exchange.response.status !== 200) return undefined;
      return repeatedOnPage(listedIn(exchange, fieldNames));
    },
  },
  {
    id: "batch.summary/every-item",
    title:
      "Every batch result accounts for each item as often as it was sent, and its total is the number of items",
    exercisedBy: "batch",
    judge(exchange, facts) {
      const sent = itemsIn(exchange.request.body ?? "");
      const names = sent.flatMap((item) => (isObject(item) ? (itemName(item) ?? []) : []));
      const listed = listedItems(exchange, facts);
      // A malformed item may be counted in any way.
      if (listed === undefined || sent.length === 0 || names.length < sent.length) return undefined;
      return [...wrongTotal(countersOf(exchange).total, names), ...miscountedItems(names, listed)];
    },
  },
];

/** The plain name of a product's retailer, empty without one, and the names that lists give that retailer. */
function namesOf(
  { retailer, retailer_name: name }: Product,
  listed: RuleFacts["listed"],
): [name: string, own: string[]] {
  const own = typeof retailer === "string" ? [...(listed.get(retailer)?.names ?? [])] : [];
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
  return base !== undefined && (host === base || host.endsWith(`.${base}`));
}

function listedIn(exchange: Exchange, fieldNames: RuleFacts["fieldNames"]): PlacedEntry[] {
  return productsIn(exchange, fieldNames).map(({ path, product }) => ({ path, entry: product }));
}

/** The items that are found or under errors; undefined when some cannot be told, or nothing was found or listed. */
function listedItems(exchange: Exchange, { fieldNames }: RuleFacts): PlacedEntry[] | undefined {
  const { json, status } = exchange.response;
  if (exchange.endpoint !== "batch" || status !== 200 || !isObject(json)) return undefined;
  const list = fieldNames.batchFoundField === undefined ? undefined : json[fieldNames.batchFoundField];
  if (!Array.isArray(list) || !Array.isArray(json.errors)) return undefined;
  const all = [...listedIn(exchange, fieldNames), ...entriesOf(json, "errors")];
  const areAllNamed = all.every(({ entry }) => itemName(entry) !== undefined);
  return areAllNamed && all.length === list.length + json.errors.length ? all : undefined;
}
