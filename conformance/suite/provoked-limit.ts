import { setTimeout as sleep } from "node:timers/promises";
import type { CheckContext } from "../check.ts";
import type { Exchange } from "../exchange.ts";
import { retailers } from "../requests.ts";
import { retryAfterSeconds } from "../retry-after.ts";
import type { Caller } from "../target.ts";

/** Most requests to send before a limit counts as out of reach. */
export const burstRequests = 600;
const atOnce = 60;
// Several small waves rather than a long one: a second key with a small allowance of its own shows it each time.
const waves = 3;
const pairsInWave = 6;
/** Longest wait that is tried out. */
const longestWaitSeconds = 90;

/** What came of going over the limit on purpose, once for all checks of the section. */
export interface ProvokedLimit {
  /** The first 429, or undefined when none came within the burst. */
  readonly refusal: Exchange | undefined;
  /** Requests until then. */
  readonly sent: number;
  /** Asked at the same time, while the organization was refused: its two keys. */
  readonly primary: readonly Exchange[];
  readonly sameOrg: readonly Exchange[];
  /** Asked right after the refusal with the other organization's key. */
  readonly otherOrg: Exchange | undefined;
  /** Seconds that the last 429 asked to wait. */
  readonly told: number | undefined;
  /** The answer to the first request after that wait; undefined when it was too long to try. */
  readonly afterWait: Exchange | undefined;
}

/** Goes over the limit of the primary key's organization, looks at who is refused, waits as told, and asks again. */
export async function provokeLimit(context: CheckContext): Promise<ProvokedLimit> {
  const { keys } = context.target;
  const send = async (caller: Caller) => await context.sendAtOnce({ ...retailers(), caller });
  const press = async () => await Promise.all(Array.from({ length: atOnce }, () => send("primary")));
  // The other organization must have allowance left before its answer can mean anything.
  if (keys.otherOrg !== undefined) await context.ask({ ...retailers(), caller: "otherOrg" });

  let refusal: Exchange | undefined;
  let sent = 0;
  while (refusal === undefined && sent < burstRequests) {
    const answers = await press();
    sent += answers.length;
    refusal = answers.find(isRefusal);
  }
  if (refusal === undefined) {
    return {
      refusal,
      sent,
      primary: [],
      sameOrg: [],
      otherOrg: undefined,
      told: undefined,
      afterWait: undefined,
    };
  }
  const otherOrg = keys.otherOrg === undefined ? undefined : await send("otherOrg");
  const primary: Exchange[] = [];
  const sameOrg: Exchange[] = [];
  for (let wave = 0; wave < waves && keys.sameOrg !== undefined; wave++) {
    await press();
    // The refused key first: allowance that trickles in meanwhile is then its own to take.
    const pairs = Array.from({ length: pairsInWave }, () => [send("primary"), send("sameOrg")] as const);
    for (const [own, same] of pairs) {
      primary.push(await own);
      sameOrg.push(await same);
    }
  }
  const last = [refusal, ...primary, ...sameOrg].filter(isRefusal).at(-1);
  const told = retryAfterSeconds(last?.response.headers["retry-after"]);
  const tried = told !== undefined && told <= longestWaitSeconds;
  // A tenth of a second more than told: the clocks of two machines round differently.
  if (tried) await sleep(told * 1000 + 100);
  return {
    refusal,
    sent,
    primary,
    sameOrg,
    otherOrg,
    told,
    afterWait: tried ? await send("primary") : undefined,
  };
}

export function isRefusal({ response }: Exchange): boolean {
  return response.status === 429;
}
