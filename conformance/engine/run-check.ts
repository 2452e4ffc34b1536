import type { CheckResult, Finding, Waiver } from "../../schemas/types.ts";
import type { WordsContext } from "../../schemas/words/finding-words.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { evidenceOf } from "../client/evidence.ts";
import type { Exchange } from "../client/exchange.ts";
import { type Redaction, redactValue } from "../client/redaction.ts";
import { requirement } from "../requirements/catalogue.ts";
import { goneProduct } from "../suite/gone.ts";
import type { Check } from "./check.ts";
import { crashed, NotJudged, type Outcome } from "./outcome.ts";
import type { Session } from "./session.ts";
import { isWaivable, verdictOf, waiverFor } from "./verdict.ts";

/** Attempts in all for a check whose failure does not show again at once. */
const attemptsOfFlaky = 5;
/** Exchanges kept of a check that names none: the last ones, the changed request among them. */
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
    return { ...next, attempts: { failed: 2, total: count } };
  }
  return { ...first, kind: "warn", attempts: { failed: 1, total: attemptsOfFlaky } };
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
    return new NotJudged({ code: "product-gone", product: { retailer, productId } }).outcome();
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
    if (error instanceof NotJudged) return error.outcome();
    options.signal.throwIfAborted();
    return crashed(error);
  }
}

/** The result of a check, without keys, with its evidence, and with the waiver where it waived something. */
export function resultOf(
  check: Pick<Check, "id" | "requirement" | "title">,
  outcome: Outcome,
  seen: readonly Exchange[],
  { redaction, waivers = [] }: { readonly redaction: Redaction; readonly waivers?: readonly Waiver[] },
): CheckResult {
  const { level } = requirement(check.requirement);
  const shown = outcome.evidence.length > 0 ? outcome.evidence : seen.slice(-shownWhenPassed);
  const { attempts } = outcome;
  const findings = redactValue([...outcome.findings], redaction);
  const waiver = isWaivable(outcome.kind) ? waiverFor(check, waivers) : undefined;
  return {
    id: check.id,
    title: check.title,
    verdict: verdictOf(level, outcome.kind, waiver),
    reason: reasonOf(findings, outcome, redaction),
    findings,
    ...(attempts === undefined ? {} : { attempts }),
    evidence: shown.map((exchange) => evidenceOf(exchange, redaction)),
    ...(waiver === undefined ? {} : { waiver }),
  };
}

// Until every reader of the results takes the findings.
function reasonOf(findings: readonly Finding[], { kind, attempts }: Outcome, context: WordsContext): string {
  const rate = attempts === undefined ? [] : [`Failed in ${attempts.failed} of ${attempts.total} attempts.`];
  const texts = findings.flatMap((finding) => [
    findingText(finding, context),
    ...(kind === "inconclusive" ? [findingFix(finding, context) ?? ""] : []),
  ]);
  return [...texts, ...rate].join(" ");
}
