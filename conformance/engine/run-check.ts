import type { CheckResult } from "../../schemas/types.ts";
import { evidenceOf } from "../client/evidence.ts";
import type { Exchange } from "../client/exchange.ts";
import { requirement } from "../requirements/catalogue.ts";
import { goneProduct } from "../suite/gone.ts";
import type { Check } from "./check.ts";
import { type Outcome, Unjudged } from "./outcome.ts";
import type { CheckReport } from "./provided.ts";
import type { Session } from "./session.ts";
import { verdictOf } from "./verdict.ts";
import { isWaivable, waiverFor } from "./waiver.ts";

/** Attempts in all for a check whose failure does not show again at once. */
const attemptsOfFlaky = 5;
/** Exchanges kept of a check that held: the last ones, the changed request among them. */
const shownWhenHeld = 2;

/**
 * Runs a check, and once more when it fails: a failure that shows twice counts. One that does not show again
 * is tried up to five times in all; it fails when it showed at least twice, and is a warning with its rate
 * when it showed once. Where a product that was asked for has left the catalogue meanwhile, nothing can be said.
 */
export async function outcomeOf(
  check: Check,
  session: Session,
  signal: AbortSignal,
  seen: Exchange[],
): Promise<Outcome> {
  const first = await attempt(check, session, { fresh: false, signal }, seen);
  if (first.kind !== "broken") return first;
  for (let count = 2; count <= attemptsOfFlaky; count++) {
    const earlier = seen.length;
    const next = await attempt(check, session, { fresh: true, signal }, seen);
    if (next.kind !== "broken") continue;
    const gone = await goneSince(seen.slice(earlier), session, signal);
    if (gone !== undefined) return gone;
    if (count === 2) return next;
    return { ...next, reason: `${next.reason} (flaky: 2 of ${count} attempts)`, flaky: true };
  }
  const reason = `${first.reason} (flaky: 1 of ${attemptsOfFlaky} attempts)`;
  return { kind: "noticed", reason, evidence: first.evidence, flaky: true };
}

async function goneSince(
  exchanges: readonly Exchange[],
  session: Session,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  try {
    const product = await goneProduct(session.context([], { fresh: true, signal }), exchanges);
    if (product === undefined) return undefined;
    const { retailer, productId } = product;
    const reason = `${retailer} / ${productId} has left the catalogue since it was seen`;
    return { kind: "unjudged", reason, mend: "Run again." };
  } catch (error) {
    // What cannot be asked any more leaves the failure as it was seen twice.
    if (error instanceof Unjudged) return undefined;
    throw error;
  }
}

async function attempt(
  check: Check,
  session: Session,
  options: { readonly fresh: boolean; readonly signal: AbortSignal },
  seen: Exchange[],
): Promise<Outcome> {
  try {
    return await check.run(session.context(seen, options));
  } catch (error) {
    if (error instanceof Unjudged) return { kind: "unjudged", reason: error.message, mend: error.mend };
    options.signal.throwIfAborted();
    return { kind: "crashed", reason: `the check itself broke: ${String(error)}` };
  }
}

/** The report of an outcome, with its evidence, and with the waiver where it waived something. */
export function reportOf(
  check: Pick<Check, "id" | "requirement" | "title">,
  outcome: Outcome,
  seen: readonly Exchange[],
  session: Session,
): Omit<CheckReport, "file"> {
  const { level } = requirement(check.requirement);
  const shown =
    outcome.kind === "broken" || outcome.kind === "noticed" ? outcome.evidence : seen.slice(-shownWhenHeld);
  const occurrences = outcome.kind === "broken" ? outcome.occurrences : undefined;
  const flaky = (outcome.kind === "broken" || outcome.kind === "noticed") && outcome.flaky === true;
  const waiver = isWaivable(outcome.kind) ? waiverFor(check, session.provided.waivers ?? []) : undefined;
  const result: CheckResult = {
    id: check.id,
    title: check.title,
    verdict: verdictOf(level, outcome.kind, waiver),
    reason: reasonOf(outcome),
    ...(occurrences === undefined ? {} : { occurrences }),
    evidence: shown.map(evidenceOf),
    ...(waiver === undefined ? {} : { waiver }),
    ...(flaky ? { flaky } : {}),
  };
  return { requirement: check.requirement, result, traffic: session.traffic() };
}

function reasonOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case "held":
      return outcome.note;
    case "unjudged":
      return `${outcome.reason}. ${outcome.mend}`;
    case "broken":
    case "noticed":
    case "irrelevant":
    case "crashed":
      return outcome.reason;
    default:
      return outcome satisfies never;
  }
}
