import type { CheckResult } from "../../schemas/types.ts";
import { evidenceOf } from "../client/evidence.ts";
import type { Exchange } from "../client/exchange.ts";
import { requirement } from "../requirements/catalogue.ts";
import { goneProduct } from "../suite/gone.ts";
import type { Check } from "./check.ts";
import { NotJudged, type Outcome } from "./outcome.ts";
import type { CheckReport } from "./provided.ts";
import type { Session } from "./session.ts";
import { verdictOf } from "./verdict.ts";
import { isWaivable, waiverFor } from "./waiver.ts";

/** Attempts in all for a check whose failure does not show again at once. */
const attemptsOfFlaky = 5;
/** exchanges kept of a check that passed: the last ones, the changed request among them. */
const shownWhenPassed = 2;

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
  if (first.kind !== "fail") return first;
  for (let count = 2; count <= attemptsOfFlaky; count++) {
    const earlier = seen.length;
    const next = await attempt(check, session, { fresh: true, signal }, seen);
    if (next.kind !== "fail") continue;
    const gone = await goneSince(seen.slice(earlier), session, signal);
    if (gone !== undefined) return gone;
    if (count === 2) return next;
    return { ...next, reason: `${next.reason} (flaky: 2 of ${count} attempts)`, flaky: true };
  }
  const reason = `${first.reason} (flaky: 1 of ${attemptsOfFlaky} attempts)`;
  return { kind: "warn", reason, evidence: first.evidence, flaky: true };
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
    return { kind: "inconclusive", reason, fix: "Run again." };
  } catch (error) {
    // What cannot be asked any more leaves the failure as it was seen twice.
    if (error instanceof NotJudged) return undefined;
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
    if (error instanceof NotJudged) return { kind: "inconclusive", reason: error.message, fix: error.fix };
    options.signal.throwIfAborted();
    return { kind: "error", reason: `the check itself broke: ${String(error)}` };
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
    outcome.kind === "fail" || outcome.kind === "warn" ? outcome.evidence : seen.slice(-shownWhenPassed);
  const occurrences = outcome.kind === "fail" ? outcome.occurrences : undefined;
  const flaky = (outcome.kind === "fail" || outcome.kind === "warn") && outcome.flaky === true;
  const waiver = isWaivable(outcome.kind) ? waiverFor(check, session.provided.waivers ?? []) : undefined;
  const { redaction } = session.http;
  const result: CheckResult = {
    id: check.id,
    title: check.title,
    verdict: verdictOf(level, outcome.kind, waiver),
    reason: redaction.redact(reasonOf(outcome)),
    ...(occurrences === undefined ? {} : { occurrences }),
    evidence: shown.map((exchange) => evidenceOf(exchange, redaction)),
    ...(waiver === undefined ? {} : { waiver }),
    ...(flaky ? { flaky } : {}),
  };
  return { requirement: check.requirement, result, traffic: session.traffic() };
}

function reasonOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case "pass":
      return outcome.note;
    case "inconclusive":
      return `${outcome.reason}. ${outcome.fix}`;
    case "fail":
    case "warn":
    case "notApplicable":
    case "error":
      return outcome.reason;
    default:
      return outcome satisfies never;
  }
}
