import { plannedVirtualUsers, responsesHeld } from "../../scenarios/lib/options.ts";
import { requestRate } from "../../scenarios/lib/schedule.ts";
import type { LoadPlan } from "../load/plan.ts";
import { collectorVariables } from "../load/supervision.ts";

/** CPU of one request that is sent and fully checked, with few virtual users: `npm run bench -- load cpu`. */
const requestMicroseconds = 200;

/** The share of its CPU that a generator may use. With more, requests are sent late. */
const usableShare = 0.6;
/** k6 with a script uses 80 MiB, a virtual user 0.5 MiB; the rest is for large bodies. */
const baseMebibytes = 256;
const userMebibytes = 0.5;
const responseMebibytes = 0.5;

/** The memory limit of a pod is this multiple of the memory that it requests. */
const limitFactor = 2;
const leastMillicores = 250;

/** What each pod of a run needs, and the responses that it may hold at the same time. */
function podSize({ scenario, profile, shards }: LoadPlan) {
  const rate = requestRate(profile, scenario) / shards;
  const held = responsesHeld(scenario, profile);
  const users = plannedVirtualUsers(scenario, profile) * userMebibytes + held * responseMebibytes;
  const busy = (rate * requestMicroseconds) / 1_000_000 / usableShare;
  return {
    responses: Math.ceil(held / shards),
    millicores: Math.max(leastMillicores, Math.ceil(busy * 10) * 100),
    mebibytes: baseMebibytes + Math.ceil(users / shards),
  };
}

/**
 * Resources of a pod for its manifest. Only memory is limited: a throttled generator would send late. A quota may demand a
 * limit of CPU as well: then the pod requests as much as it may use.
 */
export function podResources(plan: LoadPlan, podCores?: number): object {
  const { millicores, mebibytes } = podSize(plan);
  const cpu = podCores === undefined ? `${millicores}m` : `${Math.round(podCores * 1000)}m`;
  return {
    requests: { cpu, memory: `${mebibytes}Mi` },
    limits: { memory: `${mebibytes * limitFactor}Mi`, ...(podCores === undefined ? {} : { cpu }) },
  };
}

/** Environment variables that set the garbage collector in each pod. */
export function podCollector(plan: LoadPlan): Readonly<Record<string, string>> {
  const { responses, mebibytes } = podSize(plan);
  return collectorVariables({ responses, memoryBytes: mebibytes * limitFactor * 2 ** 20 });
}
