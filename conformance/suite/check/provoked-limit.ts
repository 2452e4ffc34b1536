import { errorCodeOf, keyHeaders, longestTriedWait } from "../../../schemas/api.ts";
import { type Exchange, keyHeadersIn, secondsToWait } from "../../client/exchange.ts";
import { NotJudged } from "../../client/outcome.ts";
import { type Request, retailers, withUnusedParameter } from "../../client/requests.ts";
import { isLostOnTheWay } from "../../client/responder.ts";
import type { Caller } from "../../client/target.ts";
import type { CheckContext } from "./check.ts";
import { succeeding } from "./inputs.ts";

/** Most requests to send before a limit counts as out of reach. */
export const burstRequests = 600;
/** Concurrent requests of successive bursts. They grow, because slow responses keep the rate below the limit. */
const growingBursts = [60, 60, 120, 180, 180] as const;
/** The bursts after these pass by caches, which keep requests from the limit, unless the service rejects what does. */
const plainBursts = 3;
const burstSize = 60;
const leastAnswered = 0.8;
const silentMilliseconds = 3000;
/** No further burst begins after these together: a service that takes so long is not faster than its limit. */
const longestMilliseconds = 15_000;
// Several small waves instead of a long one: a second key with a small limit of its own is accepted in each.
const waves = 3;
type WaveGroup = "primary" | "otherHeader" | "sameOrg" | "otherOrg";
// The refused key comes first and last, so that a service which prefers new connections favours no other key.
// The second key uses both headers: a limit may be counted for each.
const turns: readonly { readonly group: WaveGroup; readonly keyHeader: Request["keyHeader"] }[] = [
  { group: "primary", keyHeader: "either" },
  { group: "sameOrg", keyHeader: keyHeaders.plain },
  { group: "otherHeader", keyHeader: "either" },
  { group: "otherOrg", keyHeader: "either" },
  { group: "sameOrg", keyHeader: keyHeaders.bearer },
  { group: "primary", keyHeader: "either" },
];
const roundsInWave = 4;
const burstsInWave = 4;
const lastOfBurst = 10;
/** Most requests to find out whether two keys share a limit. */
export const sharedKeyRequests =
  waves * burstsInWave * burstSize + (turns.length - 1) * roundsInWave * (2 ** waves - 1);
/** Most requests to find out whether the two headers share a limit. */
export const sharedHeaderRequests = roundsInWave * (2 ** waves - 1);
const triesUntilCalm = 4;
const pauseMilliseconds = 2000;
const allowanceMilliseconds = 1000;
const forbidden = 403;
/** A service that is unavailable at times is so in a burst too, about as often. A limit refuses far more, or a large part. */
const leastUnavailable = 10;
const timesAsOften = 5;
const largePart = 0.2;

/** What exceeding the rate limit on purpose showed. */
export interface ProvokedLimit {
  /** The first 429; undefined when none came within the burst. */
  readonly refusal: Exchange | undefined;
  /** A response in the burst that refuses the request with another error status. */
  readonly otherwise: Exchange | undefined;
  /** Responses in the burst that say that the service could not be reached. */
  readonly lost: readonly Exchange[];
  /** Requests of the burst that got no response. */
  readonly unanswered: number;
  /** Requests sent until then, and their rate. */
  readonly sent: number;
  readonly perSecond: number;
  /** Responses to concurrent requests with both keys of the organization while it was over its limit. */
  readonly primary: readonly Exchange[];
  readonly sameOrg: readonly Exchange[];
  /** Responses to the first key in the header that the bursts do not use. */
  readonly otherHeader: readonly Exchange[];
  /** Responses to concurrent requests with the other organization's key. */
  readonly otherOrg: readonly Exchange[];
  /** Requests accepted in later bursts. */
  readonly acceptedInBursts: number;
  /** Retry-After of the last 429, in seconds. */
  readonly waitSeconds: number | undefined;
  /** The first response after that wait; undefined when it was too long to wait for. */
  readonly afterWait: Exchange | undefined;
}

