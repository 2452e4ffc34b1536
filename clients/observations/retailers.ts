import { isObject } from "../../schemas/json.ts";
import { type ClientExchange, searchName } from "../lab/exchange.ts";
import { type ClientFinding, type ClientRun, type Observed, observed } from "./observation.ts";
import { graceOf } from "./waits.ts";

interface Search extends ClientExchange {
  readonly slug: string;
}

/** Searches of the task that names a GTIN: the only ones whose retailers the client chooses. */
export function searchesOf({ exchanges, tasks }: ClientRun): Search[] {
  const task = tasks.find((one) => one.do === "search-retailers");
  const wanted = task === undefined ? "" : searchName(task.gtin);
  return exchanges.flatMap((exchange) =>
    exchange.names.includes(wanted) ? [{ ...exchange, slug: exchange.parameters.get("retailer") ?? "" }] : [],
  );
}

/** The lists that the service gave, with their slugs. */
function listsIn(exchanges: readonly ClientExchange[]) {
  return exchanges.flatMap(({ index, end, kind, body, situations }) => {
    const list = kind === "retailers" ? body?.retailers : undefined;
    if (!Array.isArray(list)) return [];
    const slugs = list.flatMap((entry) => (isObject(entry) ? [String(entry.slug)] : []));
    return [{ index, end, slugs, isNew: situations.length > 0 }];
  });
}

/** Slugs that a list of the service had named before they were searched. */
export function unlistedRetailers(run: ClientRun): Observed {
  const searches = searchesOf(run);
  const lists = listsIn(run.exchanges);
  const unlisted = searches.flatMap(({ index, at, slug }) => {
    const named = lists.filter(({ end }) => end <= at).flatMap(({ slugs }) => slugs);
    if (named.includes(slug)) return [];
    return [{ requests: [index], slug, misspelled: misspelling(slug, named) }];
  });
  const hardCoded = unlisted.filter(({ misspelled }) => misspelled === undefined);
  const [first] = unlisted;
  if (first?.misspelled === undefined || hardCoded.length > 0)
    return observed(
      "retailer-never-listed",
      searches.length,
      hardCoded.map(({ requests, slug }) => ({ requests, slug })),
    );
  // The slug was taken from the list: what it was changed to shows another mistake.
  const { misspelled, ...details } = first;
  const reason: ClientFinding = { code: "retailer-misspelled", details: { ...details, ...misspelled } };
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

/** A list may be kept for so many rounds after a slug was refused: only to keep it for ever is forbidden. */
const roundsOfCache = 1;

/** A retailer that has left is not searched again: not once after a list without it, nor round after round with an old list. */
export function retailersThatLeft(run: ClientRun): Observed {
  const searches = searchesOf(run);
  const lists = listsIn(run.exchanges);
  const refused = searches.filter(({ situations }) => situations.includes("retailer-left"));
  const [first] = refused;
  const since = first?.index ?? Number.POSITIVE_INFINITY;
  const rounds = roundsOf(searches, first?.slug);
  const grace = graceOf(run);
  const isAgain = ({ index, at, slug }: Search) =>
    rounds(index) - rounds(since) > roundsOfCache ||
    lists.some((list) => list.index > since && !list.slugs.includes(slug) && at > list.end + grace);
  const changedAt = lists.find(({ isNew }) => isNew)?.index ?? since;
  const chances = searches.filter(({ index }) => index > Math.min(changedAt, since)).length;
  if (!refused.some(isAgain)) return { chances };
  const flaws = refused.map(({ index, slug }) => ({ requests: [index], slug }));
  return { ...observed("retailer-has-left", searches.length, flaws), chances };
}

/**
 * Counts the rounds before a request by the other retailers: a round is over when each has been searched once more. To try
 * one again, before another one is searched, is no further search.
 */
function roundsOf(searches: readonly Search[], left: string | undefined): (index: number) => number {
  const fresh = searches.filter(
    ({ slug, response }, at) => slug !== left && response.status < 429 && searches[at - 1]?.slug !== slug,
  );
  const bySlug = [...Map.groupBy(fresh, ({ slug }) => slug).values()];
  if (bySlug.length === 0) return (index) => index;
  return (until) => Math.min(...bySlug.map((own) => own.filter(({ index }) => index < until).length));
}
