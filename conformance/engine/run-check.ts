import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Exchange } from "../client/exchange.ts";
import { NoResponse } from "../client/no-response.ts";
import { crashed, keyOf, NotJudged, type Outcome } from "../requirements/outcome.ts";
import type { Check, CheckContext } from "../suite/check/check.ts";
import type { Session } from "./session.ts";
import { changeSince } from "./still-there.ts";

const mostAttempts = 5;

/**
 * The only place that asks again: a failure counts when another attempt (of one that may be chance, two), with
 * fresh controls, finds the same, and is else a warning with its count. What belongs to another organization
 * counts the first time. An attempt whose product or retailer is gone does not count; after two of them the
 * check is not judged.
 */
export async function outcomeOf(check: Check, session: Session, seen: Exchange[]): Promise<Outcome> {
  const failures: Outcome[] = [];
  const changes: Outcome[] = [];
  const others: Outcome[] = [];
  const choices: CheckContext["choices"] = new Map();
  for (let count = 1; count <= mostAttempts; count++) {
    const earlier = seen.length;
    const outcome = await attempt(
      check,
      session.context(seen, count > 1 ? "fresh" : undefined, choices),
      session.signal,
    );
    if (outcome.kind !== "fail") {
      if (count === 1)
        return isControlGone(outcome)
          ? ((await changeSince(seen, session.context([]), [])) ?? outcome)
          : outcome;
      others.push(outcome);
      continue;
    }
    const named = outcome.findings.flatMap(({ product }) => product ?? []);
    const change = await changeSince(seen.slice(earlier), session.context([], "fresh"), named);
    if (change !== undefined && changes.push(change) > 1) return change;
    if (change !== undefined) continue;
    const before = failures.map(keysOf);
    const timesBefore = (one: Finding) => before.filter((keys) => keys.has(keyOf(one))).length;
    failures.push(outcome);
    const again = new Set(outcome.others?.filter((one) => timesBefore(one) > 0).map(({ code }) => code));
    const isConfirmed = (one: Finding) =>
      mayBeChance(one) ? timesBefore(one) > 1 && others.every(couldNotLook) : timesBefore(one) > 0;
    const findings = outcome.findings.filter(
      (one) => isOfOther(one) || isConfirmed(one) || again.has(one.code),
    );
    if (findings.length === 0) continue;
    const total = failures.length + others.length;
    return { ...outcome, findings, ...(total > 2 && { attempts: { failed: failures.length, total } }) };
  }
  const [first] = failures;
  if (first === undefined)
    return others.findLast(({ kind }) => kind !== "inconclusive") ?? (changes[0] as Outcome);
  // An attempt that could not look is no vote: what the first one saw stands.
  const votes = others.filter((other) => !couldNotLook(other));
  const attempts = { failed: failures.length, total: failures.length + votes.length };
  return attempts.total === 1 ? first : { ...first, kind: "warn", attempts };
}

function keysOf({ findings, others = [] }: Outcome): ReadonlySet<string> {
  return new Set([...findings, ...others].map(keyOf));
}

/**
 * Whether any single request may get this of a service that fails at times: it counts when each of three attempts
 * has it. A burst is many requests.
 */
function mayBeChance({ code, condition, actual }: Finding): boolean {
  const isServerError = code === "wrong-status" && condition !== "burst" && Number(actual) >= 500;
  return isServerError || code === "closed-on-input";
}

/** Whether a control found nothing, or was refused: what it asks for may have left, which is the reason then. */
function isControlGone({ kind, findings }: Outcome): boolean {
  const isGone = (one: Finding) => one.code === "control-failed" && [403, 404].includes(Number(one.actual));
  return kind === "inconclusive" && findings.some(isGone);
}

/** Whether a finding shows what belongs to another organization. */
function isOfOther({ code }: Finding): boolean {
  return code === "not-granted" || code === "retailer-of-other-organization";
}

/** Reasons why an attempt sends nothing, or not what it has to. */
const notLooked: ReadonlySet<string> = new Set([
  "budget-spent",
  "burst-lost",
  "limit-not-reached",
  "limit-unclear",
  "still-rate-limited",
  "wait-too-long",
] satisfies Finding["code"][]);

function couldNotLook({ kind, findings }: Outcome): boolean {
  // A key that worked and is refused now, as by a cache that keeps refusals, hides what came before.
  const isKeyRefused = (one: Finding) => one.code === "control-failed" && one.actual === 401;
  return kind === "inconclusive" && findings.every((one) => notLooked.has(one.code) || isKeyRefused(one));
}

async function attempt(check: Check, context: CheckContext, signal: AbortSignal): Promise<Outcome> {
  try {
    return await check.run(context);
  } catch (error) {
    if (error instanceof NotJudged) return error.outcome();
    // Without a response, nothing is known of what it would have shown.
    if (error instanceof NoResponse) return new NotJudged(error.reason).outcome();
    signal.throwIfAborted();
    return crashed(error);
  }
}