const limitName = "limit";
/** Number of waits in a row that show that refusals do not end when they say. */
const leastKeptInVain = 6;

/** Exceeds the rate limit, once for all checks of a run. */
export async function provokedLimit(context: CheckContext): Promise<ProvokedLimit> {
  return await context.once(limitName, () => provokeLimit(context));
}

/** What exceeding the limit showed, if a check of this run has done it. */
export async function knownLimit(context: CheckContext): Promise<ProvokedLimit | undefined> {
  return await context.cached<ProvokedLimit>(limitName);
}

/**
 * Exceeds the rate limit of the primary key's organization, sends requests with every key, waits for Retry-After, and
 * sends another.
 */
async function provokeLimit(context: CheckContext): Promise<ProvokedLimit> {
  const { sameOrgKey, otherOrgKey } = context.fixtures;
  const isUsable: Readonly<Record<WaveGroup, boolean>> = {
    primary: true,
    otherHeader: true,
    sameOrg: sameOrgKey.present,
    otherOrg: otherOrgKey.present,
  };
  let isPastCaches = false;
  const send = async (caller: Caller, keyHeader: Request["keyHeader"] = "either") => {
    const request = { ...retailers(), caller, keyHeader };
    return await context.sendAtOnce(isPastCaches ? withUnusedParameter(request) : request);
  };
  const burst = async (atOnce = burstSize) =>
    (await responsesOf(Array.from({ length: atOnce }, () => send("primary")))).filter(
      (exchange) => exchange !== undefined,
    );
  // A refusal means something only if both organizations have requests left at the start.
  await untilCalm(context);
  if (isUsable.otherOrg) {
    await context.ask({ ...retailers(), caller: "otherOrg" });
    // That request may use up a very small limit, so it gets time to recover.
    await context.sleep(allowanceMilliseconds);
  }

  let refusal: Exchange | undefined;
  const lost: Exchange[] = [];
  const refusedOtherwise: Exchange[] = [];
  let answered = 0;
  let sent = 0;
  const started = performance.now();
  for (const [at, atOnce] of growingBursts.entries()) {
    if (at === plainBursts) isPastCaches = isAccepted(await context.ask(withUnusedParameter(retailers())));
    const begun = performance.now();
    const exchanges = await burst(atOnce);
    sent += atOnce;
    refusal = exchanges.find(isRefusal);
    answered += exchanges.length;
    lost.push(...exchanges.filter(isLostOnTheWay));
    refusedOtherwise.push(
      ...exchanges.filter(
        (exchange) => refusesOtherwise(exchange.response.status) && !isLostOnTheWay(exchange),
      ),
    );
    // Another burst of which many requests wait for their time-out would show no more.
    const isSilent =
      exchanges.length < atOnce * leastAnswered && performance.now() - begun > silentMilliseconds;
    if (refusal !== undefined || isSilent || performance.now() - started > longestMilliseconds) break;
  }
  const otherwise = refusedOtherwise.find(
    ({ response: { status } }) =>
      status === forbidden || isMoreThanUsual(status, refusedOtherwise, sent, context.exchanges),
  );
  const perSecond = Math.round(sent / ((performance.now() - started) / 1000));
  if (refusal === undefined) {
    const nothing = {
      primary: [],
      sameOrg: [],
      otherHeader: [],
      otherOrg: [],
      acceptedInBursts: 0,
      waitSeconds: undefined,
      afterWait: undefined,
    };
    return { refusal, otherwise, lost, unanswered: sent - answered, sent, perSecond, ...nothing };
  }
  // Collects a 429 from each endpoint for the passive rules. A concurrent burst keeps the limit exceeded.
  await Promise.all([
    burst(),
    ...Object.values(succeeding).map((request) => sendIfKnown(context, request, "sendAtOnce")),
  ]);
  const otherHeader = keyHeadersIn(refusal)[0] === keyHeaders.plain ? keyHeaders.bearer : keyHeaders.plain;
  let acceptedInBursts = 0;
  let rounds = roundsInWave;
  let lastWave: readonly (Exchange | undefined)[] = [];
  const byGroup: Record<WaveGroup, Exchange[]> = { primary: [], sameOrg: [], otherHeader: [], otherOrg: [] };
  for (let count = 0; count < waves; count++) {
    acceptedInBursts += await burstUntilRefused(burst);
    // No pause here: the limit recovers continuously, and the next request would get the first free place.
    const wave = turnsOfWave(rounds).filter(({ group }) => isUsable[group]);
    const exchanges = await responsesOf(
      wave.map(({ group, keyHeader }) =>
        group === "otherHeader" ? send("primary", otherHeader) : send(group, keyHeader),
      ),
    );
    lastWave = exchanges.filter((_, index) => wave[index]?.group === "primary");
    exchanges.forEach((exchange, index) => {
      if (exchange !== undefined && !isLostOnTheWay(exchange))
        byGroup[wave[index]?.group ?? "primary"].push(exchange);
    });
    // If the limit recovers as fast as slow responses use it, send more.
    if (!exchanges.some((exchange) => exchange !== undefined && isRefusal(exchange))) rounds *= 2;
  }
  const last = shortestWait(lastWave) ?? [refusal, ...byGroup.primary].filter(isRefusal).at(-1);
  const waitSeconds = last === undefined ? undefined : secondsToWait(last);
  const tried = waitSeconds !== undefined && waitSeconds <= longestTriedWait;
  // A tenth of a second more, since the clocks of two machines round differently.
  if (tried) await context.sleep(waitSeconds * 1000 + 100, "announced");
  const afterWait = tried ? await againIfLost(() => send("primary")) : undefined;
  // The passive rules also judge responses after a refusal.
  for (const name of ["lookup-by-id", "category-page"] as const)
    await sendIfKnown(context, succeeding[name], "ask");
  return {
    refusal,
    otherwise,
    lost,
    unanswered: sent - answered,
    sent,
    perSecond,
    ...byGroup,
    acceptedInBursts,
    waitSeconds,
    afterWait,
  };
}

