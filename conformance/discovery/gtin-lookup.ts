import type { FieldNames } from "../../schemas/contracts/product.ts";
import { isObject } from "../../schemas/json.ts";
import { leavesOf, plainGtin, sameGtin, valuesAt } from "../../schemas/product-values.ts";
import type { Exchange } from "../client/exchange.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { byGtin } from "../client/requests.ts";
import { isGtin, isOfAnotherRetailer } from "../response/products-in.ts";
import { absent, type Fixtures, type GtinFixture, type ProductFixture, present } from "./fixtures.ts";
import { covering, kindsOf, oneOfEachRetailerFirst } from "./identifiers.ts";

/** The path of GTINs in a product, and products by what their GTIN finds. */
export interface GtinLookup {
  readonly path?: string;
  readonly products: Fixtures["productsByGtin"];
  /** Products with a GTIN that finds nothing, at a path where others are found or whose name says GTIN. */
  readonly unfound: readonly GtinFixture[];
  /** Products with a GTIN that leads to another retailer's product. */
  readonly shared: readonly GtinFixture[];
}

const pathsToTry = 6;
const productsToKeep = 4;
const scopedToTry = 3;
const byName = /gtin|upc|ean|barcode/i;

/** Products by what a lookup by their GTIN found: themselves, another retailer's product, or nothing. */
type Leads = Record<"found" | "shared" | "unfound", GtinFixture[]>;

/**
 * Finds the path of GTINs in products (spec, Product: "exact field names … not shown") by looking up what
 * could be one. Keeps some products that are found, of different retailers first.
 */
export async function findGtins(
  client: PoliteClient,
  products: readonly ProductFixture[],
  fieldNames: FieldNames,
): Promise<GtinLookup> {
  const paths = fieldNames.gtin === undefined ? candidatePaths(products) : [fieldNames.gtin];
  const retailers = new Set(products.map(({ retailer }) => retailer));
  let unfoundAnywhere: GtinFixture[] = [];
  let count = 0;
  for (const path of paths.slice(0, pathsToTry)) {
    const carriers = carriersOf(path, products);
    count = Math.max(count, carriers.length);
    const isNamed = fieldNames.gtin !== undefined || byName.test(path);
    const { found, unfound, shared } = await lookedUp(client, path, carriers, isNamed, retailers);
    // If every GTIN leads to another retailer's product, use those that are found with their retailer.
    for (const carrier of found.length > 0 ? [] : shared.slice(0, scopedToTry)) {
      const { response } = await client.ask(byGtin(carrier.gtin, carrier.retailer));
      if (response.status === 200 && leadsTo(response.json, carrier, retailers)) found.push(carrier);
    }
    const [first, ...others] = found;
    if (first !== undefined) return { path, products: present([first, ...others]), unfound, shared };
    if (shared.length === 0 && isNamed && unfoundAnywhere.length === 0) unfoundAnywhere = unfound;
  }
  const seen = { count, of: "products" } as const;
  const none = absent({ code: "nothing-found-by", endpoint: "lookup-by-gtin", seen });
  return { products: none, unfound: unfoundAnywhere, shared: [] };
}

async function lookedUp(
  client: PoliteClient,
  path: string,
  carriers: readonly GtinFixture[],
  isNamed: boolean,
  retailers: ReadonlySet<string>,
): Promise<Leads> {
  const all: Leads = { found: [], shared: [], unfound: [] };
  // Products of several retailers may have one GTIN.
  const responses = new Map<string, Exchange>();
  for (const carrier of carriers.slice(0, productsToKeep)) {
    const bare = responses.get(carrier.gtin) ?? (await client.ask(byGtin(carrier.gtin)));
    responses.set(carrier.gtin, bare);
    // A target that rejects a request without the optional retailer gets one; a check reports the rejection.
    const isBare = bare.response.status !== 400;
    const { response } = isBare ? bare : await client.ask(byGtin(carrier.gtin, carrier.retailer));
    if (response.status === 404 || response.status === 400) all.unfound.push(carrier);
    else if (response.status === 200) all[leadIn(response.json, carrier, path, retailers)].push(carrier);
    // If the first value finds nothing, the path holds another identifier, unless its name says GTIN.
    if (all.found.length + all.shared.length === 0 && !isNamed) break;
  }
  return all;
}

/** A GTIN of several retailers leads to the product of one of them; the others are not found by it. */
function leadIn(
  body: unknown,
  carrier: GtinFixture,
  path: string,
  retailers: ReadonlySet<string>,
): "found" | "shared" {
  if (leadsTo(body, carrier, retailers)) return "found";
  const shown = valuesAt(body, path).filter(isGtin);
  const isShared =
    shown.length > 0
      ? shown.some((value) => sameGtin(value, carrier.gtin))
      : isOfAnotherRetailer(body, carrier);
  return isShared ? "shared" : "found";
}

/** Whether a lookup returned this product. A retailer that no product has is an alias, which checks judge. */
function leadsTo(
  product: unknown,
  { retailer, productId }: ProductFixture,
  retailers: ReadonlySet<unknown>,
): boolean {
  if (!isObject(product)) return false;
  const { retailer: seen = retailer, product_id: id = productId } = product;
  return id === productId && (seen === retailer || !retailers.has(seen));
}

/** Products with a GTIN at a path; first one of each retailer, kind of GTIN and GTIN of several retailers. */
function carriersOf(path: string, products: readonly ProductFixture[]): GtinFixture[] {
  const carriers = products.flatMap((product) => {
    const gtin = valuesAt(product.product, path).find(isGtin);
    return gtin === undefined ? [] : [{ ...product, gtin }];
  });
  const byNumber = Map.groupBy(carriers, ({ gtin }) => plainGtin(gtin));
  const isOfSeveral = ({ gtin }: GtinFixture) =>
    new Set(byNumber.get(plainGtin(gtin))?.map(({ retailer }) => retailer)).size > 1;
  const coveredBy = (one: GtinFixture) => [
    ...kindsOf(one, "gtin", one.gtin),
    ...(isOfSeveral(one) ? ["of several"] : []),
  ];
  return oneOfEachRetailerFirst([
    ...new Set([...covering(carriers, coveredBy, productsToKeep), ...carriers]),
  ]);
}

/** Paths whose values look like GTINs, those with a telling name first. */
function candidatePaths(products: readonly ProductFixture[]): string[] {
  const counts = new Map<string, number>();
  for (const { product } of products) {
    for (const { path, value } of leavesOf(product)) {
      if (path !== "product_id" && isGtin(String(value))) counts.set(path, (counts.get(path) ?? 0) + 1);
    }
  }
  const named = (path: string) => Number(byName.test(path));
  return [...counts.keys()].sort(
    (a, b) => named(b) - named(a) || (counts.get(b) ?? 0) - (counts.get(a) ?? 0),
  );
}
