import { keyHeaders } from "../../schemas/api.ts";
import { type Exchange, secondsToWait } from "../client/exchange.ts";
import { type Request, retailers } from "../client/requests.ts";
import type { Caller } from "../client/target.ts";
import { need } from "../discovery/fixtures.ts";
import type { CheckContext } from "../engine/check.ts";
import { NotJudged, type Outcome } from "../engine/outcome.ts";
import { succeeding } from "./what-to-ask.ts";

/** Most requests to send before a limit counts as out of reach. */
export const burstRequests = 600;
/** Requests at once, from wave to wave: more of them where responses are so slow that too few go through to reach a limit. */
const swelling = [60, 60, 120, 180, 180] as const;
const pressed = 60;
// Several small waves rather than a long one: a second key with a small allowance of its own shows it each time.
const waves = 3;
type AskedInWave = "primary" | "sameOrg" | "otherOrg";
// The refused key first and last: a service that takes the newest connection first favours no other.
const turns = ["primary", "sameOrg", "otherOrg", "sameOrg", "primary"] as const;
const roundsInWave = 4;
const pressesInWave = 4;
const lastOfPress = 10;
/** Most requests that it takes to see whether two keys share a limit. */
export const sharedKeyRequests =
  waves * pressesInWave * pressed + turns.length * roundsInWave * (2 ** waves - 1);
const triesUntilCalm = 4;
const pauseMilliseconds = 2000;
const allowanceMilliseconds = 1000;
// 500, 502 and 504 are trouble, not a limit.
const refusesOtherwise: ReadonlySet<number> = new Set([400, 401, 403, 404, 503]);
/** Longest wait that is tried out. */
export const longestWaitSeconds = 90;

/** What came of going over the limit on purpose, once for all checks of the section. */
export interface ProvokedLimit {
  /** The first 429, or undefined when none came within the burst. */
  readonly refusal: Exchange | undefined;
  /** A response in the burst that refuses, with another status, the request that succeeds otherwise. */
  readonly otherwise: Exchange | undefined;
  /** Requests until then, and how many a second that were. */
  readonly sent: number;
  readonly perSecond: number;
  /** Asked at the same time, while the organization was refused: its two keys. */
  readonly primary: readonly Exchange[];
  readonly sameOrg: readonly Exchange[];
  /** Asked at the same time with the other organization's key. */
  readonly otherOrg: readonly Exchange[];
  /** Requests accepted while the organization was sent over its limit again. */
  readonly acceptedInBursts: number;
  /** Seconds that the last 429 asked to wait. */
  readonly waitSeconds: number | undefined;
  /** The response to the first request after that wait; undefined when it was too long to try. */
  readonly afterWait: Exchange | undefined;
}

const limitName = "limit";

/** What came of going over the limit; it is done once for all checks of a run. */
export async function provokedLimit(context: CheckContext): Promise<ProvokedLimit> {
  return await context.once(limitName, () => provokeLimit(context));
}