/**
 * The refusal with the shortest wait of concurrent requests that were all refused: one of several instances may give another
 * wait than the others. Undefined if one was accepted, after which the others may have to wait longer.
 */
function shortestWait(exchanges: readonly (Exchange | undefined)[]): Exchange | undefined {
  const refusals = exchanges.filter((one) => one !== undefined && isRefusal(one)) as Exchange[];
  if (refusals.length < exchanges.length) return undefined;
  const waitOf = (one: Exchange) => secondsToWait(one) ?? Number.POSITIVE_INFINITY;
  return refusals.toSorted((a, b) => waitOf(a) - waitOf(b))[0];
}

/** A request that was refused after the wait of Retry-After, and the refusal that announced the wait. */
interface BrokenWait {
  readonly refusal: Exchange;
  readonly waitSeconds: number;
  readonly afterWait: Exchange;
}

/**
 * A broken wait, if the service accepted requests of the organization and now refuses each of them, several in a row after the
 * whole wait of the one before. The limit cannot be exceeded again then, nor can anything else be judged.
 */
export function refusedEverSince({ exchanges }: Pick<CheckContext, "exchanges">): BrokenWait | undefined {
  const own = exchanges.filter(({ caller }) => caller === "primary" || caller === "sameOrg");
  const accepted = own.findLastIndex((exchange) => !isRefusal(exchange));
  const refused: Exchange[] = [];
  for (const exchange of own.slice(accepted + 1)) {
    const last = refused.at(-1);
    if (last === undefined || isAfterWait(exchange, last)) refused.push(exchange);
  }
  const [refusal, afterWait] = refused;
  if (accepted === -1 || refusal === undefined || afterWait === undefined) return undefined;
  const waitSeconds = secondsToWait(refusal);
  return waitSeconds !== undefined && refused.length > leastKeptInVain
    ? { refusal, waitSeconds, afterWait }
    : undefined;
}

