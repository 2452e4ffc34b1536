import type { Kubectl } from "./kubectl.ts";
import type { ClusterState, KubernetesObject } from "./obstacles.ts";

const look = ["--output", "json", "--request-timeout=20s"] as const;

/** Jobs, pods and events of a run. What may not be read, or cannot be read now, is empty. */
export async function readState(kubectl: Kubectl, name: string): Promise<ClusterState> {
  const list = async (...args: string[]): Promise<readonly KubernetesObject[]> => {
    const answer = await kubectl.ask("get", ...args, ...look);
    return answer.ok ? (JSON.parse(answer.text) as { items: readonly KubernetesObject[] }).items : [];
  };
  const [jobs, pods, events] = await Promise.all([
    list("jobs", "--selector", `k6_cr=${name}`),
    list("pods", "--selector", `k6_cr=${name}`),
    list("events", "--sort-by=.lastTimestamp"),
  ]);
  const isOurs = ({ involvedObject }: KubernetesObject) => involvedObject?.name?.startsWith(name) === true;
  return { jobs, pods, events: events.filter(isOurs) };
}

/** The TestRun as the cluster has it. */
export interface TestRunStatus {
  readonly stage?: string;
}

export async function askStage(kubectl: Kubectl, name: string) {
  const answer = await kubectl.ask("get", "testruns.k6.io", name, ...look);
  if (!answer.ok) return answer;
  const { status } = JSON.parse(answer.text) as { status?: TestRunStatus };
  return { ok: true, stage: status?.stage } as const;
}
