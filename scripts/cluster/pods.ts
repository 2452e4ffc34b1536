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

/** Memory of all virtual users of a run, with the responses that they hold. */
function userMebibytesOf({ scenario, profile }: Pick<LoadPlan, "scenario" | "profile">): number {
  const users = plannedVirtualUsers(scenario, profile);
  return users * userMebibytes + responsesHeld(scenario, profile) * responseMebibytes;
}

/** The memory limit of a pod is this multiple of the memory that it requests. */
const limitFactor = 2;
const leastMillicores = 250;

/** The load of each pod, and the resources that it needs. */
export interface PodSize {
  /** Requests per second of one pod at the peak. */
  readonly rate: number;
  readonly virtualUsers: number;
  /** Responses that they may hold at the same time. */
  readonly responses: number;
  readonly millicores: number;
  readonly mebibytes: number;
}

/** The size of each pod of a run. */
export function podSize({ scenario, profile, shards }: LoadPlan): PodSize {
  const rate = requestRate(profile, scenario) / shards;
  const virtualUsers = Math.ceil(plannedVirtualUsers(scenario, profile) / shards);
  const responses = Math.ceil(responsesHeld(scenario, profile) / shards);
  const busy = (rate * requestMicroseconds) / 1_000_000 / usableShare;
  return {
    rate,
    virtualUsers,
    responses,
    millicores: Math.max(leastMillicores, Math.ceil(busy * 10) * 100),
    mebibytes: baseMebibytes + Math.ceil(userMebibytesOf({ scenario, profile }) / shards),
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

/** Number and size of the pods of a run, and the share of its requests that the target accepts. */
export interface PodPlan extends PodSize {
  readonly pods: number;
  /** Requests per second of all pods at the peak. */
  readonly peak: number;
  readonly requestMicroseconds: number;
  /** Requests per second that the target accepts; undefined if unknown. */
  readonly acceptedRate: number | undefined;
}

/** Memory for each core of a pod, as common machines of clusters have it, so that a node has room for the pod. */
const mebibytesPerCore = 4096;

/** Plans the pods that a load needs, whatever its number of shards. @param podCores CPU cores that each pod may use. */
export function planPods(
  plan: LoadPlan,
  { podCores, acceptedRate }: { podCores: number; acceptedRate: number | undefined },
): PodPlan {
  const peak = requestRate(plan.profile, plan.scenario);
  const perPod = (podCores * usableShare * 1_000_000) / requestMicroseconds;
  const roomPerPod = Math.max(1, podCores * mebibytesPerCore - baseMebibytes);
  const pods = Math.max(1, Math.ceil(peak / perPod), Math.ceil(userMebibytesOf(plan) / roomPerPod));
  return { pods, peak, requestMicroseconds, acceptedRate, ...podSize({ ...plan, shards: pods }) };
}

/** The plan as text for the console. */
export function renderPodPlan({
  pods,
  peak,
  rate,
  virtualUsers,
  millicores,
  mebibytes,
  acceptedRate,
}: PodPlan): string {
  const shown = (value: number) => Number(value.toPrecision(3)).toLocaleString("en");
  const size = `${millicores / 1000} CPU and ${mebibytes} MiB each`;
  const accepted =
    acceptedRate === undefined
      ? "The rate limit of the target is not known: load --scenario rate-limit --profile probe finds it."
      : acceptedRate >= peak
        ? `The target accepts ${shown(acceptedRate)}/s: all of it.`
        : `The target accepts ${shown(acceptedRate)}/s of the ${shown(peak)}/s: the rest is refused with 429.`;
  return [
    `${pods} ${pods === 1 ? "pod" : "pods"} with ${size} for ${shown(peak)}/s at the peak`,
    `each sends ${shown(rate)}/s with ${virtualUsers} virtual users`,
    `a checked request is assumed to take ${requestMicroseconds} µs of CPU`,
    accepted,
    "",
  ].join("\n");
}
