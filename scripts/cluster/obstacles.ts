/** A list of objects as `kubectl get --output json` prints it, with the fields that are read here. */
export interface ClusterState {
  readonly jobs: readonly KubernetesObject[];
  readonly pods: readonly KubernetesObject[];
  readonly events: readonly KubernetesObject[];
}

export interface KubernetesObject {
  readonly metadata?: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly containers?: readonly ContainerSpec[] };
  readonly status?: {
    readonly active?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly ObjectCondition[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
  /** Of an event. */
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

interface ContainerSpec {
  readonly name?: string;
  readonly resources?: { readonly limits?: { readonly cpu?: string | number } };
}

interface ObjectCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerStatus {
  readonly image?: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly exitCode?: number; readonly reason?: string; readonly message?: string };
  };
}

/** Why the pods of a run do not come to run: what that is, and what to do. */
const obstacleTexts = {
  unnoticed: {
    what: "The k6-operator does not notice the TestRun",
    fix: "Check that it runs, and that it watches this namespace (WATCH_NAMESPACE): kubectl get deployments --all-namespaces --selector app.kubernetes.io/name=k6-operator.",
  },
  quota: {
    what: "A quota of the namespace refuses pods of the run",
    fix: "Use fewer pods (--shards), have the quota raised, or give the limits of CPU that it demands (--pod-cpu).",
  },
  "pod-security": {
    what: "The namespace refuses pods of the run because of its Pod Security level",
    fix: "Remove security settings from --patch, or use another namespace (--namespace).",
  },
  refused: {
    what: "The cluster refuses pods of the run",
    fix: "Change the pods with --patch, or use another namespace (--namespace).",
  },
  image: {
    what: "An image cannot be pulled",
    fix: "Name an image that the nodes can pull, with --patch (spec.runner.image, spec.starter.image).",
  },
  "container-config": {
    what: "A container cannot start",
    fix: "Check the secret and its entries, and the settings in --patch.",
  },
  unschedulable: {
    what: "No node has room for a pod of the run",
    fix: "Use smaller pods (more --shards, or --pod-cpu), or add nodes; check nodeSelector in --patch.",
  },
  "helper-failed": {
    what: "A pod of the operator failed",
    fix: "See cluster-state.json and initializer.log in the run's folder.",
  },
  "runner-failed": { what: "A pod ended before the load began", fix: "See runners.log in the run's folder." },
} as const satisfies Readonly<Record<string, { readonly what: string; readonly fix: string }>>;

export interface Obstacle {
  readonly kind: keyof typeof obstacleTexts;
  /** The TestRun, Job or pod that shows it. */
  readonly subject: string;
  /** What Kubernetes says of it. Default: nothing */
  readonly message?: string;
  /** Whether the cluster is removing it: nodes are being added. Default: false */
  readonly passing?: boolean;
}

/** What an obstacle is, as a sentence without its end, and what to do. */
export function obstacleText({ kind, subject, message = "" }: Obstacle): { what: string; fix: string } {
  const { what, fix } = obstacleTexts[kind];
  const said = message.trim().replace(/\.$/, "");
  return { what: `${what} (${subject})${said && `: ${said}`}`, fix };
}

/**
 * The first thing that keeps pods of a run from running; undefined while nothing does.
 *
 * @param isSending Whether the load has begun. A pod that ends before waits for nothing.
 */
