import type { Dialect } from "../../schemas/types.ts";
import type { Asking } from "../asking.ts";
import { absent, type Fixtures, type GtinFixture, type ProductFixture, present } from "../fixtures.ts";
import { isGtin, sameGtin } from "../gtin.ts";
import { isObject } from "../products-in.ts";
import { byGtin } from "../requests.ts";
import { leavesOf, valuesAt } from "./field-paths.ts";

/** What looking for GTINs found. */
export interface GtinLookup {
  readonly path?: string;
  readonly products: Fixtures["productsByGtin"];
}

const pathsToTry = 6;
const productsToKeep = 6;
const byName = /gtin|upc|ean|barcode/i;

/**
 * Finds where products carry their GTIN (spec, Product: "exact field names … not shown") by asking for the
 * values that could be one, and keeps some products that their GTIN finds, of different retailers first.
 */
export async function findGtins(
  asking: Asking,
  products: readonly ProductFixture[],
  dialect: Dialect,
): Promise<GtinLookup> {
  const paths = dialect.gtin === undefined ? candidatePaths(products) : [dialect.gtin];
  for (const path of paths.slice(0, pathsToTry)) {
    const carriers = oneOfEachRetailerFirst(
      products.flatMap((product) => {
        const gtin = valuesAt(product.product, path).find(isGtin);
        return gtin === undefined ? [] : [{ ...product, gtin }];
      }),
    );
    const found: GtinFixture[] = [];
    let elsewhere = false;
    for (const carrier of carriers.slice(0, productsToKeep)) {
      const bare = await asking.ask(byGtin(carrier.gtin));
      // A target that wants the optional retailer is asked with it, so that the checks can say so.
      const { response } =
        bare.response.status === 400 ? await asking.ask(byGtin(carrier.gtin, carrier.retailer)) : bare;
      // A GTIN that several retailers carry leads to one of them, which need not show it: the others are no fixture for it.
      const shown = valuesAt(response.json, path).filter(isGtin);
      const toAnother =
        !leadsTo(response.json, carrier) &&
        (shown.some((value) => sameGtin(value, carrier.gtin)) ||
          (shown.length === 0 && isOfAnotherRetailer(response.json, carrier)));
      if (response.status === 200 && toAnother) elsewhere = true;
      else if (response.status === 200) found.push(carrier);
      // A path whose first values find nothing is another identifier.
      else if (found.length === 0 && !elsewhere && dialect.gtin === undefined) break;
    }
    const [first, ...others] = found;
    if (first !== undefined) return { path, products: present([first, ...others]) };
  }
  return {
    products: absent(
      products.length === 0
        ? "no product was seen"
        : "no product seen carries a GTIN that the target finds it by",
      products.length === 0
        ? "Give a category that has products (--category)."
        : "Give a category whose products carry GTINs, or name the field in the config: targets.<name>.dialect.gtin.",
    ),
  };
}

function leadsTo(product: unknown, { retailer, productId }: ProductFixture): boolean {
  if (!isObject(product)) return false;
  const { retailer: seen = retailer, product_id: id = productId } = product;
  return seen === retailer && id === productId;
}

/** Whether a product says that it belongs to another retailer than the one that is known. */
export function isOfAnotherRetailer(
  product: unknown,
  { retailer }: Pick<ProductFixture, "retailer">,
): boolean {
  return isObject(product) && typeof product.retailer === "string" && product.retailer !== retailer;
}

/** Paths at which some product has the shape of a GTIN, those named like one first. */
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

function oneOfEachRetailerFirst<T extends ProductFixture>(products: readonly T[]): T[] {
  const seen = new Set<string>();
  const firsts = products.filter(({ retailer }) => !seen.has(retailer) && seen.add(retailer));
  return [...firsts, ...products.filter((product) => !firsts.includes(product))];
}
