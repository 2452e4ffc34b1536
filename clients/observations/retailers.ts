import { isObject } from "../../schemas/json.ts";
import { type ClientExchange, newRetailer } from "../lab/exchange.ts";
import { type ClientFinding, type ClientRun, type Observed, observed, searchesOf } from "./observation.ts";

const slugOf = ({ parameters }: ClientExchange) => parameters.get("retailer") ?? "";

/** The lists that the service gave, with their slugs. */
function listsIn(exchanges: readonly ClientExchange[]) {
  return exchanges.flatMap(({ end, kind, body }) => {
    const list = kind === "retailers" ? body?.retailers : undefined;
    if (!Array.isArray(list)) return [];
    const slugs = list.flatMap((entry) => (isObject(entry) ? [String(entry.slug)] : []));
    return [{ end, slugs }];
  });
}

/** Slugs that a list of the service had named before they were searched. */
export function unlistedRetailers(run: ClientRun): Observed {
  const searches = searchesOf(run);
  const lists = listsIn(run.exchanges);
  const unlisted = searches.flatMap((search) => {
    const slug = slugOf(search);
    const named = lists.filter(({ end }) => end <= search.at).flatMap(({ slugs }) => slugs);
    if (named.includes(slug)) return [];
    return [{ details: { requests: [search.index], slug }, misspelled: misspelling(slug, named) }];
  });
  const hardCoded = unlisted.filter(({ misspelled }) => misspelled === undefined);
  const [first] = unlisted;
  if (first?.misspelled === undefined || hardCoded.length > 0) {
    const flaws = hardCoded.map(({ details }) => details);
    return observed("retailer-never-listed", searches.length, flaws);
  }
  // The slug was taken from the list: what it was changed to shows another mistake.
  const details = { ...first.details, ...first.misspelled };
  const reason: ClientFinding = { code: "retailer-misspelled", details };
  return { chances: 0, reason };
}

/** What happened on the way from a listed slug to the one that was sent. */
function misspelling(sent: string, named: readonly string[]) {
  const read = (text: string) => new URLSearchParams(`slug=${text}`).get("slug");
  const twice = named.find((slug) => read(sent) === slug);
  if (twice !== undefined) return { listed: twice, how: "escaped-twice" } as const;
  const raw = named.find((slug) => read(slug) === sent || read(slug)?.trim() === sent);
  return raw === undefined ? undefined : ({ listed: raw, how: "not-escaped" } as const);
}

/**
 * A retailer that has left is not searched beside the new one: lists that name the new one lack it. Before, the
 * client may have kept the old list, for a time that is not known. One search may have been under way.
 */
export function retailersThatLeft(run: ClientRun): Observed {
  const searches = searchesOf(run);
  const place = searches.findIndex((search) => slugOf(search) === newRetailer.slug);
  const [first, ...later] = place === -1 ? [] : searches.slice(place);
  const again = later.filter(({ situations }) => situations.includes("retailer-left"));
  const flaws = again.map((search) => ({
    requests: [first?.index ?? 0, search.index],
    slug: slugOf(search),
    added: newRetailer.slug,
  }));
  return observed("retailer-has-left", later.length, flaws.length > 1 ? flaws : []);
}
