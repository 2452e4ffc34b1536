import { isObject } from "../../schemas/json.ts";
import { bodyOf, type ClientExchange, kindOf, parametersOf } from "../lab/exchange.ts";
import { type ClientRun, merged, type Observed } from "./observation.ts";

interface Search {
  readonly exchange: ClientExchange;
  readonly slug: string;
}

/** Searches of the task that names a GTIN: the only ones whose retailers the client chooses. */
export function searchesOf({ exchanges, tasks }: ClientRun): Search[] {
  const task = tasks.find((one) => one.do === "search-retailers");
  if (task === undefined) return [];
  return exchanges.flatMap((exchange) => {
    const parameters = parametersOf(exchange);
    const slug = parameters.get("retailer");
    return slug !== null && parameters.get("gtin") === task.gtin ? [{ exchange, slug }] : [];
  });
}

/** The requests that are not repeated because a task asks for rounds. */
export function unsearched(run: ClientRun): readonly ClientExchange[] {
  const searches = new Set(searchesOf(run).map(({ exchange }) => exchange));
  return run.exchanges.filter((exchange) => !searches.has(exchange));
}

/** Slugs that a list of the service had named before they were searched. */
export function unlistedRetailers(run: ClientRun): Observed {
  const searches = searchesOf(run);
  const firstListed = new Map<string, number>();
  for (const exchange of run.exchanges)
    for (const slug of listedIn(exchange)) if (!firstListed.has(slug)) firstListed.set(slug, exchange.index);
  const sightings = searches
    .filter(({ exchange, slug }) => (firstListed.get(slug) ?? Number.POSITIVE_INFINITY) >= exchange.index)
    .map(({ exchange, slug }) => ({ shows: [exchange], details: { slug } }));
  return {
    chances: searches.length,
    findings: merged("retailer-never-listed", sightings, { total: searches.length, of: "requests" }),
  };
}

function listedIn(exchange: ClientExchange): readonly string[] {
  const list = kindOf(exchange) === "retailers" ? bodyOf(exchange)?.retailers : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) =>
    isObject(entry) && typeof entry.slug === "string" ? [entry.slug] : [],
  );
}

/** A list may be kept for so many rounds after a slug was refused: only to keep it for ever is forbidden. */
const roundsOfCache = 1;

/** A retailer that has left is not searched again: not once after a list without it, nor round after round with an old list. */
export function retailersThatLeft(run: ClientRun): Observed {
  const searches = searchesOf(run);
  const refused = searches.filter(({ exchange }) => exchange.situation === "retailer-left");
  const hasLeft =
    refused.length > 0 || run.exchanges.some(({ situation }) => situation === "retailers-changed");
  const again = searchedAfterAll(run, searches, refused);
  const sightings =
    again === undefined
      ? []
      : [{ shows: refused.map(({ exchange }) => exchange), details: { slug: again.slug } }];
  return {
    chances: hasLeft ? searches.length : 0,
    findings: merged("retailer-has-left", sightings, {
      total: searches.length,
      of: "requests",
      count: refused.length,
    }),
  };
}

/** The refused search that no list and no short cache explains. */
function searchedAfterAll(
  run: ClientRun,
  searches: readonly Search[],
  refused: readonly Search[],
): Search | undefined {
  let laterRounds = 0;
  for (const [index, search] of refused.entries()) {
    const before = refused[index - 1];
    if (before === undefined) continue;
    const between = { first: before.exchange, again: search.exchange };
    if (wasListedAnew(run, between)) return search;
    if (isLaterRound(searches, search.slug, between)) laterRounds++;
    if (laterRounds > roundsOfCache) return search;
  }
  return undefined;
}

interface Between {
  readonly first: ClientExchange;
  readonly again: ClientExchange;
}

const isBetween = (exchange: ClientExchange, { first, again }: Between) =>
  exchange.index > first.index && exchange.index < again.index;

function wasListedAnew({ exchanges }: ClientRun, between: Between): boolean {
  return exchanges.some((exchange) => listedIn(exchange).length > 0 && isBetween(exchange, between));
}

/** A repetition at once belongs to the same round; between two rounds another retailer is searched. */
function isLaterRound(searches: readonly Search[], slug: string, between: Between): boolean {
  const others = searches.filter((search) => search.slug !== slug);
  return others.length === 0 || others.some(({ exchange }) => isBetween(exchange, between));
}
