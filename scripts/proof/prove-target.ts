import { sections } from "../../conformance/requirements/requirement.ts";
import type { Target } from "../../conformance/target.ts";
import type { CheckResult } from "../../schemas/types.ts";
import { requirementOf } from "./expectation.ts";
import type { Injection } from "./injection.ts";
import { startProxy } from "./proxy.ts";
import { judgeInProcess } from "./suite-in-process.ts";
import { judgeFault, type Trial } from "./trial.ts";
import { brokeOn } from "./try-variant.ts";

/** What a proof on a target other than the reference service needs. */
export interface TargetProof {
  readonly target: Target;
  readonly maxRequests: number;
  readonly signal: AbortSignal;
  readonly done: (trial: Trial) => void;
}

/**
 * Puts one injection after the other between the suite and a target. What is red without any is the target's own
 * and not held against an injection; what was not judgeable without cannot prove anything. To spare the target,
 * only the sections of the checks that are to go red are run.
 */
export async function proveThroughProxy(injections: readonly Injection[], proof: TargetProof): Promise<void> {
  const { target, maxRequests, signal, done } = proof;
  const before = await judgeInProcess(target, { only: [], skip: [], maxRequests, signal });
  const verdictBefore = new Map(before.checks.map(({ id, verdict }) => [id, verdict]));
  const fresh = ({ id, verdict }: CheckResult) => verdict !== verdictBefore.get(id);
  for (const injection of injections) {
    const started = performance.now();
    const frame = { kind: "injection", name: injection.fault, seed: 0, scope: "selected checks" } as const;
    const unjudged = injection.red.filter((id) => verdictBefore.get(id) !== "pass");
    if (unjudged.length > 0) {
      const findings = unjudged.map(
        (id) => `${id} is ${verdictBefore.get(id) ?? "not known"} without the fault, so it can prove nothing`,
      );
      done({ ...frame, verdict: "unproven", red: [], findings, requests: 0, milliseconds: 0 });
      continue;
    }
    const only = [...new Set(injection.red.map((id) => sectionKeyOf(id)))];
    try {
      await using proxy = await startProxy(target, injection.start());
      const { checks, requests } = await judgeInProcess(
        { ...target, baseUrl: proxy.baseUrl },
        { only, skip: [], maxRequests, signal },
      );
      const judgement = judgeFault(injection, checks.filter(fresh));
      done({ ...frame, ...judgement, requests, milliseconds: Math.round(performance.now() - started) });
    } catch (error) {
      signal.throwIfAborted();
      done({
        ...frame,
        ...brokeOn(error),
        requests: 0,
        milliseconds: Math.round(performance.now() - started),
      });
    }
  }
}

function sectionKeyOf(id: string): string {
  const [key = ""] = requirementOf(id).split(".");
  return key in sections ? key : id;
}
