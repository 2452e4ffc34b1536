import { evidenceOf } from "../../conformance/client/evidence.ts";
import type { Exchange } from "../../conformance/client/exchange.ts";
import type { Wait } from "../../conformance/client/http-client.ts";
import { redactionFor } from "../../conformance/client/redaction.ts";
import type { KeyVariables, Target } from "../../conformance/client/target.ts";
import type { ServiceJudgement } from "../../conformance/engine/judge-service.ts";
import { covers, namesOf } from "../../conformance/engine/select.ts";
import { rules } from "../../conformance/rules/all.ts";
import type { CheckResult, Finding, Problem, Results } from "../../schemas/types.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";
import { judgeTarget } from "../run/conformance.ts";
import { type NotSent, restoreRequest } from "./recorded-request.ts";

/** The results of some checks in an earlier run, and the name that they were asked for by. */
export interface RecordedChecks {
  readonly id: string;
  readonly checks: readonly [CheckResult, ...CheckResult[]];
}

/** What became of an earlier finding. */
export interface Replay {
  readonly id: string;
  /** `passed`: it passed then and passes now. */
  readonly verdict: "fixed" | "passed" | "still failing" | "not judged";
  readonly checks: readonly ReplayedCheck[];
  readonly requests: readonly ReplayedRequest[];
  /** Why the target could not be asked to the end. */
  readonly problem?: Problem;
}

export interface ReplayedCheck extends Pick<CheckResult, "id" | "title"> {
  readonly before: CheckResult["verdict"];
  readonly now: CheckResult["verdict"];
  readonly findings: readonly Finding[];
  /** Set where a rule passes now, but by no response to the requests of its evidence: that does not show that it is fixed. */
  readonly notExercised?: true;
}

/** A request of the evidence, then and now. */
export type ReplayedRequest = {
  readonly method: string;
  readonly url: string;
  /** Status of the response. */
  readonly before: number;
} & (
  | NotSent
  | { readonly notSent: "no response" }
  /** The curl line as it was sent now: a line to be copied into a shell is never taken from a file. */
  | { readonly now: number; readonly curl: string }
);

/** What a replay needs beside what was recorded. */
export interface ReplayOptions {
  readonly target: Target;
  /** Base address at which the evidence was recorded. */
  readonly recordedBase: string;
  /** The names that stood for the keys then. Default: the usual ones */
  readonly recordedVariables?: KeyVariables | undefined;
  readonly maxRequests: number;
  readonly signal: AbortSignal;
  readonly onWait?: (wait: Wait) => void;
}

/**
 * What a run found of a requirement, a check or a section: the checks that did not pass, or all when none.
 * @throws UsageError when the run did not judge it, naming the nearest.
 */
export function recordedChecks(results: Results, id: string): RecordedChecks {
  const all = results.requirements.flatMap((requirement) =>
    requirement.checks.map((check) => ({ check, id: check.id, requirement: requirement.id })),
  );
  const matching = all.filter((one) => covers(id, one)).map(({ check }) => check);
  const notPassed = matching.filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable");
  const [first, ...rest] = notPassed.length > 0 ? notPassed : matching;
  if (first !== undefined) return { id, checks: [first, ...rest] };
  throw new UsageError({
    what: "The run judged no requirement, check or section of this name",
    where: `replay ${id}`,
    fix:
      all.length === 0
        ? `It was a run of ${results.command} and judged none: name a run of conformance or gate.`
        : didYouMean(id, namesOf(all)),
  });
}

/**
 * Sends the requests of the evidence again, and runs the checks again: a failure in either is still there. A passive
 * rule is only fixed when a response to its evidence still exercises it.
 * @throws CannotRunError when the target does not answer or rejects the key.
 */
export async function replayChecks(recorded: RecordedChecks, options: ReplayOptions): Promise<Replay> {
  const { recordedBase, recordedVariables, ...bounds } = options;
  const { target } = bounds;
  const restored = recorded.checks
    .flatMap(({ evidence }) => evidence)
    .map((evidence) => ({
      evidence,
      request: restoreRequest(evidence, recordedBase, target, recordedVariables),
    }));
  const judgement = await judgeTarget({
    ...bounds,
    selection: { only: recorded.checks.map(({ id }) => id), skip: [] },
    first: restored.flatMap(({ request }) => ("notSent" in request ? [] : [request])),
  });
  const responses = [...judgement.first];
  const checks = recorded.checks.map((check) => replayedCheck(check, judgement));
  const requests = restored.map(({ evidence: { request, response }, request: sent }): ReplayedRequest => {
    const recordedRequest = { method: request.method, url: request.url, before: response.status };
    return { ...recordedRequest, ...("notSent" in sent ? sent : responseNow(responses.shift(), target)) };
  });
  const { gone } = judgement.traffic;
  return {
    id: recorded.id,
    verdict: verdictOf(checks),
    checks,
    requests,
    ...(gone === undefined ? {} : { problem: problemFrom(gone, target.baseUrl) }),
  };
}

function responseNow(exchange: Exchange | undefined, target: Target) {
  if (exchange === undefined) return { notSent: "no response" } as const;
  return { now: exchange.response.status, curl: evidenceOf(exchange, redactionFor(target)).curl };
}

function replayedCheck(
  { id, title, verdict: before }: CheckResult,
  judgement: ServiceJudgement,
): ReplayedCheck {
  const result = judgement.requirements.flatMap(({ checks }) => checks).find((check) => check.id === id);
  const { verdict: now = "inconclusive", findings = [] } = result ?? {};
  const isRule = rules.some((rule) => rule.id === id);
  const notExercised = isRule && now === "pass" && before !== "pass" && !judgement.concernedByFirst.has(id);
  return notExercised
    ? { id, title, before, now: "inconclusive", findings: [], notExercised }
    : { id, title, before, now, findings };
}

function verdictOf(checks: readonly ReplayedCheck[]): Replay["verdict"] {
  const isAny = (...verdicts: CheckResult["verdict"][]) => checks.some(({ now }) => verdicts.includes(now));
  if (isAny("fail", "warn")) return "still failing";
  if (isAny("inconclusive", "error")) return "not judged";
  return checks.some(({ before }) => before !== "pass" && before !== "notApplicable") ? "fixed" : "passed";
}
