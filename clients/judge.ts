import type { Redaction } from "../conformance/client/redaction.ts";
import { requirementOf, requirements } from "../conformance/requirements/all.ts";
import { type Level, sectionOf, sections } from "../conformance/requirements/requirement.ts";
import { verdictOf, verdictOfAll } from "../conformance/requirements/verdict.ts";
import type { CheckResult, RequirementResult } from "../schemas/contracts/results.ts";
import type { TaskName } from "./contract/client-findings.ts";
import type { ClientFinding, ClientObservation, ClientRun } from "./observations/observation.ts";
import { observations } from "./observations/observations.ts";
import { progressOf, type TaskProgress } from "./observations/stops.ts";
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
  const names = run.tasks.map((task) => task.do);
  const progress = run.tasks.map((task) => progressOf(task, run.exchanges));
  const inScope = Map.groupBy(observationsFor(names), ({ id }) => requirementOf(id));
  return requirements.flatMap(({ id, level, statement }) => {
    const own = inScope.get(id) ?? [];
    if (own.length === 0) return [];
    const checks = own.map((observation) => checkOf(observation, { run, level, progress, redaction }));
    const verdict = verdictOfAll(checks.map((check) => check.verdict));
    return [{ id, section: sections[sectionOf(id)], level, statement, verdict, checks }];
  });
}

interface Judging {
  readonly run: ClientRun;
  readonly level: Level;
  readonly progress: readonly TaskProgress[];
  readonly redaction: Redaction;
}

function checkOf({ id, title, tasks, look }: ClientObservation, judging: Judging): CheckResult {
  const { run, level, progress, redaction } = judging;
  const {
    chances,
    findings,
    reason = notMet(progress.filter(({ task }) => tasks.includes(task))),
  } = look(run);
  if (findings.length === 0 && chances === 0)
    return { id, title, verdict: "inconclusive", findings: [reason], evidence: [] };
  return {
    id,
    title,
    verdict: verdictOf(level, findings.length === 0 ? "pass" : "fail"),
    findings: [...findings],
    evidence: evidenceFrom(findings, run, redaction),
  };
}

function notMet(own: readonly TaskProgress[]): ClientFinding {
  const attempted = own.filter(({ done }) => done > 0);
  if (attempted.length === 0)
    return { code: "not-attempted", details: { tasks: own.map(({ task }) => task) } };
  const unfinished = attempted.filter(({ done, of }) => done < of).map(({ task }) => task);
  return { code: "not-met", details: { tasks: unfinished } };
}