export function obstacleIn(state: ClusterState, isSending: boolean): Obstacle | undefined {
  for (const pod of state.pods) {
    const found = ofPod(pod, state, isSending);
    if (found !== undefined) return found;
  }
  for (const job of state.jobs) {
    const found = ofJob(job, state);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Waiting states of a container that do not end by themselves. */
const waiting: Readonly<Record<string, Obstacle["kind"]>> = {
  ImagePullBackOff: "image",
  ErrImagePull: "image",
  ErrImageNeverPull: "image",
  InvalidImageName: "image",
  ImageInspectError: "image",
  CreateContainerConfigError: "container-config",
  CreateContainerError: "container-config",
  RunContainerError: "container-config",
  CrashLoopBackOff: "container-config",
};

function ofPod(pod: KubernetesObject, { events }: ClusterState, isSending: boolean): Obstacle | undefined {
  const subject = nameOf(pod);
  for (const { image, state } of pod.status?.containerStatuses ?? []) {
    const { reason = "", message = "" } = state?.waiting ?? {};
    const kind = waiting[reason];
    if (kind === "image") {
      const said = lastEvent(events, subject, ["Failed"]) ?? message;
      return { kind, subject, message: `${image}: ${said || reason}` };
    }
    if (kind !== undefined) return { kind, subject, message: message || reason };
    const { exitCode = 0, reason: ended = "" } = state?.terminated ?? {};
    const kindOfEnd = isRunner(pod) ? "runner-failed" : "helper-failed";
    if (exitCode !== 0 && !(isRunner(pod) && isSending)) {
      return { kind: kindOfEnd, subject, message: `${ended}, exit code ${exitCode}` };
    }
  }
  const unscheduled = pod.status?.conditions?.find(
    ({ type, status, reason }) => type === "PodScheduled" && status === "False" && reason === "Unschedulable",
  );
  if (unscheduled === undefined) return undefined;
  // Of the autoscalers of clusters.
  const passing = lastEvent(events, subject, ["TriggeredScaleUp", "Nominated"]) !== undefined;
  return { kind: "unschedulable", subject, message: unscheduled.message ?? "Unschedulable", passing };
}

/** A Job whose pod the cluster refuses has no pod, and only its events say why. */
function ofJob(job: KubernetesObject, { events }: ClusterState): Obstacle | undefined {
  const { active = 0, succeeded = 0, failed = 0 } = job.status ?? {};
  if (active + succeeded + failed > 0) return undefined;
  const subject = nameOf(job);
  const said = lastEvent(events, subject, ["FailedCreate"]);
  if (said === undefined) return undefined;
  const message = said.replace(/^Error creating: /, "").replace(/^pods "[^"]*" is forbidden: /, "");
  const kind = /quota/.test(said) ? "quota" : /PodSecurity/.test(said) ? "pod-security" : "refused";
  return { kind, subject, message };
}

function lastEvent(
  events: readonly KubernetesObject[],
  name: string,
  reasons: readonly string[],
): string | undefined {
  return events.findLast(
    ({ involvedObject, reason = "" }) => involvedObject?.name === name && reasons.includes(reason),
  )?.message;
}

/** A pod that ended otherwise than k6 ends, with its reason. */
export interface EarlyEnd {
  readonly pod: string;
  readonly reason: string;
  readonly exitCode: number | undefined;
}

/** Exit codes of k6 after a whole run: success, and crossed thresholds, which a share of the samples may cross. */
const wholeRun = [0, 99];

/** The pods that sent load and were ended from outside, or failed. */
export function earlyEnds({ pods }: Pick<ClusterState, "pods">): EarlyEnd[] {
  return pods.filter(isRunner).flatMap((pod): EarlyEnd[] => {
    const ofPodItself = pod.status?.reason;
    const ended = pod.status?.containerStatuses?.find(
      ({ state }) => !wholeRun.includes(state?.terminated?.exitCode ?? 0),
    )?.state?.terminated;
    const reason = ofPodItself ?? ended?.reason;
    return reason === undefined ? [] : [{ pod: nameOf(pod), reason, exitCode: ended?.exitCode }];
  });
}

/** The least limit of CPU among the pods that send load, in cores; undefined for none. */
export function cpuLimitOf({ pods }: Pick<ClusterState, "pods">): number | undefined {
  const limits = pods
    .filter(isRunner)
    .flatMap(({ spec }) => spec?.containers ?? [])
    .filter(({ name }) => name === "k6")
    .flatMap(({ resources }) => coresOf(resources?.limits?.cpu) ?? []);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** A quantity of CPU as Kubernetes writes it: `300m`, `2`. */
function coresOf(quantity: string | number | undefined): number | undefined {
  const [, digits, milli] = /^([\d.]+)(m?)$/.exec(String(quantity ?? "")) ?? [];
  return digits === undefined ? undefined : Number(digits) / (milli === "m" ? 1000 : 1);
}

function isRunner({ metadata }: KubernetesObject): boolean {
  return metadata?.labels?.runner === "true";
}

function nameOf({ metadata }: KubernetesObject): string {
  return metadata?.name ?? "";
}
