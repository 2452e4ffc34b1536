import { createHash } from "node:crypto";
import { errorCodeOf, keyHeaders, longestTriedWait } from "../../../schemas/api.ts";
import { type Exchange, isLostOnTheWay, keyHeadersIn, secondsToWait } from "../../client/exchange.ts";
import { BudgetSpent } from "../../client/no-response.ts";
import { byId, type Request, retailers } from "../../client/requests.ts";
import { attempt, need } from "../../discovery/fixtures.ts";
import { NotJudged, type Outcome, reasonOf } from "../../requirements/outcome.ts";
import type { CheckContext } from "./check.ts";
import { configuredHeaders, succeeding } from "./inputs.ts";

// Exceeds the rate limit on purpose: a burst up to the first 429, a wave with every key, one wait.

/** Concurrent requests of the burst. They grow, because slow responses keep the rate below the limit. */
const growing = [60, 60, 120, 180, 180, 240] as const;
/** Most requests before a limit counts as out of reach. */
export const burstRequests = growing.reduce<number>((sum, atOnce) => sum + atOnce, 0);
/** No more requests follow after this time: a service that takes so long is not faster than its limit. */
const longestMilliseconds = 10_000;
/** Requests of each group in the wave. */
export const inWave = 12;
/** Requests that leave first, with what the limit has recovered meanwhile. While more are read, it recovers. */
const ahead = 60;
/** With these the limit must be the same: it is that of the organization. */
const disguise = { "user-agent": "another-client/1.0", "x-forwarded-for": "192.0.2.7" };
/** On a slow machine or service the limit may not hold during a wave, which then says nothing. */
const mostWaves = 4;
/** A limit that accepts more of those ahead recovers while the wave is decided: who is accepted may be chance. */
const fewRecovered = 6;
/** Most requests of a wave: those ahead, one of each endpoint, and those of the four groups. */
const ofWave = ahead + Object.keys(succeeding).length + 4 * inWave;
/** Requests of the other organization that show whether it had room. */
const forRoom = 3;
/** Most requests for the limit: three until it is calm, the burst, the waves, two after the wait, and these. */
export const mostProvoking = 3 + burstRequests + mostWaves * ofWave + 2 + forRoom;
/** For a limit that gives no time to wait, and for a small one that the first request uses up. */
const calmMilliseconds = 4000;
const allowanceMilliseconds = 1000;
const forbidden = 403;
/** A limit refuses a large part of the burst. A service that fails at times does not. */
const largePart = 0.2;

/**
 * Responses to concurrent requests while the first key was over its limit: with that key, with it in
 * other headers, with the second key, and with the other organization's.
 */
type Wave = Readonly<Record<"primary" | "otherHeaders" | "sameOrg" | "otherOrg", readonly Exchange[]>>;

export interface ProvokedLimit {
  /** The first 429; undefined when none came within the burst. */
  readonly refusal: Exchange | undefined;
  /** Requests of the burst, their rate, and the responses to them. */
  readonly sent: number;
  readonly perSecond: number;
  readonly responses: readonly Exchange[];
  /** Empty without a refusal. */
  readonly wave: Wave;
  /** Accepted requests of those ahead of the wave's groups. */
  readonly recovered?: number;
  /** Whether the other organization, refused with the first, is accepted alone: its own traffic may fill its limit. */
  readonly otherHasRoom?: boolean;
  /** The last 429. */
  readonly last?: Exchange | undefined;
  /** The first response after that wait; undefined when it was too long to wait for. */
  readonly afterWait?: Exchange | undefined;
}

const limitName = "limit";

/** Exceeds the rate limit of the primary key's organization, once for all checks of a run. */
export async function provokedLimit(context: CheckContext): Promise<ProvokedLimit> {
  return await context.once(limitName, async () => {
    await untilCalm(context);
    const burst = await untilRefused(context);
    let wave: Wave = { primary: [], otherHeaders: [], sameOrg: [], otherOrg: [] };
    if (burst.refusal === undefined) return { ...burst, wave };
    let [wasDoubted, recovered] = [false, 0];
    for (let count = 0; count < mostWaves; count++) {
      ({ wave, recovered } = await waveOf(context, burst.refusal, count));
      if (share(wave.primary, isRefusal) < 0.5) continue;
      const { primary, otherHeaders, sameOrg } = wave;
      const isApart = [otherHeaders, sameOrg].some((own) => sharing(primary, own) === "apart");
      // Another order confirms it.
      const isDoubted: boolean = isApart && recovered > fewRecovered;
      if (isDoubted === wasDoubted) break;
      wasDoubted = isDoubted;
    }
    const later = await afterItsWait(context, wave.primary.findLast(isRefusal) ?? burst.refusal);
    const isShared = sharing(wave.primary, wave.otherOrg) === "shared";
    const otherHasRoom = !isShared || (await hasRoom(context));
    return { ...burst, wave, recovered, otherHasRoom, ...later };
  });
}

