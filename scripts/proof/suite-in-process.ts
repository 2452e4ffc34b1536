import type { Exchange } from "../../conformance/client/exchange.ts";
import type { Request } from "../../conformance/client/requests.ts";
import type { Target } from "../../conformance/client/target.ts";
import type { Check } from "../../conformance/engine/check.ts";
import { NotJudged } from "../../conformance/engine/outcome.ts";
import type { CheckReport, Provided } from "../../conformance/engine/provided.ts";
import { outcomeOf, reportOf } from "../../conformance/engine/run-check.ts";
import { openSession, type Session } from "../../conformance/engine/session.ts";
import { rules } from "../../conformance/rules/all.ts";
import { factsOf } from "../../conformance/rules/facts.ts";
import { judgeAll } from "../../conformance/rules/judge-all.ts";
import type { RuleFacts } from "../../conformance/rules/rule.ts";
import { listChecks, suiteSections } from "../../conformance/suite/all.ts";
import type { CheckResult } from "../../schemas/types.ts";
import { requirementResults } from "../run/requirement-results.ts";
import { discoverThrough } from "../run/run-conformance.ts";
import { type Selection, selectChecks } from "../run/select.ts";

/** As many checks of a section at once as vitest runs. */
const atOnce = 5;

/** What bounds a run of the suite. */
export interface Bounds extends Selection {
  /** Requests to ask before the checks: the passive rules look at their answers too. */
  readonly first?: readonly Request[];
  readonly maxRequests: number;
  readonly signal: AbortSignal;
}

/** What a run found out. */
export interface InProcessRun {
  /** Every selected check, whether it was reached or not. */
  readonly checks: readonly CheckResult[];
  readonly requests: number;
  /** Answers to the requests that were to be asked first, in their order; undefined where none came. */
  readonly first: readonly (Exchange | undefined)[];
  /** What the passive rules know. */
  readonly facts: RuleFacts;
}

/**
 * The suite on a target without vitest's start, which takes longer than the checks: the same discovery, checks,
 * rules, attempts and verdicts, a section after the other and the passive rules last.
 * @throws CannotRunError when discovery cannot begin, as runConformance; UsageError as selectChecks.
 */
export async function judgeInProcess(target: Target, bounds: Bounds): Promise<InProcessRun> {
  const { maxRequests, signal } = bounds;
  const selected = selectChecks(listChecks(), bounds);
  const ids = new Set(selected.map(({ id }) => id));
  const { discovery, http } = await discoverThrough({ target, maxRequests, signal });
  const provided: Provided = { target, maxRequests, discovery, http, selected: [...ids] };
  const session = openSession(provided);
  try {
    const first = await askAll(bounds.first ?? [], session, signal);
    const reports: CheckReport[] = [];
    for (const { key, checks } of suiteSections) {
      const chosen = checks.filter(({ id }) => ids.has(id));
      for (const report of await runSection(chosen, session, signal)) reports.push({ ...report, file: key });
    }
    const { exchanges } = session.http;
    const facts = factsOf(exchanges, discovery.dialect);
    for (const rule of rules.filter(({ id }) => ids.has(id))) {
      const report = reportOf(rule, judgeAll(rule, exchanges, facts), [], session);
      reports.push({ ...report, file: "every answer" });
    }
    const results = requirementResults(selected, reports);
    const requests = session.http.state().sent;
    return { checks: results.flatMap(({ checks }) => checks), requests, first, facts };
  } finally {
    await session.close();
  }
}

async function askAll(
  requests: readonly Request[],
  session: Session,
  signal: AbortSignal,
): Promise<(Exchange | undefined)[]> {
  const { ask } = session.context([], { fresh: false, signal });
  const answers: (Exchange | undefined)[] = [];
  for (const request of requests) answers.push(await ask(request).catch(unlessNotJudged));
  return answers;
}

function unlessNotJudged(error: unknown): undefined {
  if (!(error instanceof NotJudged)) throw error;
}

async function runSection(
  checks: readonly Check[],
  session: Session,
  signal: AbortSignal,
): Promise<Omit<CheckReport, "file">[]> {
  const waiting = [...checks];
  const reports: Omit<CheckReport, "file">[] = [];
  async function work(): Promise<void> {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      signal.throwIfAborted();
      const seen: Exchange[] = [];
      reports.push(reportOf(check, await outcomeOf(check, session, signal, seen), seen, session));
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return reports;
}