/** Goes over the limit of the primary key's organization, looks at who is refused, waits for Retry-After, and asks again. */
async function provokeLimit(context: CheckContext): Promise<ProvokedLimit> {
  const { sameOrgKey, otherOrgKey } = context.fixtures;
  const isUsable = { primary: true, sameOrg: sameOrgKey.present, otherOrg: otherOrgKey.present } as const;
  const send = async (caller: Caller, keyHeader: Request["keyHeader"] = "either") =>
    await context.sendAtOnce({ ...retailers(), caller, keyHeader });
  const press = async (atOnce = pressed) =>
    (await answersOf(Array.from({ length: atOnce }, () => send("primary")))).filter(
      (answer) => answer !== undefined,
    );
  // Both organizations must have allowance left before a refusal, or none, can mean anything.
  await untilCalm(context);
  if (isUsable.otherOrg) {
    await context.ask({ ...retailers(), caller: "otherOrg" });
    // A very small allowance of its own is used up by that request: time to have it again.
    await context.sleep(allowanceMilliseconds);
  }

  let refusal: Exchange | undefined;
  let otherwise: Exchange | undefined;
  let sent = 0;
  const started = performance.now();
  for (const atOnce of swelling) {
    const answers = await press(atOnce);
    sent += atOnce;
    refusal = answers.find(isRefusal);
    otherwise ??= answers.find(({ response }) => refusesOtherwise.has(response.status));
    if (refusal !== undefined) break;
  }
  const perSecond = Math.round(sent / ((performance.now() - started) / 1000));
  if (refusal === undefined) {
    const nothing = {
      primary: [],
      sameOrg: [],
      otherOrg: [],
      acceptedInBursts: 0,
      waitSeconds: undefined,
      afterWait: undefined,
    };
    return { refusal, otherwise, sent, perSecond, ...nothing };
  }
  // One refusal of each endpoint, for the passive rules; beside a burst, since allowance comes back all the time.
  await Promise.all([
    press(),
    ...Object.values(succeeding).map((request) => askIfKnown(context, request, "sendAtOnce")),
  ]);
  let acceptedInBursts = 0;
  let rounds = roundsInWave;
  const asked: Record<AskedInWave, Exchange[]> = { primary: [], sameOrg: [], otherOrg: [] };
  for (let wave = 0; wave < waves; wave++) {
    acceptedInBursts += await pressUntilRefused(press);
    // Nothing comes between: allowance trickles in all the time, and whoever is asked first has it.
    const callers = callersOfWave(rounds).filter((caller) => isUsable[caller]);
    const answers = await answersOf(callers.map((caller, index) => send(caller, headerOf(index))));
    answers.forEach((answer, index) => {
      if (answer !== undefined) asked[callers[index] ?? "primary"].push(answer);
    });
    // Where allowance comes back as fast as slow responses use it, more is sent.
    if (!answers.some((answer) => answer !== undefined && isRefusal(answer))) rounds *= 2;
  }
  const { primary, sameOrg, otherOrg } = asked;
  const last = [refusal, ...primary].filter(isRefusal).at(-1);
  const waitSeconds = last === undefined ? undefined : secondsToWait(last);
  const tried = waitSeconds !== undefined && waitSeconds <= longestWaitSeconds;
  // A tenth of a second more: the clocks of two machines round differently.
  if (tried) await context.sleep(waitSeconds * 1000 + 100);
  const afterWait = tried ? await send("primary") : undefined;
  // The passive rules look at what a service returns after a refusal as well.
  for (const name of ["lookup-by-id", "category-page"] as const)
    await askIfKnown(context, succeeding[name], "ask");
  return {
    refusal,
    otherwise,
    sent,
    perSecond,
    primary,
    sameOrg,
    otherOrg,
    acceptedInBursts,
    waitSeconds,
    afterWait,
  };
}

// On a slow machine one press is not faster than the allowance comes back.
async function pressUntilRefused(press: () => Promise<Exchange[]>): Promise<number> {
  let accepted = 0;
  for (let pressed = 0; pressed < pressesInWave; pressed++) {
    const answers = await press();
    accepted += answers.filter(isAccepted).length;
    if (answers.slice(-lastOfPress).filter(isRefusal).length > lastOfPress / 2) break;
  }
  return accepted;
}

function callersOfWave(rounds: number): readonly AskedInWave[] {
  return Array.from({ length: rounds }, () => turns).flat();
}

// The second key in either header: a limit may be kept for each of them.
function headerOf(index: number): Request["keyHeader"] {
  const turn = index % turns.length;
  return turns[turn] !== "sameOrg" ? "either" : turn === 1 ? keyHeaders.plain : keyHeaders.bearer;
}

/**
 * The responses to requests under way at the same time, undefined where none came: under pressure a connection
 * may break, which says nothing of the others. Waits for all of them, since one that is left would fail unheard.
 */
