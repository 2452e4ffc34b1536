import type { Target } from "../../conformance/client/target.ts";
import { discover } from "../../conformance/discovery/discover.ts";
import { checkDigit } from "../../conformance/response/products-in.ts";
import type { Received } from "./server.ts";
import { type StubCatalogOptions, type StubItem, startStubCatalog } from "./stub-catalog.ts";
import { stubClient, stubKeys, stubTarget } from "./stub-client.ts";

/** The only category of the stub; its characters need URL encoding. */
export const category = "lamps & more/größer?";

/** A GTIN-13 with a correct check digit. */
export function gtinOf(number: number): string {
  const digits = `40063813${String(number).padStart(4, "0")}`;
  return digits + checkDigit(digits);
}

/** Products of these retailers in turn. `show` adds or replaces fields. */
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

/** The options of a stub with everything that discovery looks for. */
export const usual: StubCatalogOptions = {
  own: ["acme", "bolt"],
  foreign: ["zeta"],
  items: itemsOf(["acme", "bolt", "zeta"], 12),
  category,
};

/** Runs discovery on a stub with these options. */
export async function discovered(
  change: Partial<StubCatalogOptions> = {},
  target: Partial<Target> = {},
): ReturnType<typeof discoverAt> {
  await using stub = await startStubCatalog({ ...usual, ...change });
  return await discoverAt(stub.baseUrl, stub.requests, target);
}

const usualDiscoveries = new Map<string, ReturnType<typeof discoverAt>>();

/** Discovery on the usual stub with these keys, made once: those who share it only read it. */
export function usualDiscovery(keys: Target["keys"] = stubKeys): ReturnType<typeof discoverAt> {
  const name = JSON.stringify(keys);
  const known = usualDiscoveries.get(name) ?? discovered({}, { keys });
  usualDiscoveries.set(name, known);
  return known;
}

/** Runs discovery at a base URL. @param arrived The requests that it received. */
export async function discoverAt(
  baseUrl: string,
  arrived: readonly Received[],
  change: Partial<Target> = {},
) {
  const target = stubTarget(baseUrl, { categories: [category], ...change });
  await using http = stubClient(target, { maxRequests: 300 });
  return { ...(await discover(http, target)), arrived };
}

/** All decoded values of a query parameter in these requests. */
export const queriesOf = (arrived: readonly Received[], name: string) =>
  arrived.flatMap(({ url }) => new URL(url, "http://stub.example").searchParams.getAll(name));
