import { isObject } from "../../schemas/json.ts";
import { bodyOf, type ClientExchange, kindOf, parametersOf } from "../lab/exchange.ts";
import { type ClientFinding, type ClientRun, graceOf, type Observed, observed } from "./observation.ts";

interface Search {
  readonly exchange: ClientExchange;
  readonly slug: string;
}

/** Searches of the task that names a GTIN: the only ones whose retailers the client chooses. */
export function searchesOf({ exchanges, tasks }: Pick<ClientRun, "exchanges" | "tasks">): Search[] {
  const gtin = tasks.find((one) => one.do === "search-retailers")?.gtin;
  return exchanges.flatMap((exchange) => {
    const parameters = parametersOf(exchange);
    const slug = parameters.get("retailer");
    return slug !== null && parameters.get("gtin") === gtin ? [{ exchange, slug }] : [];
  });
}

interface SeenList {
  readonly exchange: ClientExchange;
  readonly slugs: readonly string[];
}

function listsIn(exchanges: readonly ClientExchange[]): SeenList[] {
  return exchanges.flatMap((exchange) => {
    const list = kindOf(exchange) === "retailers" ? bodyOf(exchange)?.retailers : undefined;
    if (!Array.isArray(list)) return [];
    const slugs = list.flatMap((entry: unknown) =>
      isObject(entry) && typeof entry.slug === "string" ? [entry.slug] : [],
    );
    return [{ exchange, slugs }];
  });
}

/** Slugs that a list of the service had named before they were searched. */
export function unlistedRetailers(run: ClientRun): Observed {
  const searches = searchesOf(run);
  const lists = listsIn(run.exchanges);
  const flaws = searches.flatMap(({ exchange, slug }) => {
    const named = lists.filter((list) => list.exchange.end <= exchange.at).flatMap(({ slugs }) => slugs);
    if (named.includes(slug)) return [];
    return [{ shows: [exchange], details: { slug, ...misspelling(slug, named) } }];
  });
  const misspelled = flaws.find(({ details }) => "listed" in details);
  const unlisted = flaws.filter((one) => !("listed" in one.details));
  if (misspelled === undefined || unlisted.length > 0)
    return observed("retailer-never-listed", unlisted, { chances: searches.length });
  // The slug was taken from the list: what it was changed to shows another mistake.
  const [reason] = observed("retailer-misspelled", [misspelled as never], { chances: 1 }).findings;
  return { chances: 0, findings: [], reason: reason as ClientFinding };
}

/** What happened on the way from a listed slug to the one that was sent. */
function misspelling(
  sent: string,
  named: readonly string[],
): { readonly listed: string; readonly how: "escaped-twice" | "not-escaped" } | undefined {
  const read = (text: string) => new URLSearchParams(`slug=${text}`).get("slug");
  const twice = named.find((slug) => read(sent) === slug);
  if (twice !== undefined) return { listed: twice, how: "escaped-twice" };
  const raw = named.find((slug) => read(slug) === sent || read(slug)?.trim() === sent);
  return raw === undefined ? undefined : { listed: raw, how: "not-escaped" };
}

/** A list may be kept for so many rounds after a slug was refused: only to keep it for ever is forbidden. */
const roundsOfCache = 1;

/** A retailer that has left is not searched again: not once after a list without it, nor round after round with an old list. */
export function retailersThatLeft(run: ClientRun): Observed {
  const searches = searchesOf(run);
  const refused = searches.filter(({ exchange }) => exchange.situations.includes("retailer-left"));
  const [first] = refused;
  const lists = listsIn(run.exchanges);
  const newList = lists.find(({ exchange }) => exchange.situations.length > 0);
  const grace = graceOf(run);
  const rounds = roundsOf(searches, first?.slug ?? "");
  const since = first?.exchange.index ?? Number.POSITIVE_INFINITY;
  const again = refused.find(({ exchange, slug }) => {
    const isUnlisted = lists.some(
      (list) =>
        list.exchange.index > since && !list.slugs.includes(slug) && exchange.at > list.exchange.end + grace,
    );
    return isUnlisted || rounds(exchange) - rounds(first?.exchange ?? exchange) > roundsOfCache;
  });
  const from = Math.min(newList?.exchange.index ?? Number.POSITIVE_INFINITY, since);
  return observed(
    "retailer-has-left",
    again === undefined
      ? []
      : [{ shows: refused.map(({ exchange }) => exchange), details: { slug: again.slug } }],
    {
      chances: searches.filter(({ exchange }) => exchange.index > from).length,
      total: searches.length,
      count: refused.length,
    },
  );
}

/**
 * Counts rounds by the other retailers: a round is over when each has been searched once more. To try one again, before
 * another one is searched, is no further search.
 */
function roundsOf(searches: readonly Search[], left: string): (exchange: ClientExchange) => number {
  const fresh = searches.filter(
    ({ exchange, slug }, at) =>
      slug !== left && exchange.response.status < 429 && searches[at - 1]?.slug !== slug,
  );
  const bySlug = [...Map.groupBy(fresh, ({ slug }) => slug).values()];
  const least = (until: number) =>
    Math.min(...bySlug.map((own) => own.filter(({ exchange }) => exchange.index < until).length));
  return ({ index }) => (bySlug.length === 0 ? index : least(index));
}
