import { randomLcg } from "d3-random";
import { keyHeaders } from "../../schemas/api.ts";
import type { ClientTask, LookupTask, TaskItem } from "../contract/tasks.ts";

interface KnownProduct extends TaskItem {
  readonly product_url?: string;
  readonly gtin?: string;
}

/** The products of a category. */
interface KnownCategory {
  readonly category: string;
  readonly products: readonly KnownProduct[];
}

/** Reads what the client's key may see, as any client would. */
export async function readCatalog(
  baseUrl: string,
  key: string,
  categories: readonly string[],
): Promise<KnownCategory[]> {
  async function read(query: Record<string, string>): Promise<KnownProduct[]> {
    const url = `${baseUrl}/products?${new URLSearchParams(query)}`;
    const response = await fetch(url, { headers: { [keyHeaders.plain]: key } });
    // On a machine that stands still for seconds, the catalog's own time limit passes.
    if (response.status >= 500) return read(query);
    const page = (await response.json()) as { products: KnownProduct[]; meta: { next_cursor: string } };
    const { next_cursor: cursor } = page.meta;
    return cursor === "" ? page.products : [...page.products, ...(await read({ ...query, cursor }))];
  }
  return Promise.all(
    categories.map(async (category) => ({ category, products: await read({ category, limit: "100" }) })),
  );
}

/** Items in the order of a seed. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = randomLcg((seed % 4_294_967) / 4_294_967);
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** The tasks on a catalog: which products they name is a matter of the seed. A small catalog has too few for some. */
export function tasksFrom(
  categories: readonly KnownCategory[],
  seed: number,
  keepSeconds: number,
): ClientTask[] {
  const all = shuffled(
    categories.flatMap((category) => category.products),
    seed,
  );
  const item = ({ retailer, product_id }: KnownProduct) => ({ retailer, product_id });
  const byId = (product: KnownProduct): LookupTask => ({ by: "id", ...item(product) });
  // No product is in both tasks that look up, so that a repetition has one meaning.
  const keptFrom = all.length - Math.min(5, Math.floor(all.length / 2));
  const products = all.slice(0, Math.min(40, keptFrom)).map((product, at): LookupTask => {
    // One in six is unknown: what a client does about it must not depend on the message.
    if (at % 6 === 4) return byId({ ...product, product_id: `none-${seed}-${at}` });
    if (at % 3 === 1 && product.product_url !== undefined) return { by: "url", url: product.product_url };
    if (at % 3 === 2 && product.gtin !== undefined) return { by: "gtin", gtin: product.gtin };
    return byId(product);
  });
  const kept = all.slice(keptFrom).map(byId);
  const [largest] = categories.toSorted((a, b) => b.products.length - a.products.length);
  const gtin = all.find((product) => product.gtin !== undefined)?.gtin ?? "00000000000000";
  return [
    { do: "list-retailers" },
    ...(products.length === 0 ? [] : [{ do: "look-up", products } as const]),
    ...(largest === undefined ? [] : [{ do: "walk", category: largest.category } as const]),
    ...(all.length === 0 ? [] : [{ do: "batch", items: all.slice(0, 120).map(item) } as const]),
    { do: "search-retailers", gtin, rounds: 5 },
    ...(kept.length === 0 ? [] : [{ do: "keep-looking-up", seconds: keepSeconds, products: kept } as const]),
  ];
}
