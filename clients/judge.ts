import type { Redaction } from "../conformance/client/redaction.ts";
import { requirementOf, requirements } from "../conformance/requirements/all.ts";
import { type Level, sectionOf, sections } from "../conformance/requirements/requirement.ts";
import { verdictOf, verdictOfAll } from "../conformance/requirements/verdict.ts";
import type { CheckResult, RequirementResult } from "../schemas/contracts/results.ts";
import type { TaskName } from "./contract/client-findings.ts";
import type { ClientFinding, ClientObservation, ClientRun } from "./observations/observation.ts";
import { observations } from "./observations/observations.ts";
import { progressOf } from "./observations/stops.ts";
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
  const attempted = run.tasks
    .map((task) => progressOf(task, run.exchanges))
    .flatMap(({ task, done }) => (done > 0 ? [task] : []));
  const inScope = Map.groupBy(observationsFor(names), ({ id }) => requirementOf(id));
  return requirements.flatMap(({ id, level, statement }) => {
    const own = inScope.get(id) ?? [];
    if (own.length === 0) return [];
    const checks = own.map((observation) =>
      checkOf(observation, { run, level, names, attempted, redaction }),
    );
    const verdict = verdictOfAll(checks.map((check) => check.verdict));
    return [{ id, section: sections[sectionOf(id)], level, statement, verdict, checks }];
  });
}

interface Judging {
  readonly run: ClientRun;
  readonly level: Level;
  /** The tasks that were set, and those of which a part was requested. */
  readonly names: readonly TaskName[];
  readonly attempted: readonly TaskName[];
  readonly redaction: Redaction;
}

function checkOf({ id, title, tasks, look }: ClientObservation, judging: Judging): CheckResult {
  const { run, level, names, attempted, redaction } = judging;
  const { chances, findings } = look(run);
  if (findings.length === 0 && chances === 0) {
    const own = tasks.filter((task) => names.includes(task));
    const code = own.some((task) => attempted.includes(task)) ? "not-met" : "not-attempted";
    const finding: ClientFinding = { code, details: { tasks: own } };
    return { id, title, verdict: "inconclusive", findings: [finding], evidence: [] };
  }
  return {
    id,
    title,
    verdict: verdictOf(level, findings.length === 0 ? "pass" : "fail"),
    findings: [...findings],
    evidence: evidenceFrom(findings, run, redaction),
  };
}
