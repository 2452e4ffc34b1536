import type { Exchange } from "../client/exchange.ts";
import { byId, byUrl } from "../client/requests.ts";
import type { GtinFixture, ProductFixture } from "../discovery/fixtures.ts";
import type { CheckContext } from "../engine/check.ts";
import { pagesOfOwnSize, walk } from "./walk.ts";

/** Products of a failed attempt to look for again. */
const mostToLookFor = 10;

/**
 * A product that these exchanges asked for and that has left the catalogue since discovery saw it: it is no
 * longer found by its id, nor shown by browsing. A failure that it has a part in says nothing of the target.
 * Undefined when all of them are still there.
 */
export async function goneProduct(
  context: CheckContext,
  exchanges: readonly Exchange[],
): Promise<ProductFixture | undefined> {
  const { products, productsByGtin, unfoundByGtin, sharedGtins } = context.fixtures;
  const known: readonly (ProductFixture | GtinFixture)[] = [
    ...(productsByGtin.present ? productsByGtin.value : []),
    ...unfoundByGtin,
    ...sharedGtins,
    ...products,
  ];
  const asked = known.filter((product) => exchanges.some((exchange) => asksFor(exchange, product)));
  const once = new Map(asked.map((product) => [`${product.retailer}\n${product.productId}`, product]));
  for (const product of [...once.values()].slice(0, mostToLookFor)) {
    const { response } = await context.ask(byId(product.retailer, product.productId));
    if (response.status === 404 && !(await isShown(product, context))) return product;
  }
  return undefined;
}

function asksFor({ request }: Exchange, product: ProductFixture): boolean {
  const { retailer, productId, url, gtin } = product;
  if (request.url.endsWith(byId(retailer, productId).path)) return true;
  if (url !== undefined && request.url.endsWith(byUrl(url).path)) return true;
  if (gtin !== undefined && new URL(request.url).searchParams.get("gtin") === gtin) return true;
  return [retailer, productId].every((text) => request.body?.includes(JSON.stringify(text)) === true);
}

async function isShown({ retailer, productId }: ProductFixture, context: CheckContext): Promise<boolean> {
  const shown = await context.once("browsed again", () => browseAgain(context));
  return shown.has(`${retailer} / ${productId}`);
}

async function browseAgain(context: CheckContext): Promise<ReadonlySet<string>> {
  const shown = new Set<string>();
  for (const { category } of context.fixtures.categories) {
    const { products } = await walk(context, category, undefined, pagesOfOwnSize, context.ask);
    for (const product of products) shown.add(product);
  }
  return shown;
}
