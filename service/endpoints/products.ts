import type { Permissions, Retailer } from "../access/permissions.ts";
import type { Answer, Caller } from "../call.ts";
import type { Cursors } from "../query/cursor.ts";
import type { ProductQuery } from "../query/product-query.ts";
import { domainsAbove, type PageAddress } from "../query/product-url.ts";
import { notFound } from "../refusal.ts";
import type { Catalogue, StoredProduct } from "../upstream.ts";
import { entitledRetailer, notEntitled } from "./entitled-retailer.ts";
import { answerProduct, ProductList } from "./product-answer.ts";

export interface Surroundings {
  readonly caller: Caller;
  readonly catalogue: Catalogue;
  readonly cursors: Cursors;
}

/** GET /v1/products, in the mode that the query selected. */
export function queryProducts(query: ProductQuery, surroundings: Surroundings): Promise<Answer> {
  switch (query.mode) {
    case "url":
      return findByUrl(query.address, surroundings);
    case "gtin":
      return findByGtin(query, surroundings);
    case "category":
      return browseCategory(query, surroundings);
    default:
      return query satisfies never;
  }
}

/**
 * The retailer is resolved from the host: a configured domain or a subdomain of it. A retailer whose domains
 * are not configured yet is found by the exact host of the product page.
 */
async function findByUrl(address: PageAddress, surroundings: Surroundings): Promise<Answer> {
  const { caller, catalogue } = surroundings;
  const { permissions } = caller;
  const resolved = retailerOfHost(address.host, permissions);
  if (resolved !== undefined && !caller.entitled.has(resolved.id)) throw notEntitled();
  const pages = await catalogue.byPagePath(address.path);
  const matching = pages.filter(({ retailer, host }) =>
    resolved === undefined ? host === address.host : retailer === resolved.id,
  );
  const page = matching.find(({ host }) => host === address.host) ?? matching[0];
  if (page === undefined) throw notFound("The URL is no product page of the catalog.");
  if (!caller.entitled.has(page.retailer)) throw notEntitled();
  return answerStored(page, permissions);
}

function retailerOfHost(host: string, permissions: Permissions): Retailer | undefined {
  for (const domain of domainsAbove(host)) {
    const retailer = permissions.retailersByDomain.get(domain);
    if (retailer !== undefined) return retailer;
  }
  return undefined;
}

/**
 * Among several retailers with the GTIN, the first entitled one answers. Without `retailer`, a GTIN that only
 * unentitled retailers have is not found: the request names no retailer that could be refused.
 */
async function findByGtin(
  { gtin, retailer: slug }: Extract<ProductQuery, { mode: "gtin" }>,
  { caller, catalogue }: Surroundings,
): Promise<Answer> {
  const wanted = slug === undefined ? undefined : entitledRetailer(slug, caller);
  const found = await catalogue.byGtin(gtin);
  const product = found.find(({ retailer }) =>
    wanted === undefined ? caller.entitled.has(retailer) : retailer === wanted.id,
  );
  if (product === undefined) throw notFound("No product has this GTIN.");
  return answerStored(product, caller.permissions);
}

/** Items of unentitled retailers are taken out of the page after it is cut: it may be short, or empty. */
async function browseCategory(
  { category, limit, cursor }: Extract<ProductQuery, { mode: "category" }>,
  { caller, catalogue, cursors }: Surroundings,
): Promise<Answer> {
  const scope = { organization: caller.organization, category };
  const after = cursor === undefined ? 0 : cursors.read(scope, cursor);
  const found = await catalogue.inCategory(category, after, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const products = new ProductList();
  for (const { retailer: id, fields } of page) {
    const retailer = caller.entitled.has(id) ? caller.permissions.retailersById.get(id) : undefined;
    if (retailer !== undefined) products.add(retailer, fields);
  }
  const meta = {
    next_cursor: last === undefined ? "" : cursors.write(scope, last.position),
    count: products.length,
  };
  return products.answer(`"meta":${JSON.stringify(meta)}`);
}

function answerStored({ retailer: id, fields }: StoredProduct, permissions: Permissions): Answer {
  const retailer = permissions.retailersById.get(id);
  if (retailer === undefined) throw notFound("The product's retailer is gone.");
  return answerProduct(retailer, fields);
}