function isAfterWait({ sentAt = 0 }: Exchange, refusal: Exchange): boolean {
  const { sentAt: before = 0, response } = refusal;
  return (
    sentAt >= before + response.milliseconds + (secondsToWait(refusal) ?? Number.POSITIVE_INFINITY) * 1000
  );
}

/** Whether an error is none of those that the spec names for another reason: a failure, the request or the key. */
function refusesOtherwise(status: number): boolean {
  return status === forbidden || (status >= 400 && errorCodeOf(status) === undefined);
}

/** Whether a burst was answered with this status so much more often than other requests that it was the burst's doing. */
function isMoreThanUsual(
  status: number,
  refused: readonly Exchange[],
  sent: number,
  exchanges: readonly Exchange[],
): boolean {
  const isSuch = ({ response }: Exchange) => response.status === status;
  const others = exchanges.filter(({ isOfBurst }) => isOfBurst !== true);
  const share = refused.filter(isSuch).length / sent;
  const usual = (others.filter(isSuch).length + 1) / (others.length + 1);
  return share > largePart || (share * sent >= leastUnavailable && share > timesAsOften * usual);
}

// On a slow machine, one burst may be slower than the limit recovers.
async function burstUntilRefused(burst: () => Promise<Exchange[]>): Promise<number> {
  let accepted = 0;
  for (let count = 0; count < burstsInWave; count++) {
    const exchanges = await burst();
    accepted += exchanges.filter(isAccepted).length;
    if (exchanges.slice(-lastOfBurst).filter(isRefusal).length > lastOfBurst / 2) break;
  }
  return accepted;
}

function turnsOfWave(rounds: number): typeof turns {
  return Array.from({ length: rounds }, () => turns).flat();
}

/** A connection that the target closes now and then is no answer to what was asked. */
async function againIfLost(send: () => Promise<Exchange>): Promise<Exchange> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof NotJudged)) throw error;
    return await send();
  }
}

/**
 * The responses to concurrent requests, undefined where none arrived: under load a connection may break. Waits for
 * all of them, so that no rejection stays unhandled.
 */
async function responsesOf<T>(sent: readonly Promise<T>[]): Promise<(T | undefined)[]> {
  const ended = await Promise.allSettled(sent);
  const failed = ended.filter((end) => end.status === "rejected");
  const [first] = failed.filter(
    ({ reason }) => failed.length === ended.length || !(reason instanceof NotJudged),
  );
  if (first !== undefined) throw first.reason;
  return ended.map((end) => (end.status === "fulfilled" ? end.value : undefined));
}

// A limit that refuses with another status than 429 gives no time to wait, so it gets some time to recover.
async function untilCalm(context: CheckContext): Promise<void> {
  for (let tries = 0; tries < triesUntilCalm; tries++) {
    const { response } = await context.ask(retailers());
    if (response.status === 200) return;
    await context.sleep(pauseMilliseconds);
  }
  await context.control(retailers());
}

async function sendIfKnown(
  context: CheckContext,
  request: (context: CheckContext) => Request,
  manner: "sendAtOnce" | "ask",
): Promise<void> {
  try {
    await context[manner](request(context));
  } catch (error) {
    // Without a fixture or response, this exchange is omitted.
    if (!(error instanceof NotJudged)) throw error;
  }
}

export function isAccepted({ response }: Exchange): boolean {
  return response.status === 200;
}

/** Whether a request was refused because of a rate limit. A client meets that of a gateway as it meets the service's own. */
export function isRefusal({ response }: Exchange): boolean {
  return response.status === 429;
}
