import type { Target } from "../client/target.ts";
import { type Discovery, discover } from "../discovery/discover.ts";
import { checkDigit } from "../response/gtin.ts";
import { type StubCatalogueOptions, type StubItem, startStubCatalogue } from "./stub-catalogue.ts";
import { stubClient, stubTarget } from "./stub-client.ts";
import type { Arrived } from "./stub-server.ts";

/** The one category of the stub, of characters that a URL takes apart. */
export const category = "lamps & more/größer?";

/** A GTIN with a right check digit. */
export function gtinOf(number: number): string {
  const digits = `40063813${String(number).padStart(4, "0")}`;
  return digits + checkDigit(digits);
}

/** Products of the retailers in turn, their GTIN under `gtin` unless shown otherwise. */
export function itemsOf(
  slugs: readonly string[],
  count: number,
  show: (item: Omit<StubItem, "shown">) => Record<string, unknown> = () => ({}),
): StubItem[] {
  return Array.from({ length: count }, (_, index) => {
    const retailer = slugs[index % slugs.length] ?? "";
    const id = `item-${index}`;
    const item = { retailer, id, gtin: gtinOf(index), url: `https://${index}.shop.example/p?id=${id}` };
    const plain = { retailer, product_id: id, product_url: item.url, gtin: item.gtin, title: "Lamp" };
    return { ...item, shown: { ...plain, ...show(item) } };
  });
}

/** A target that shows everything. */
export const usual: StubCatalogueOptions = {
  own: ["acme", "bolt"],
  foreign: ["zeta"],
  items: itemsOf(["acme", "bolt", "zeta"], 12),
  category,
};

/** What discovery found, and what it asked the stub. */
export interface StubDiscovery extends Discovery {
  readonly arrived: readonly Arrived[];
}

/** What discovery finds at such a target, and what it asked. */
export async function discovered(
  change: Partial<StubCatalogueOptions> = {},
  target: Partial<Target> = {},
): Promise<StubDiscovery> {
  await using stub = await startStubCatalogue({ ...usual, ...change });
  return await discoverAt(stub.baseUrl, stub.arrived, target);
}

/** As discovered, at any address. */
export async function discoverAt(
  baseUrl: string,
  arrived: readonly Arrived[],
  change: Partial<Target> = {},
): Promise<StubDiscovery> {
  const target = stubTarget(baseUrl, { categories: [category], ...change });
  await using http = stubClient(target, { maxRequests: 300 });
  return { ...(await discover(http, target)), arrived };
}

/** The values of a query parameter in all requests, decoded. */
export const queriesOf = (arrived: readonly Arrived[], name: string) =>
  arrived.flatMap(({ url }) => new URL(url, "http://stub.example").searchParams.getAll(name));
