import type { Target } from "../../conformance/client/target.ts";
import { sections } from "../../conformance/requirements/requirement.ts";
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
 * only the sections of the checks that are to go red are run; where that is not enough, as for a rule on answers that
 * another section provokes, the whole suite is.
 */
export async function proveThroughProxy(injections: readonly Injection[], proof: TargetProof): Promise<void> {
  const { target, maxRequests, signal, done } = proof;
  const before = await judgeInProcess(target, { only: [], skip: [], maxRequests, signal });
  const verdictBefore = new Map(before.checks.map(({ id, verdict }) => [id, verdict]));
  const isNews = ({ id, verdict }: CheckResult, { red }: Injection) =>
    red.includes(id) || verdict !== verdictBefore.get(id);

  async function attempt(injection: Injection, only: readonly string[]) {
    await using proxy = await startProxy(target, injection.start());
    const { checks, requests } = await judgeInProcess(
      { ...target, baseUrl: proxy.baseUrl },
      { only, skip: [], maxRequests, signal },
    );
    return {
      requests,
      ...judgeFault(
        injection,
        checks.filter((check) => isNews(check, injection)),
      ),
    };
  }

  for (const injection of injections) {
    const started = performance.now();
    const frame = { kind: "injection", name: injection.fault, seed: 0 } as const;
    const selected = { ...frame, scope: "selected checks" } as const;
    const took = () => Math.round(performance.now() - started);
    const unjudged = injection.red.filter((id) => verdictBefore.get(id) !== "pass");
    if (unjudged.length > 0) {
      const findings = unjudged.map(
        (id) => `${id} is ${verdictBefore.get(id) ?? "not known"} without the fault, so it can prove nothing`,
      );
      done({ ...selected, verdict: "unproven", red: [], findings, requests: 0, milliseconds: 0 });
      continue;
    }
    const only = [...new Set(injection.red.map((id) => sectionKeyOf(id)))];
    try {
      const narrow = await attempt(injection, only);
      if (narrow.verdict !== "missed") {
        done({ ...selected, ...narrow, milliseconds: took() });
        continue;
      }
      const wide = await attempt(injection, []);
      const requests = narrow.requests + wide.requests;
      done({ ...frame, scope: "whole suite", ...wide, requests, milliseconds: took() });
    } catch (error) {
      signal.throwIfAborted();
      done({ ...selected, ...brokeOn(error), requests: 0, milliseconds: took() });
    }
  }
}

function sectionKeyOf(id: string): string {
  const [key = ""] = requirementOf(id).split(".");
  return key in sections ? key : id;
}
