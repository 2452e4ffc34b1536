import type { FailureCode } from "../../schemas/contracts/conformance-findings.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { valueAt } from "../../schemas/json.ts";
import { type Exchange, keyHeadersIn, requestName } from "../client/exchange.ts";
import type { Outcome } from "../client/outcome.ts";
import type { Responders } from "../client/responder.ts";
import { dataOf, isSame, nameOf } from "./look-behind.ts";

// What a failure needs besides its request to occur again, as far as the other exchanges of the run show it.

/** Failures that show the response to another request. */
const maySpread: ReadonlySet<Finding["code"]> = new Set([
  "wrong-status",
  "not-granted",
  "retailer-of-other-organization",
  "listed-retailer-refused",
  "other-product",
] satisfies FailureCode[]);

/** The outcome with the exchange that may have left the failing response in a cache. */
export function withFirstOf(
  outcome: Outcome,
  exchanges: readonly Exchange[],
  responders: Pick<Responders, "of">,
): Outcome {
  const { kind, findings, evidence } = outcome;
  const [finding, ...others] = findings;
  const shown = evidence[finding?.exchange ?? 0];
  if (kind !== "fail" || finding === undefined || shown === undefined || !maySpread.has(finding.code))
    return outcome;
  const first = leftBy(shown, exchanges, responders);
  if (first === undefined || evidence.includes(first)) return outcome;
  return {
    ...outcome,
    findings: [{ ...finding, leftBy: evidence.length }, ...others],
    evidence: [...evidence, first],
  };
}

/** What a cache may take for the same request, the most precise first. */
const namesToCaches: readonly ((exchange: Exchange) => string)[] = [
  requestName,
  (exchange) => requestName(exchange).toLowerCase(),
  ({ request: { method, url } }) => `${method} ${url.replace(/\?.*/, "")}`,
];

/**
 * The first exchange that got the same response as a failure, to another request: a cache may have kept it.
 * @param exchanges all of the run
 */
function leftBy(
  shown: Exchange,
  exchanges: readonly Exchange[],
  responders: Pick<Responders, "of">,
): Exchange | undefined {
  const earlier = exchanges.filter((one) => one.number < shown.number && isSame(one, shown));
  const isOther = (one: Exchange) => requestName(one) !== requestName(shown) || keysIn(one) !== keysIn(shown);
  if (responders.of(shown)?.by === "instance") return undefined;
  // Without a sign of a cache, only the very same request with another key suggests one.
  const names = responders.of(shown)?.by === "cache" ? namesToCaches : namesToCaches.slice(0, 1);
  for (const name of names) {
    const found = earlier.find((one) => name(one) === name(shown) && isOther(one));
    if (found !== undefined) return found;
  }
  return undefined;
}

function keysIn(exchange: Exchange): string {
  const names = keyHeadersIn(exchange).map((name) => name.toLowerCase());
  const headers = Object.entries(exchange.request.headers);
  return headers.flatMap(([name, value]) => (names.includes(name.toLowerCase()) ? [value] : [])).join();
}

/** Requests under way beside a failure that are kept. */
const mostBeside = 8;

/** A failure that the same request does not always get. */
export interface Flickering {
  /** How often the same request with the same key got this response, and how often another one. */
  readonly turns: { readonly same: number; readonly other: number };
  /** Different requests that were under way at the same time. */
  readonly beside: readonly Exchange[];
}

/**
 * How often a request failed, if it did not each time: by its status, what products it shows and the type of the value at
 * fault, not by prices, which change.
 * @param exchanges all of the run
 * @param path of the value at fault
 */
export function flickering(
  shown: Exchange,
  exchanges: readonly Exchange[],
  path?: string,
): Partial<Flickering> {
  const shownBy = (one: Exchange) => `${dataOf(one)} ${typeAt(one, path)}`;
  const [name, data] = [nameOf(shown), shownBy(shown)];
  const repeats = exchanges.filter((one) => nameOf(one) === name && one.response.status !== 429);
  const same = repeats.filter((one) => shownBy(one) === data).length;
  const other = repeats.length - same;
  if (same === 0 || other === 0) return {};
  const [from, to] = timesOf(shown);
  const beside = exchanges.filter((one) => {
    const [begun, ended] = timesOf(one);
    return one.endpoint === shown.endpoint && nameOf(one) !== name && begun < to && ended > from;
  });
  const byName = new Map(beside.map((one) => [nameOf(one), one]));
  return { turns: { same, other }, beside: [...byName.values()].slice(0, mostBeside) };
}

function typeAt({ response: { json } }: Exchange, path: string | undefined): string {
  const value = path === undefined ? undefined : valueAt(json, path);
  return value === null ? "null" : typeof value;
}

function timesOf({ sentAt = 0, response }: Exchange): readonly [number, number] {
  return [sentAt, sentAt + response.milliseconds];
}

/**
 * The number of a page in its walk, if its cursor came from an earlier page with the same key; undefined for a first page.
 * @param exchanges all of the run
 */
export function pageOf(shown: Exchange, exchanges: readonly Exchange[]): number | undefined {
  let page = 1;
  for (let one = shown; cursorOf(one) !== undefined; page++) {
    const before = pageBefore(one, exchanges);
    if (before === undefined || before.caller !== shown.caller) return undefined;
    one = before;
  }
  return page === 1 ? undefined : page;
}

/** The first page with another key whose cursor a page was requested with. */
export function cursorFrom(shown: Exchange, exchanges: readonly Exchange[]): Exchange | undefined {
  const before = pageBefore(shown, exchanges);
  return before === undefined || before.caller === shown.caller || cursorOf(before) !== undefined
    ? undefined
    : before;
}

function pageBefore(shown: Exchange, exchanges: readonly Exchange[]): Exchange | undefined {
  const cursor = cursorOf(shown);
  if (cursor === undefined) return undefined;
  return exchanges.find(
    ({ number, response }) => number < shown.number && valueAt(response.json, "/meta/next_cursor") === cursor,
  );
}

function cursorOf({ endpoint, request: { url } }: Exchange): string | undefined {
  if (endpoint !== "category-page") return undefined;
  return URL.parse(url)?.searchParams.get("cursor") || undefined;
}
