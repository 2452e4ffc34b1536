import { keyHeaders } from "../../schemas/api.ts";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { isErrorShape } from "../../schemas/gateway.ts";
import { given } from "../../schemas/json.ts";
import { type Exchange, keyHeadersIn, requestName } from "../client/exchange.ts";
import { fromOf, isLostOnTheWay } from "../client/from.ts";
import { countsByStatus } from "../response/readers.ts";

// What the exchanges of a run show beside its checks. The deliberate burst does not count.

/**
 * The exchanges that say something about the service, or about what a client of it meets. The others were lost on the way, or
 * refuse a request that ordinary clients do not send: which program refused it does not matter, since the best of gateways do.
 */
export function tellingExchanges(exchanges: readonly Exchange[]): Exchange[] {
  const isRefused = refusedOnTheWay(exchanges);
  return exchanges.filter((one) => !isLostOnTheWay(one) && !isRefused(one));
}

/** What is known of a run's traffic, none of which is a requirement, and the user of the service should know. */
export function noticesOf(exchanges: readonly Exchange[], total: number): Finding[] {
  return [
    lostRequests(exchanges, total),
    refusedRequests(exchanges, total),
    publicResponses(exchanges),
    passingFailures(exchanges, total),
  ].filter((notice) => notice !== undefined);
}

/** The finding on responses that something gave in the service's place; undefined when there are none. */
export function lostRequests(
  exchanges: readonly Exchange[],
  total: number,
): FindingOf<"lost-on-the-way"> | undefined {
  const lost = outsideBursts(exchanges).filter(isLostOnTheWay);
  const [first] = lost;
  return first === undefined
    ? undefined
    : {
        code: "lost-on-the-way",
        ...given({ subject: fromOf(first)?.name }),
        ...countsOf(lost, exchanges, total),
      };
}

/** Above this share of requests, a run says nothing about the service behind the gateway. */
const tolerableShare = 0.2;

/** Whether too many requests did not reach the service to judge it. */
export function tooManyLost({ seen }: FindingOf<"lost-on-the-way">): boolean {
  return seen !== undefined && seen.count > tolerableShare * (seen.total ?? seen.count);
}

/** So many responses, of which more than this share was lost, decide that the rest need not be asked for. */
const hopeless = { responses: 80, share: 0.3 } as const;

/** Whether a run loses so much on the way that it will not be judged, whatever else comes. */
export function isHopeless(exchanges: readonly Exchange[]): boolean {
  const { length } = outsideBursts(exchanges);
  return length >= hopeless.responses && exchanges.filter(isLostOnTheWay).length > hopeless.share * length;
}

/** Statuses by which any server refuses what is too long for it. */
const tooLong: readonly number[] = [413, 414, 431];

/** The finding on unusual requests, such as those that a firewall knows, that were refused without an error of the service. */
function refusedRequests(exchanges: readonly Exchange[], total: number): Finding | undefined {
  const isRefused = refusedOnTheWay(exchanges);
  const refused = exchanges.filter(
    (one) => isRefused(one) && !isMalformed(one) && !tooLong.includes(one.response.status),
  );
  const [first] = refused;
  return first === undefined
    ? undefined
    : {
        code: "refused-on-the-way",
        ...given({ from: fromOf(first) }),
        ...countsOf(refused, exchanges, total),
      };
}

/** Tells the refusals of hostile or writing requests that are not in the form of the service's errors. */
function refusedOnTheWay(exchanges: readonly Exchange[]): (one: Exchange) => boolean {
  const namesIn = ({ response: { headers } }: Exchange) => `${headers.server ?? ""}\n${headers.via ?? ""}`;
  const ofSuccesses = new Set(exchanges.filter(({ response }) => response.status < 300).map(namesIn));
  const isOdd = (one: Exchange) => ofSuccesses.size > 0 && !ofSuccesses.has(namesIn(one));
  return (one) => {
    const { status, json } = one.response;
    if (status < 400 || status >= 500 || status === 429 || isErrorShape(json)) return false;
    const isWriting = one.endpoint === "other" && one.request.method !== "GET";
    // A body in JSON may be the service's own. A page or a text is a firewall's, or looks like it.
    const isUnlikeOwn = json === undefined || isOdd(one);
    return isMalformed(one) || ((one.isOfHostileInput === true || isWriting) && isUnlikeOwn);
  };
}

