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
  async function read(query: URLSearchParams): Promise<unknown> {
    const response = await fetch(`${baseUrl}/products?${query}`, { headers: { [keyHeaders.plain]: key } });
    // On a machine that stands still for seconds, the catalog's own time limit passes.
    return response.status >= 500 ? read(query) : response.json();
  }
  const walked = [];
  for (const category of categories) {
    const products: KnownProduct[] = [];
    let cursor = "";
    do {
      const query = new URLSearchParams({ category, limit: "100", ...(cursor !== "" && { cursor }) });
      const page = (await read(query)) as { products: KnownProduct[]; meta: { next_cursor: string } };
      products.push(...page.products);
      cursor = page.meta.next_cursor;
    } while (cursor !== "");
    walked.push({ category, products });
  }
  return walked;
}

/** The category with the most products. */
export function largestOf(categories: readonly KnownCategory[]): KnownCategory {
  const [first = { category: "", products: [] }, ...others] = categories;
  return others.reduce((a, b) => (b.products.length > a.products.length ? b : a), first);
}

/** The tasks on a catalog: which products they name is a matter of the seed. A small catalog has too few for some. */
export function tasksFrom(
  categories: readonly KnownCategory[],
  { seed, keepSeconds }: { readonly seed: number; readonly keepSeconds: number },
): ClientTask[] {
  const random = randomLcg((seed % 4_294_967) / 4_294_967);
  const shuffled = categories
    .flatMap(({ products }) => products)
    .map((product) => ({ product, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ product }) => product);
  const item = ({ retailer, product_id }: KnownProduct) => ({ retailer, product_id });
  const byId = (product: KnownProduct): LookupTask => ({ by: "id", ...item(product) });
  // No product is in both tasks that look up, so that a repetition has one meaning.
  const keptFrom = shuffled.length - Math.min(5, Math.floor(shuffled.length / 2));
  const asked = shuffled.slice(0, Math.min(40, keptFrom)).map((product, at): LookupTask => {
    // One in six is unknown: what a client does about it must not depend on the message.
    if (at % 6 === 4) return byId({ ...product, product_id: `none-${seed}-${at}` });
    if (at % 3 === 1 && product.product_url !== undefined) return { by: "url", url: product.product_url };
    if (at % 3 === 2 && product.gtin !== undefined) return { by: "gtin", gtin: product.gtin };
    return byId(product);
  });
  const kept = shuffled.slice(keptFrom).map(byId);
  const items = shuffled.slice(0, 120).map(item);
  const { category } = largestOf(categories);
  const gtin = shuffled.find((product) => product.gtin !== undefined)?.gtin ?? "00000000000000";
  return [
    { do: "list-retailers" },
    ...(asked.length === 0 ? [] : [{ do: "look-up", products: asked } as const]),
    ...(category === "" ? [] : [{ do: "walk", category } as const]),
    ...(items.length === 0 ? [] : [{ do: "batch", items } as const]),
    { do: "search-retailers", gtin, rounds: 5 },
    ...(kept.length === 0 ? [] : [{ do: "keep-looking-up", seconds: keepSeconds, products: kept } as const]),
  ];
}
