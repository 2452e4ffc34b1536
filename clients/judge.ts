import type { Redaction } from "../conformance/client/redaction.ts";
import { requirementOf, requirements } from "../conformance/requirements/all.ts";
import { type Level, sectionOf, sections } from "../conformance/requirements/requirement.ts";
import { verdictOf, verdictOfAll } from "../conformance/requirements/verdict.ts";
import type { CheckResult, RequirementResult } from "../schemas/contracts/results.ts";
import type { TaskName } from "./contract/tasks.ts";
import type { ClientFinding, ClientObservation, ClientRun } from "./observations/observation.ts";
import { observations } from "./observations/observations.ts";
import { progressOf, type TaskProgress } from "./observations/progress.ts";
import { evidenceFrom } from "./shown-requests.ts";

/** The requirements on clients that these tasks can judge, and the number of all. */
export function scopeOf(tasks: readonly TaskName[]): { readonly requirements: number; readonly of: number } {
  const count = (of: readonly ClientObservation[]) => new Set(of.map(({ id }) => requirementOf(id))).size;
  return { requirements: count(observationsFor(tasks)), of: count(observations) };
}

function observationsFor(tasks: readonly TaskName[]): ClientObservation[] {
  return observations.filter((one) => one.tasks.some((task) => tasks.includes(task)));
}

/** The verdict of each requirement on clients that the tasks of a run can judge, in the order of the spec. */
export function judgeClient(run: ClientRun, redaction: Redaction): RequirementResult[] {
  const progress = run.tasks.map((task) => progressOf(task, run.exchanges));
  const inScope = observationsFor(run.tasks.map((task) => task.do));
  const checkOf = ({ id, title, tasks, look }: ClientObservation, level: Level): CheckResult => {
    const { chances, finding, reason } = look(run);
    if (finding !== undefined) {
      const evidence = evidenceFrom(finding, run, redaction);
      return { id, title, verdict: verdictOf(level, "fail"), findings: [finding], evidence };
    }
    if (chances > 0) return { id, title, verdict: "pass", findings: [], evidence: [] };
    const why = reason ?? notMet(progress.filter(({ task }) => tasks.includes(task)));
    return { id, title, verdict: "inconclusive", findings: [why], evidence: [] };
  };
  return requirements.flatMap(({ id, level, statement }) => {
    const own = inScope.filter((observation) => requirementOf(observation.id) === id);
    if (own.length === 0) return [];
    const checks = own.map((observation) => checkOf(observation, level));
    const verdict = verdictOfAll(checks.map((check) => check.verdict));
    return [{ id, section: sections[sectionOf(id)], level, statement, verdict, checks }];
  });
}

function notMet(own: readonly TaskProgress[]): ClientFinding {
  if (own.every(({ done }) => done === 0))
    return { code: "not-attempted", details: { tasks: own.map(({ task }) => task) } };
  const unfinished = own.filter(({ done, of }) => done > 0 && done < of).map(({ task }) => task);
  return { code: "not-met", details: { unfinished } };
}
