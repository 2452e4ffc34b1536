import { isObject } from "../../schemas/json.ts";
import type { ClientExchange } from "../lab/exchange.ts";
import { type ClientFinding, type ClientRun, type Observed, observed, searchesOf } from "./observation.ts";
import { graceOf } from "./waits.ts";

const slugOf = ({ parameters }: ClientExchange) => parameters.get("retailer") ?? "";

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

/** A list may be kept for so many rounds after a slug was refused: only to keep it for ever is forbidden. */
const roundsOfCache = 1;

/** It is not searched again: not once after a list without it, nor round after round with an old list. */
export function retailersThatLeft(run: ClientRun): Observed {
  const searches = searchesOf(run);
  const lists = listsIn(run.exchanges);
  const refused = searches.filter(({ situations }) => situations.includes("retailer-left"));
  const [first] = refused;
  const changed = [lists.find(({ isNew }) => isNew), first].flatMap((one) => one?.index ?? []);
  const chances = searches.filter(({ index }) => index > Math.min(...changed)).length;
  if (first === undefined) return { chances };
  const left = slugOf(first);
  // A round is over when each other retailer was searched again. To retry one before that is no further search.
  const fresh = searches.filter((one, place) => {
    const before = searches[place - 1];
    const isNext = before === undefined || slugOf(before) !== slugOf(one);
    return isNext && slugOf(one) !== left && one.response.status < 429;
  });
  const bySlug = [...Map.groupBy(fresh, slugOf).values()];
  const roundsUntil = (until: number) =>
    Math.min(...bySlug.map((own) => own.filter(({ index }) => index < until).length), until);
  const grace = graceOf(run);
  const isAgain = ({ index, at }: ClientExchange) =>
    roundsUntil(index) - roundsUntil(first.index) > roundsOfCache ||
    lists.some((list) => list.index > first.index && !list.slugs.includes(left) && at > list.end + grace);
  const again = refused.some(isAgain) ? refused.slice(1) : [];
  const flaws = again.map(({ index }) => ({ requests: [first.index, index], slug: left }));
  return { ...observed("retailer-has-left", searches.length, flaws), chances };
}