/** A refusal means something only if both organizations have requests left at the start. */
async function untilCalm(context: CheckContext): Promise<void> {
  const { response } = await context.ask(retailers());
  if (response.status !== 200) await context.sleep(calmMilliseconds);
  await context.control(retailers());
  if (!context.fixtures.otherOrgKey.present) return;
  await context.ask({ ...retailers(), caller: "otherOrg" });
  // Where nothing of the run was refused, the limit is not that small.
  if (context.exchanges.some(isRefusal)) await context.sleep(allowanceMilliseconds);
}

async function untilRefused(context: CheckContext): Promise<Omit<ProvokedLimit, "wave">> {
  const responses: Exchange[] = [];
  let sent = 0;
  const started = performance.now();
  for (const atOnce of growing) {
    const some = await atSameTime(context, severalLists(atOnce));
    responses.push(...some.filter((one) => one !== undefined));
    sent += atOnce;
    if (responses.some(isRefusal) || performance.now() - started > longestMilliseconds) break;
  }
  const perSecond = Math.round(sent / ((performance.now() - started) / 1000));
  return { refusal: responses.find(isRefusal), responses, sent, perSecond };
}

/** A list costs the service least. */
function severalLists(length: number): Request[] {
  return Array.from({ length }, () => retailers());
}

/**
 * Sends with all keys, in turns whose order is drawn: a limit that recovers meanwhile accepts at a beat, and
 * none may get all places that become free.
 * @param count waves before, which had another order
 * @returns with how many of the requests ahead were accepted
 */
async function waveOf(
  context: CheckContext,
  refusal: Exchange,
  count: number,
): Promise<{ readonly wave: Wave; readonly recovered: number }> {
  const { sameOrgKey, otherOrgKey } = context.fixtures;
  const isPlain = keyHeadersIn(refusal)[0] === keyHeaders.plain;
  const own = configuredHeaders(context);
  const headers = Object.fromEntries(Object.entries(disguise).filter(([name]) => !own.includes(name)));
  const groups: (readonly [keyof Wave, Partial<Request>])[] = [
    ["primary", {}],
    ["otherHeaders", { keyHeader: isPlain ? keyHeaders.bearer : keyHeaders.plain, headers }],
    ...(sameOrgKey.present ? ([["sameOrg", { caller: "sameOrg" }]] as const) : []),
    ...(otherOrgKey.present ? ([["otherOrg", { caller: "otherOrg" }]] as const) : []),
  ];
  const turns = Array.from({ length: inWave }, (_, at) => {
    const drawn = createHash("sha256").update(`${count}.${at}`).digest();
    return groups
      .map((group, place) => ({ group, order: drawn[place] ?? 0 }))
      .toSorted((one, other) => one.order - other.order)
      .map(({ group }) => group);
  }).flat();
  // The rules also judge a 429 of each endpoint. Without a fixture, its request is omitted.
  const each = await Promise.all(
    Object.values(succeeding).map((request) =>
      attempt(
        async () => [request(context)],
        () => [],
      ),
    ),
  );
  const responses = await atSameTime(context, [
    ...severalLists(ahead),
    ...each.flat(),
    ...turns.map(([, how]) => ({ ...retailers(), ...how })),
  ]);
  const inTurn = responses.slice(-turns.length);
  const wave: Record<keyof Wave, Exchange[]> = { primary: [], otherHeaders: [], sameOrg: [], otherOrg: [] };
  for (const [at, [name]] of turns.entries()) {
    const one = inTurn[at];
    if (one !== undefined && !isLostOnTheWay(one)) wave[name].push(one);
  }
  const { length: recovered } = responses.slice(0, ahead).filter((one) => one && isAccepted(one));
  return { wave, recovered };
}

async function hasRoom(context: CheckContext): Promise<boolean> {
  await context.sleep(calmMilliseconds);
  const requests = severalLists(forRoom).map((one): Request => ({ ...one, caller: "otherOrg" }));
  const responses = await atSameTime(context, requests);
  return responses.every((one) => one !== undefined && isAccepted(one));
}

