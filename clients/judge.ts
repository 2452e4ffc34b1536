import type { Redaction } from "../conformance/client/redaction.ts";
import { requirementOf, requirements } from "../conformance/requirements/all.ts";
import { type Level, sectionOf, sections } from "../conformance/requirements/requirement.ts";
import { verdictOf, verdictOfAll } from "../conformance/requirements/verdict.ts";
import type { CheckResult, RequirementResult } from "../schemas/contracts/results.ts";
import type { TaskProgress } from "./contract/tasks.ts";
import type { ClientFinding, ClientObservation, ClientRun } from "./observations/observation.ts";
import { observations } from "./observations/observations.ts";
import { progressOf } from "./observations/progress.ts";
import { evidenceFrom } from "./shown-requests.ts";

/** The verdict of each requirement that the tasks of a run can judge, and the number of all on clients. */
export function judgeClient(run: ClientRun, redaction: Redaction) {
  const progress = progressOf(run);
  const checkOf = ({ id, title, tasks, look }: ClientObservation, level: Level): CheckResult => {
    const { chances, finding, reason } = look(run);
    const outcome = chances > 0 ? "pass" : "inconclusive";
    const verdict = finding === undefined ? outcome : verdictOf(level, "fail");
    const why = finding ?? reason ?? notMet(progress.filter((task) => tasks.includes(task.do)));
    const evidence = finding === undefined ? [] : evidenceFrom(finding, run, redaction);
    return { id, title, verdict, findings: verdict === "pass" ? [] : [why], evidence };
  };
  const isSet = (one: ClientObservation) => run.tasks.some((task) => one.tasks.includes(task.do));
  const inScope = Map.groupBy(observations.filter(isSet), ({ id }) => requirementOf(id));
  const judged = requirements.flatMap(({ id, level, statement }): RequirementResult[] => {
    const checks = inScope.get(id)?.map((observation) => checkOf(observation, level));
    if (checks === undefined) return [];
    const verdict = verdictOfAll(checks.map((check) => check.verdict));
    return [{ id, section: sections[sectionOf(id)], level, statement, verdict, checks }];
  });
  return { requirements: judged, of: new Set(observations.map(({ id }) => requirementOf(id))).size };
}

function notMet(own: readonly TaskProgress[]): ClientFinding {
  const namesOf = (tasks: readonly TaskProgress[]) => tasks.map((task) => task.do);
  if (own.every(({ done }) => done === 0)) return { code: "not-attempted", details: { tasks: namesOf(own) } };
  const unfinished = namesOf(own.filter(({ done, of }) => done > 0 && done < of));
  return { code: "not-met", details: { unfinished } };
}
