import { evidenceOf } from "../../conformance/client/evidence.ts";
import type { Exchange } from "../../conformance/client/exchange.ts";
import { type Redaction, redactionFor } from "../../conformance/client/redaction.ts";
import type { KeyVariables, Target } from "../../conformance/client/target.ts";
import type { Judgement } from "../../conformance/engine/judge-service.ts";
import { rules } from "../../conformance/rules/all.ts";
import type { CheckResult, Evidence } from "../../schemas/types.ts";
import { judgeTarget } from "../run/conformance.ts";
import { requestAgain } from "./request-again.ts";
import type { Said } from "./said.ts";

/** What became of an earlier finding. */
export interface Replay {
  readonly id: string;
  /** `holds`: nothing was wrong then, and nothing is now. */
  readonly verdict: "fixed" | "holds" | "still failing" | "could not tell";
  readonly checks: readonly ReplayedCheck[];
  readonly requests: readonly ReplayedRequest[];
}

export interface ReplayedCheck extends Pick<CheckResult, "id" | "title" | "reason"> {
  readonly before: CheckResult["verdict"];
  readonly now: CheckResult["verdict"];
}

/** A request of the evidence, then and now; without an answer it says why there is none. */
export interface ReplayedRequest {
  readonly method: string;
  readonly url: string;
  /** As it was sent now: a line to be copied into a shell is never taken from a file. */
  readonly curl?: string;
  readonly before: number;
  readonly now?: number;
  readonly reason?: string;
}

/** What a replay needs beside what was said. */
export interface ReplayOptions {
  readonly target: Target;
  /** Base address at which the evidence was recorded. */
  readonly recordedBase: string;
  /** The names that stood for the keys then. Default: the usual ones */
  readonly recordedVariables?: KeyVariables | undefined;
  readonly maxRequests: number;
  readonly signal: AbortSignal;
}

/**
 * Asks the requests of the evidence again, and runs the checks again: what shows in either is still failing. A
 * passive rule is only fixed when an answer to its evidence still concerns it.
 * @throws CannotRunError when the target does not answer or refuses the key.
 */
export async function replayFinding(said: Said, options: ReplayOptions): Promise<Replay> {
  const { target, recordedBase, recordedVariables, maxRequests, signal } = options;
  const recorded = said.checks.flatMap(({ evidence }) => evidence);
  const agains = recorded.map((evidence) => requestAgain(evidence, recordedBase, target, recordedVariables));
  const requests = agains.flatMap((again) => (again.kind === "request" ? [again.request] : []));
  const only = said.checks.map(({ id }) => id);
  const run = await judgeTarget({
    target,
    selection: { only, skip: [] },
    first: requests,
    maxRequests,
    signal,
  });
  const answers = [...run.first];
  const redaction = redactionFor(target);
  const replayed = recorded.map((evidence, index): ReplayedRequest => {
    const again = agains[index];
    if (again?.kind !== "request") return compared(evidence, again?.reason ?? "", redaction);
    return compared(evidence, answers.shift(), redaction);
  });
  const checks = said.checks.map((before) => replayedCheck(before, run));
  return { id: said.id, verdict: verdictOf(checks), checks, requests: replayed };
}

function compared(
  { request, response }: Evidence,
  now: Exchange | string | undefined,
  redaction: Redaction,
): ReplayedRequest {
  const { method, url } = request;
  const frame = { method, url, before: response.status };
  if (typeof now === "string") return { ...frame, reason: now };
  if (now === undefined) return { ...frame, reason: "no answer came that can be judged" };
  return { ...frame, curl: evidenceOf(now, redaction).curl, now: now.response.status };
}

function replayedCheck({ id, title, verdict: before }: CheckResult, run: Judgement): ReplayedCheck {
  const now = run.requirements.flatMap(({ checks }) => checks).find((check) => check.id === id);
  const result = {
    id,
    title,
    before,
    now: now?.verdict ?? "inconclusive",
    reason: now?.reason ?? "did not run",
  };
  const isRule = rules.some((rule) => rule.id === id);
  if (!isRule || result.now !== "pass" || before === "pass" || run.concernedByFirst.has(id)) return result;
  return {
    ...result,
    now: "inconclusive",
    reason: "the requests that showed it get no such answer any more: run conformance again",
  };
}

function verdictOf(checks: readonly ReplayedCheck[]): Replay["verdict"] {
  const bad = (verdict: CheckResult["verdict"]) => verdict === "fail" || verdict === "warn";
  if (checks.some(({ now }) => bad(now))) return "still failing";
  if (checks.some(({ now }) => now === "inconclusive" || now === "error")) return "could not tell";
  return checks.some(({ before }) => before !== "pass" && before !== "notApplicable") ? "fixed" : "holds";
}