/** Whether a URL has a NUL, a percent sign without two digits, or bytes that are not UTF-8: HTTP libraries do not send these. */
function isMalformed({ request: { url } }: Exchange): boolean {
  if (/%00/.test(url)) return true;
  try {
    decodeURIComponent(url);
    return false;
  } catch {
    return true;
  }
}

/** How many requests of a run failed with 500 to 599; undefined when there are none. */
export function failedRequests(
  exchanges: readonly Exchange[],
  total: number,
): { count: number; total: number } | undefined {
  const outside = outsideBursts(exchanges);
  const { length } = outside.filter(({ response }) => response.status >= 500);
  return length === 0 ? undefined : { count: length, total: total - (exchanges.length - outside.length) };
}

/**
 * The finding on requests that the service failed with 500 to 599, and responded to in another way when they were sent
 * again; undefined when there are none. A single failure violates no requirement (spec, Errors), but a user of the service
 * sees it.
 */
function passingFailures(exchanges: readonly Exchange[], total: number): Finding | undefined {
  const own = outsideBursts(exchanges).filter((one) => !isLostOnTheWay(one));
  const nameOf = (exchange: Exchange) => `${exchange.caller} ${requestName(exchange)}`;
  const isOther = ({ response: { status } }: Exchange) => status < 500 && status !== 429;
  const others = new Set(own.filter(isOther).map(nameOf));
  const passing = own.filter((one) => one.response.status >= 500 && others.has(nameOf(one)));
  return passing.length === 0
    ? undefined
    : { code: "failed-at-times", ...countsOf(passing, exchanges, total) };
}

/**
 * The finding on responses to requests with a key that a cache shared by several organizations may keep for all of them (RFC
 * 9111, 3.5 and 4.1), with or without such a cache in front of this target; undefined when there are none.
 */
function publicResponses(exchanges: readonly Exchange[]): FindingOf<"public-response"> | undefined {
  const withKey = exchanges.filter(({ caller }) => caller !== "nobody");
  const open = withKey.filter(isOpen);
  const [first] = open;
  if (first === undefined) return undefined;
  return {
    code: "public-response",
    actual: first.response.headers["cache-control"] ?? "",
    seen: { count: open.length, total: withKey.length, of: "responses" },
  };
}

const keyNames = Object.values(keyHeaders).map((name) => name.toLowerCase());

function isOpen(exchange: Exchange): boolean {
  const { status, headers } = exchange.response;
  const control = headers["cache-control"] ?? "";
  const vary = (headers.vary ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  // Caches do not know that X-Api-Key is a key: for them such a request is like one without.
  const isLikeAnonymous = keyHeadersIn(exchange).join() === keyHeaders.plain;
  const allowed = isLikeAnonymous ? /\b(public|s-maxage|max-age=[1-9])/i : /\b(public|s-maxage)\b/i;
  const isKept = allowed.test(control) && !/\b(private|no-store|no-cache)\b/i.test(control);
  return status === 200 && isKept && !vary.includes("*") && !keyNames.every((name) => vary.includes(name));
}

/** How many of a run's requests got these responses, in all and by status, for a finding. */
function countsOf(
  responses: readonly Exchange[],
  exchanges: readonly Exchange[],
  total: number,
): Required<Pick<FindingOf<"failed-at-times">, "seen" | "details">> {
  const bursts = exchanges.length - outsideBursts(exchanges).length;
  return {
    seen: { count: responses.length, total: total - bursts, of: "requests" },
    details: countsByStatus(responses),
  };
}

function outsideBursts(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.filter(({ isOfBurst }) => isOfBurst !== true);
}