async function answersOf<T>(sent: readonly Promise<T>[]): Promise<(T | undefined)[]> {
  const ended = await Promise.allSettled(sent);
  const failed = ended.filter((end) => end.status === "rejected");
  const [first] = failed.filter(
    ({ reason }) => failed.length === ended.length || !(reason instanceof NotJudged),
  );
  if (first !== undefined) throw first.reason;
  return ended.map((end) => (end.status === "fulfilled" ? end.value : undefined));
}

// A limit that refuses with something else than 429 says no wait: it is given some before its request counts as one that fails.
async function untilCalm(context: CheckContext): Promise<void> {
  for (let tries = 0; tries < triesUntilCalm; tries++) {
    const { response } = await context.ask(retailers());
    if (response.status === 200) return;
    await context.sleep(pauseMilliseconds);
  }
  await context.control(retailers());
}

async function askIfKnown(
  context: CheckContext,
  request: (context: CheckContext) => Request,
  manner: "sendAtOnce" | "ask",
): Promise<void> {
  try {
    await context[manner](request(context));
  } catch (error) {
    // Without a fixture for it, or without an answer, there is one exchange less to look at.
    if (!(error instanceof NotJudged)) throw error;
  }
}

/** Next to no chance. */
export const beyondChance = 0.001;

/**
 * Whether the second key is refused together with the first one while the other organization is not: only a key of the
 * same organization is (spec, Limits: "applied per organization").
 */
export function secondKeySharesLimit({ primary, sameOrg, otherOrg }: ProvokedLimit): boolean {
  const [own, same, other] = [tallyOf(primary), tallyOf(sameOrg), tallyOf(otherOrg)];
  return (
    sameOrg.some(isRefusal) &&
    chanceToFareBetter(own, same) >= beyondChance &&
    chanceToFareBetter(own, other) < beyondChance &&
    chanceToFareBetter(same, other) < beyondChance
  );
}

/**
 * An outcome that holds the second key to what the first one sees. A failure counts only where the key is seen to be of
 * the same organization: by the retailers that it lists, or by the limit that the two share.
 *
 * @throws NotJudged where it cannot be told whether the key or the service is at fault
 */
export async function ofSameOrganization(context: CheckContext, outcome: Outcome): Promise<Outcome> {
  const key = need(context.fixtures.sameOrgKey);
  if (outcome.kind !== "fail" || key.role !== "contradicted") return outcome;
  const limit = await context.known<ProvokedLimit>(limitName);
  if (limit !== undefined && secondKeySharesLimit(limit)) return outcome;
  throw new NotJudged(key.doubt);
}

export function tallyOf(answers: readonly Exchange[]): Tally {
  return { accepted: answers.filter(isAccepted).length, asked: answers.length };
}

export function isAccepted({ response }: Exchange): boolean {
  return response.status === 200;
}

export function isRefusal({ response }: Exchange): boolean {
  return response.status === 429;
}

/**
 * How likely it is that of two who are accepted by the same chance one is accepted at least this much more often: the
 * upper tail of the hypergeometric distribution. Next to nothing means that they do not share a limit.
 *
 * @param one how often accepted, of how many requests
 * @param other the one that seems to fare better
 */
export function chanceToFareBetter(one: Tally, other: Tally): number {
  const accepted = one.accepted + other.accepted;
  let chance = 0;
  for (let count = other.accepted; count <= Math.min(accepted, other.asked); count++) {
    const rest = accepted - count;
    if (rest <= one.asked) chance += ways(other.asked, count) * ways(one.asked, rest);
  }
  return chance / ways(one.asked + other.asked, accepted);
}

/** How often somebody was accepted, of how many requests. */
export interface Tally {
  readonly accepted: number;
  readonly asked: number;
}

function ways(of: number, chosen: number): number {
  let product = 1;
  for (let step = 1; step <= chosen; step++) product *= (of - chosen + step) / step;
  return product;
}
