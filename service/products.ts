import type { AuthenticatedCaller, Permissions, StoredRetailer } from "./access.ts";
import type { ServiceResponse } from "./call.ts";
import type { Catalog, Eventually, StoredFields, StoredProduct } from "./catalog/catalog.ts";
import { domainsAbove, type PageAddress } from "./catalog/identifiers.ts";
import type { Cursors } from "./cursor.ts";
import { badRequest, forbidden, notFound } from "./errors.ts";
import type { ProductQuery } from "./query.ts";

/** What a lookup works with. */
export interface Surroundings {
  readonly caller: AuthenticatedCaller;
  readonly catalog: Catalog;
  readonly cursors: Cursors;
}

/** GET /v1/products/{retailer}/{product_id}. */
export function findProduct(
  { slug, productId }: { slug: string; productId: string },
  { caller, catalog }: Surroundings,
): Eventually<ServiceResponse> {
  if (slug === "" || productId === "") throw badRequest("The path lacks a retailer or a product identifier.");
  const retailer = entitledRetailer(slug, caller);
  const answer = (fields: StoredFields | undefined) => {
    if (fields === undefined) throw notFound("The retailer has no product with this identifier.");
    return answerProduct(retailer, fields);
  };
  const found = catalog.byIdentifier(retailer.id, productId);
  return found instanceof Promise ? found.then(answer) : answer(found);
}

/** GET /v1/products, in the mode that the query selects. */
export function queryProducts(query: ProductQuery, surroundings: Surroundings): Promise<ServiceResponse> {
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

/** By a domain of the retailer or a subdomain of it; at any other host, by the exact host of the page. */
async function findByUrl(address: PageAddress, surroundings: Surroundings): Promise<ServiceResponse> {
  const { caller, catalog } = surroundings;
  const { permissions } = caller;
  const resolved = retailerOfHost(address.host, permissions);
  if (resolved !== undefined && !caller.entitled.has(resolved.id)) throw notEntitled();
  const pages = await catalog.byPagePath(address.path);
  const matching = pages.filter(({ retailer, host }) =>
    resolved === undefined ? host === address.host : retailer === resolved.id,
  );
  const page = matching.find(({ host }) => host === address.host) ?? matching[0];
  if (page === undefined) throw notFound("The URL is not a product page of the catalog.");
  if (!caller.entitled.has(page.retailer)) throw notEntitled();
  return answerStored(page, permissions);
}

function retailerOfHost(host: string, permissions: Permissions): StoredRetailer | undefined {
  for (const domain of domainsAbove(host)) {
    const retailer = permissions.retailersByDomain.get(domain);
    if (retailer !== undefined) return retailer;
  }
  return undefined;
}

/**
 * Of several entitled retailers with the GTIN, the one whose product was added first. Without `retailer`, a
 * GTIN of unentitled ones only is 404: the request names no retailer that could be forbidden.
 */
async function findByGtin(
  { gtin, retailer: slug }: Extract<ProductQuery, { mode: "gtin" }>,
  { caller, catalog }: Surroundings,
): Promise<ServiceResponse> {
  const wanted = slug === undefined ? undefined : entitledRetailer(slug, caller);
  const found = await catalog.byGtin(gtin);
  const product = found.find(({ retailer }) =>
    wanted === undefined ? caller.entitled.has(retailer) : retailer === wanted.id,
  );
  if (product === undefined) throw notFound("No product has this GTIN.");
  return answerStored(product, caller.permissions);
}

/** Items of unentitled retailers are removed after the page is cut, so that it may be short or empty. */
async function browseCategory(
  { category, limit, cursor }: Extract<ProductQuery, { mode: "category" }>,
  { caller, catalog, cursors }: Surroundings,
): Promise<ServiceResponse> {
  const scope = { organization: caller.organization, category };
  const after = cursor === undefined ? 0 : cursors.read(scope, cursor);
  const found = await catalog.inCategory(category, after, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const products = new ProductListEndpoint();
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

function answerStored({ retailer: id, fields }: StoredProduct, permissions: Permissions): ServiceResponse {
  const retailer = permissions.retailersById.get(id);
  if (retailer === undefined) throw notFound("The product's retailer is gone.");
  return answerProduct(retailer, fields);
}

/**
 * The retailer with this slug.
 * @throws HttpError 400 when there is none, 403 when the organization is not entitled to it.
 */
function entitledRetailer(slug: string, caller: AuthenticatedCaller): StoredRetailer {
  const retailer = caller.permissions.retailersBySlug.get(slug);
  if (retailer === undefined) throw badRequest("There is no retailer with this slug: see GET /v1/retailers.");
  if (!caller.entitled.has(retailer.id)) throw notEntitled();
  return retailer;
}

const notEntitled = () => forbidden("Your organization may not use this retailer.");

const noHeaders = {};

/** 200 with one product, as text: a short body is sent faster in one piece with the head. */
function answerProduct({ opening }: StoredRetailer, fields: StoredFields): ServiceResponse {
  return { status: 200, headers: noHeaders, body: Buffer.concat([opening, fields]).toString() };
}

const listOpening = Buffer.from('{"products":[');
const comma = Buffer.from(",");

/** Builds `{ products, … }` from stored bytes, which are joined once at the end. */
export class ProductListEndpoint {
  readonly #parts: Buffer[] = [listOpening];
  length = 0;

  add({ opening }: StoredRetailer, fields: StoredFields): void {
    if (this.length++ > 0) this.#parts.push(comma);
    this.#parts.push(opening, fields);
  }

  /**
   * 200 with the list and what follows it.
   * @param rest further members of the body, as JSON text without the braces.
   */
  answer(rest: string): ServiceResponse {
    return {
      status: 200,
      headers: noHeaders,
      body: Buffer.concat([...this.#parts, Buffer.from(`],${rest}}`)]),
    };
  }
}
