import { setTimeout as sleep } from "node:timers/promises";
import type { CheckContext } from "../check.ts";
import type { Exchange } from "../exchange.ts";
import { type Request, retailers } from "../requests.ts";
import { retryAfterSeconds } from "../retry-after.ts";
import type { Caller } from "../target.ts";

/** Most requests to send before a limit counts as out of reach. */
export const burstRequests = 600;
const atOnce = 60;
/** Longest wait that is tried out. */
const longestWaitSeconds = 90;

/** What came of going over the limit on purpose, once for all checks of the section. */
export interface ProvokedLimit {
  /** The first 429, or undefined when none came within the burst. */
  readonly refusal: Exchange | undefined;
  readonly sent: number;
  /** Asked in turn right after the refusal: the two keys of the organization. */
  readonly primary: readonly Exchange[];
  readonly sameOrg: readonly Exchange[];
  /** Asked at the same time with the other organization's key. */
  readonly otherOrg: readonly Exchange[];
  /** Seconds that the last 429 asked to wait. */
  readonly told: number | undefined;
  /** The answer to the first request after that wait; undefined when it was too long to try. */
  readonly afterWait: Exchange | undefined;
}

// Twice each in a row: where both draw on one limit, a trickle of new allowance cannot favour one key alone.
const turns: readonly Caller[] = [
  "primary",
  "sameOrg",
  "sameOrg",
  "primary",
  "primary",
  "sameOrg",
  "sameOrg",
  "primary",
  "primary",
  "sameOrg",
];

/** Goes over the limit of the primary key's organization, looks at who is refused, waits as told, and asks again. */
export async function provokeLimit(context: CheckContext): Promise<ProvokedLimit> {
  const { target } = context;
  const has = (caller: Caller) =>
    caller === "primary" || (caller !== "nobody" && target.keys[caller] !== undefined);
  const send = async (caller: Caller) =>
    await context.sendAtOnce({ ...retailers(), caller } satisfies Request);

  let refusal: Exchange | undefined;
  let sent = 0;
  while (refusal === undefined && sent < burstRequests) {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => send("primary")));
    sent += answers.length;
    refusal = answers.find(isRefusal);
  }
  if (refusal === undefined) {
    return { refusal, sent, primary: [], sameOrg: [], otherOrg: [], told: undefined, afterWait: undefined };
  }
  const seen = new Map<Caller, Exchange[]>([
    ["primary", []],
    ["sameOrg", []],
    ["otherOrg", []],
  ]);
  const other = has("otherOrg") ? await send("otherOrg") : undefined;
  for (const caller of turns.filter(has)) seen.get(caller)?.push(await send(caller));

  const last = [refusal, ...(seen.get("primary") ?? []), ...(seen.get("sameOrg") ?? [])]
    .filter(isRefusal)
    .at(-1);
  const told = retryAfterSeconds(last?.response.headers["retry-after"]);
  const tried = told !== undefined && told <= longestWaitSeconds;
  // A tenth of a second more than told: the clocks of two machines round differently.
  if (tried) await sleep(told * 1000 + 100);
  return {
    refusal,
    sent,
    primary: seen.get("primary") ?? [],
    sameOrg: seen.get("sameOrg") ?? [],
    otherOrg: other === undefined ? [] : [other],
    told,
    afterWait: tried ? await send("primary") : undefined,
  };
}

export function isRefusal({ response }: Exchange): boolean {
  return response.status === 429;
}
