import { keyHeaders } from "../../schemas/api.ts";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { isErrorShape } from "../../schemas/gateway.ts";
import { given, isObject } from "../../schemas/json.ts";
import { type Exchange, isDecodable, isLostOnTheWay, nameOfAll, requestName } from "../client/exchange.ts";
import { countsByStatus } from "../response/readers.ts";

// What the exchanges of a run show beside its checks. The deliberate burst does not count, nor in any total.

/**
 * The exchanges that say something of the service, or of what its clients meet. Others were lost on the way,
 * or refuse what ordinary clients do not send: good gateways do that too, whichever program refused it.
 */
export function tellingExchanges(exchanges: readonly Exchange[]): Exchange[] {
  const isRefused = refusedOnTheWay(exchanges);
  return exchanges.filter((one) => !isLostOnTheWay(one) && !isRefused(one));
}

/** What the user of the service should know of a run's traffic and is no requirement. */
export function noticesOf(exchanges: readonly Exchange[], total: number): Finding[] {
  const ordinary = outsideBursts(exchanges);
  const isRefused = refusedOnTheWay(exchanges);
  const refused = ordinary.filter(
    (one) => isRefused(one) && !isMalformed(one) && !tooLong.includes(one.response.status),
  );
  const withKey = ordinary.filter(({ caller }) => caller !== "nobody");
  const open = withKey.filter(isOpen);
  const passing = passingFailures(ordinary);
  const notices: (Finding | undefined)[] = [
    lostRequests(exchanges, total),
    refused[0] && {
      code: "refused-on-the-way",
      from: { by: "unclear", ...given({ name: nameOfAll(refused) }) },
      ...tally(refused, total),
    },
    open[0] && {
      code: "public-response",
      actual: open[0].response.headers["cache-control"] ?? "",
      seen: { count: open.length, total: withKey.length, of: "responses" },
    },
    passing[0] && { code: "failed-at-times", ...tally(passing, total) },
  ];
  return notices.filter((notice) => notice !== undefined);
}

/** The finding on responses that something gave in the service's place; undefined when there are none. */
export function lostRequests(
  exchanges: readonly Exchange[],
  total: number,
): FindingOf<"lost-on-the-way"> | undefined {
  // A response to HEAD has no body in any form.
  const lost = outsideBursts(exchanges).filter((one) => isLostOnTheWay(one) && one.request.method !== "HEAD");
  if (lost[0] === undefined) return undefined;
  return { code: "lost-on-the-way", ...given({ subject: nameOfAll(lost) }), ...tally(lost, total) };
}

/** How many requests of a run failed with 500 to 599; undefined when there are none. */
export function failedRequests(
  exchanges: readonly Exchange[],
  total: number,
): { count: number; total: number } | undefined {
  const failed = outsideBursts(exchanges).filter(({ response }) => response.status >= 500);
  return failed.length === 0 ? undefined : { count: failed.length, total };
}

/** Above this share of requests, a run says nothing about the service behind the gateway, or under its own load. */
const tolerableShare = 0.2;

/** Whether too many requests did not reach the service to judge it. */
export function tooManyLost({ seen }: Finding): boolean {
  return seen !== undefined && seen.count > tolerableShare * (seen.total ?? seen.count);
}

/** So many responses, of which more than this share was lost, decide that the rest need not be asked for. */
const hopeless = { responses: 80, share: 0.3 } as const;

/** Whether a run loses so much on the way, up to now, that it will not be judged, whatever else comes. */
export function isHopeless(exchanges: readonly Exchange[]): boolean {
  const ordinary = outsideBursts(exchanges);
  if (!ordinary.slice(-hopeless.responses).some(isLostOnTheWay)) return false;
  const { length } = ordinary;
  return length >= hopeless.responses && ordinary.filter(isLostOnTheWay).length > hopeless.share * length;
}

/** Statuses by which any server refuses what is too long for it. */
const tooLong: readonly number[] = [413, 414, 431];

/** Tells the refusals of hostile or writing requests that are not in the form of the service's errors. */
function refusedOnTheWay(exchanges: readonly Exchange[]): (one: Exchange) => boolean {
  const namesIn = ({ response: { headers } }: Exchange) => `${headers.server ?? ""}\n${headers.via ?? ""}`;
  const ofSuccesses = new Set(exchanges.filter(({ response }) => response.status < 300).map(namesIn));
  const isOdd = (one: Exchange) => !ofSuccesses.has(namesIn(one));
  return (one) => {
    const { status, json } = one.response;
    if (status < 400 || status >= 500 || status === 429 || isErrorShape(json)) return false;
    const isWriting = one.endpoint === "other" && one.request.method !== "GET";
    // The same sender as of the successes, or a body with an error, may be the service's own.
    const isUnlikeOwn = isOdd(one) && !(isObject(json) && json.error !== undefined);
    return isMalformed(one) || ((one.purpose === "hostile" || isWriting) && isUnlikeOwn);
  };
}

/** A URL that HTTP libraries do not send: NUL, a percent sign without two digits, bytes that are no UTF-8. */
function isMalformed({ request: { url } }: Exchange): boolean {
  return url.includes("%00") || !isDecodable(url);
}

/**
 * Requests that got 500 to 599 once, and another response when sent again. A single failure violates nothing
 * (spec, Errors), but a user of the service sees it.
 */
function passingFailures(exchanges: readonly Exchange[]): Exchange[] {
  const own = exchanges.filter((one) => !isLostOnTheWay(one));
  const isOther = ({ response: { status } }: Exchange) => status < 500 && status !== 429;
  const others = new Set(own.filter(isOther).map(requestName));
  return own.filter((one) => one.response.status >= 500 && others.has(requestName(one)));
}

/** Whether a shared cache, if any, may keep a response to one key for all (RFC 9111, 3.5 and 4.1). */
function isOpen({ response: { status, headers } }: Exchange): boolean {
  const { "cache-control": control = "", vary = "" } = headers;
  const names = vary.toLowerCase().split(/\s*,\s*/);
  const isOfOneKey = Object.values(keyHeaders).every((name) => names.includes(name.toLowerCase()));
  const isKept = /\b(public|s-maxage)\b/i.test(control) && !/\b(private|no-store|no-cache)\b/i.test(control);
  return status === 200 && isKept && !names.includes("*") && !isOfOneKey;
}

/** Counts some of the responses among a run's requests, in all and by status, for a finding. */
function tally(some: readonly Exchange[], total: number) {
  const seen = { count: some.length, total, of: "requests" } as const;
  return { seen, details: countsByStatus(some) };
}

function outsideBursts(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.filter(({ purpose }) => purpose !== "burst");
}
