import { randomLcg } from "d3-random";
import { keyHeaders } from "../../schemas/api.ts";
import type { ClientTask, LookupTask, TaskItem } from "../contract/tasks.ts";

interface KnownProduct extends TaskItem {
  /** The one that it is listed in; its own field may have another name. */
  readonly category: string;
  readonly product_url?: string;
  readonly gtin?: string;
}

/** Reads what the client's key may see, as any client would. */
export async function readCatalog(
  baseUrl: string,
  key: string,
  categories: readonly string[],
): Promise<KnownProduct[]> {
  async function read(query: Record<string, string>): Promise<KnownProduct[]> {
    const url = `${baseUrl}/products?${new URLSearchParams(query)}`;
    const response = await fetch(url, { headers: { [keyHeaders.plain]: key } });
    // On a machine that stands still for seconds, the catalog's own time limit passes.
    if (response.status >= 500) return read(query);
    const page = (await response.json()) as { products: KnownProduct[]; meta: { next_cursor: string } };
    const { next_cursor: cursor } = page.meta;
    return cursor === "" ? page.products : [...page.products, ...(await read({ ...query, cursor }))];
  }
  const lists = categories.map(async (category) =>
    (await read({ category, limit: "100" })).map((product) => ({ ...product, category })),
  );
  return (await Promise.all(lists)).flat();
}

/** Items in the order of a seed. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = randomLcg((seed % 4_294_967) / 4_294_967);
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** What an id has that is looked up by id for each seed: whoever does not escape it asks for another one. */
const toBeEscaped = [/\//, /%/, /[?#]/, /\+|[^ -~]/];

/** The tasks on a catalog: which products they name is a matter of the seed. */
export function tasksFrom(
  catalog: readonly KnownProduct[],
  seed: number,
  keepSeconds: number,
): readonly ClientTask[] {
  const inOrder = shuffled(catalog, seed);
  const escaped = toBeEscaped.flatMap((part) => inOrder.find((one) => part.test(one.product_id)) ?? []);
  const all = [...new Set([...escaped, ...inOrder])];
  const item = ({ retailer, product_id }: TaskItem) => ({ retailer, product_id });
  const byId = (product: TaskItem): LookupTask => ({ by: "id", ...item(product) });
  const unknown = (product: TaskItem, at: number) => ({ ...item(product), product_id: `none-${seed}-${at}` });
  const products = all.slice(0, 40).map((product, at): LookupTask => {
    if (at < escaped.length) return byId(product);
    // One in six is unknown: what a client does about it must not depend on the message.
    if (at % 6 === 4) return byId(unknown(product, at));
    if (at % 3 === 1 && product.product_url !== undefined) return { by: "url", url: product.product_url };
    if (at % 3 === 2 && product.gtin !== undefined) return { by: "gtin", gtin: product.gtin };
    return byId(product);
  });
  const [largest] = [...Map.groupBy(catalog, ({ category }) => category)].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  return [
    { do: "list-retailers" },
    { do: "look-up", products },
    { do: "walk", category: largest?.[0] ?? "" },
    {
      do: "batch",
      items: all.slice(0, 120).map((one, at) => (at % 20 === 7 ? unknown(one, at) : item(one))),
    },
    { do: "search-retailers", gtin: all.find(({ gtin }) => gtin !== undefined)?.gtin ?? "", rounds: 5 },
    // No product is in both tasks that look up, so that a repetition has one meaning.
    { do: "keep-looking-up", seconds: keepSeconds, products: all.slice(-3).map(byId) },
  ];
}