async function afterItsWait(
  context: CheckContext,
  last: Exchange,
): Promise<Pick<ProvokedLimit, "last" | "afterWait">> {
  const waitSeconds = secondsToWait(last);
  if (waitSeconds === undefined || waitSeconds > longestTriedWait) return { last };
  // A tenth of a second more, since the clocks of two machines round differently; but 0 is no rounded time.
  await context.sleep(waitSeconds * 1000 + (waitSeconds === 0 ? 0 : 100), "announced");
  // The same request as was refused: a refusal may be kept longer than the limit lasts.
  const again = () => context.sendAtOnce(retailers());
  // An idle connection that the target closes now is no answer to what was asked.
  const afterWait = await again().catch(again);
  // The rules see what a service makes of a product once it has refused requests.
  const { product } = context.fixtures;
  if (product.present) await context.ask(byId(product.value.retailer, product.value.productId));
  return { last, afterWait };
}

/**
 * The responses to concurrent requests, undefined where none arrived: under load a connection may break.
 * @throws BudgetSpent when not all could be sent
 */
async function atSameTime(
  { sendAtOnce }: CheckContext,
  requests: readonly Request[],
): Promise<(Exchange | undefined)[]> {
  const settled = await Promise.allSettled(requests.map(sendAtOnce));
  const reasons = settled.flatMap((one): unknown[] => (one.status === "rejected" ? [one.reason] : []));
  for (const reason of reasons) {
    // What the budget kept back was never sent.
    if (reasons.length === settled.length || reason instanceof BudgetSpent) throw reason;
    // A failure of our own is thrown as well.
    reasonOf(reason);
  }
  return settled.map((one) => (one.status === "fulfilled" ? one.value : undefined));
}

/** An error status that the spec names for no other reason and that refuses a large part of the burst. */
export function refusedOtherwise({ responses, sent }: ProvokedLimit): Exchange | undefined {
  const odd = responses.filter((one) => {
    const { status } = one.response;
    const isUnnamed = status === forbidden || (status >= 400 && errorCodeOf(status) === undefined);
    return isUnnamed && !isLostOnTheWay(one);
  });
  const byStatus = Map.groupBy(odd, ({ response }) => response.status);
  return byStatus.values().find(({ length }) => length > largePart * sent)?.[0];
}

/**
 * Whether others share the exceeded limit. No: half of their requests more were accepted. Yes: half of each
 * were refused and hardly more of theirs accepted. Between the two it is unclear.
 */
export function sharing(
  first: readonly Exchange[],
  others: readonly Exchange[],
): "shared" | "apart" | "unclear" {
  const [own, other] = [share(first, isAccepted), share(others, isAccepted)];
  if (other - own >= 0.5) return "apart";
  const areRefused = [first, others].every((group) => share(group, isRefusal) >= 0.5);
  // A limit of its own would give the other as much as all groups of the first together.
  return areRefused && other <= 1.5 * own ? "shared" : "unclear";
}

function share(exchanges: readonly Exchange[], is: (exchange: Exchange) => boolean): number {
  return exchanges.filter(is).length / exchanges.length;
}

/**
 * Whether the second key is refused together with the first and the other organization is not: both keys
 * belong to one organization (spec, Limits: "applied per organization").
 */
export function secondKeySharesLimit({ wave: { primary, sameOrg, otherOrg } }: ProvokedLimit): boolean {
  const isApart = [primary, sameOrg].every((own) => sharing(own, otherOrg) === "apart");
  return isApart && sharing(primary, sameOrg) === "shared";
}

/**
 * Confirms an outcome that compares two keys of one organization: a failure counts only if their retailers or
 * a shared limit show that they are.
 * @throws NotJudged when either the key or the service may be at fault
 */
export async function ofSameOrganization(context: CheckContext, outcome: Outcome): Promise<Outcome> {
  const key = need(context.fixtures.sameOrgKey);
  if (outcome.kind !== "fail" || key.role !== "contradicted") return outcome;
  const limit = await context.cached<ProvokedLimit>(limitName);
  if (limit !== undefined && secondKeySharesLimit(limit)) return outcome;
  throw new NotJudged(key.doubt);
}

export function isAccepted({ response }: Exchange): boolean {
  return response.status === 200;
}

/** By a rate limit. A client meets that of a gateway as it meets the service's own. */
export function isRefusal({ response }: Exchange): boolean {
  return response.status === 429;
}
