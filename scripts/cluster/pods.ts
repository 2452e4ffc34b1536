import { plannedVirtualUsers } from "../../scenarios/lib/options.ts";
import { requestRate } from "../../scenarios/lib/schedule.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import type { Profile } from "../../schemas/types.ts";
import { type LoadOverrides, overrideProfile } from "../load/plan.ts";
import { collectorVariables } from "../load/supervision.ts";

/** What generating load costs. */
export interface GeneratorCost {
  /** Microseconds of CPU of one request that is sent and fully checked. */
  readonly cpuMicroseconds: number;
  /** Where the figure comes from, for people. */
  readonly source: string;
}

/** Measured on 2 cores with `npm run bench -- load cpu`, for use where no machine was calibrated. */
const usualCost: GeneratorCost = {
  cpuMicroseconds: 200,
  source: "no calibration of this machine: 200 us a request is assumed",
};

/** Share of its CPU that a generator may use: above it, requests are sent late. */
const usableShare = 0.6;
/** k6 with a script takes 80 MiB, a virtual user 0.5 MiB; the rest is room for large bodies. */
const baseMebibytes = 256;
const userMebibytes = 1;
/** The limit is a multiple of what a pod requests. */
const limitFactor = 2;
const leastMillicores = 250;

/** The part of a load run that decides how large its pods are. */
export interface PodLoad {
  readonly scenario: ScenarioId;
  readonly profile: Profile;
  readonly overrides?: LoadOverrides | undefined;
  /** Pods that share the run. */
  readonly parallelism: number;
  readonly cost?: GeneratorCost | undefined;
}

/** What each pod sends and needs. */
export interface PodSize {
  /** Requests a second at the peak. */
  readonly rate: number;
  readonly virtualUsers: number;
  readonly millicores: number;
  readonly mebibytes: number;
}

/** The size of one pod of a run. */
function podSize({ scenario, profile, overrides, parallelism, cost = usualCost }: PodLoad): PodSize {
  const planned = overrideProfile(profile, scenario, overrides);
  const rate = requestRate(planned, scenario) / parallelism;
  const virtualUsers = Math.ceil(plannedVirtualUsers(scenario, planned) / parallelism);
  const busy = (rate * cost.cpuMicroseconds) / 1_000_000 / usableShare;
  return {
    rate,
    virtualUsers,
    millicores: Math.max(leastMillicores, Math.ceil(busy * 10) * 100),
    mebibytes: baseMebibytes + virtualUsers * userMebibytes,
  };
}

/** The same as Kubernetes takes it. Memory is limited, CPU is not: a throttled generator sends late. */
export function podResources(load: PodLoad): object {
  const { millicores, mebibytes } = podSize(load);
  return {
    requests: { cpu: `${millicores}m`, memory: `${mebibytes}Mi` },
    limits: { memory: `${mebibytes * limitFactor}Mi` },
  };
}

/** Environment variables that set the garbage collector in each pod. */
export function podCollector(load: PodLoad): Readonly<Record<string, string>> {
  const { virtualUsers, mebibytes } = podSize(load);
  return collectorVariables({ virtualUsers, memoryBytes: mebibytes * limitFactor * 2 ** 20 });
}

/** How many pods of which size a run needs, and what the target's limit accepts of it. */
export interface PodPlan extends PodSize {
  readonly pods: number;
  /** Requests a second of all pods at the peak. */
  readonly peak: number;
  readonly source: string;
  /** Requests a second that the target accepts; undefined if it is not known. */
  readonly acceptedRate: number | undefined;
}

/** Plans the pods of a run that may use so much CPU each. */
export function planPods(
  load: Omit<PodLoad, "parallelism">,
  { podCores, acceptedRate }: { podCores: number; acceptedRate: number | undefined },
): PodPlan {
  const { scenario, cost = usualCost } = load;
  const planned = overrideProfile(load.profile, scenario, load.overrides);
  const peak = requestRate(planned, scenario);
  const perPod = (podCores * usableShare * 1_000_000) / cost.cpuMicroseconds;
  const pods = Math.max(1, Math.ceil(peak / perPod));
  return { pods, peak, source: cost.source, acceptedRate, ...podSize({ ...load, parallelism: pods }) };
}

/** The plan for a person. */
export function renderPodPlan({
  pods,
  peak,
  rate,
  virtualUsers,
  millicores,
  mebibytes,
  source,
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
    `CPU of a request: ${source}`,
    accepted,
    "",
  ].join("\n");
}
