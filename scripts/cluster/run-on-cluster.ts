import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { totalSeconds } from "../../scenarios/lib/schedule.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { counted } from "../../schemas/words/format.ts";
import { CannotRunError } from "../errors.ts";
import type { LoadTarget } from "../load/load-evidence.ts";
import type { LoadStandards } from "../load/run.ts";
import { collectRun } from "./collect.ts";
import { type Kubectl, type KubectlOptions, openKubectl } from "./kubectl.ts";
import { createSecret, type ManifestRequest, manifestsOf, secret, secretEntries } from "./manifests.ts";
import { createPodLogReader } from "./pod-logs.ts";

/** A load run in the pods of a cluster with k6-operator. */
export interface ClusterRequest extends ManifestRequest {
  readonly kubernetes: KubectlOptions;
  /** Folder for the manifests and the logs of the pods. */
  readonly folder: string;
  readonly progress: (line: string) => void;
  readonly target: Omit<LoadTarget, "baseUrl">;
  readonly standards?: LoadStandards | undefined;
  /** Interval between two requests for the state of the run. Default: 2,000 */
  readonly pollMilliseconds?: number | undefined;
}

/**
 * Applies the manifests, waits until the pods have ended, and makes one result of their logs. Then it deletes the objects
 * from the cluster, also after an error or an interruption.
 *
 * @throws CannotRunError when the cluster has no operator or no secret, when the run fails, or when the pods leave no
 *   result.
 */
export async function runOnCluster(request: ClusterRequest): Promise<LoadResult> {
  const { kubernetes, progress, folder } = request;
  const kubectl = await openKubectl(kubernetes);
  const context = (await kubectl.text("config", "current-context")).trim();
  progress(`kubernetes: context ${context}, namespace ${kubernetes.namespace}`);
  await requireOperator(kubectl);
  await requireSecret(kubectl, request);
  await mkdir(folder, { recursive: true });
  const file = join(folder, "manifests.yaml");
  const { name, text } = await manifestsOf(request);
  if (await kubectl.has("testrun", name)) throw alreadyExists(name);
  await writeFile(file, text);
  // Deleting must work after an interruption as well.
  const cleaner = await openKubectl({ ...kubernetes, signal: undefined });
  try {
    await kubectl.text("apply", "--filename", file);
    progress(`kubernetes: TestRun ${name} applied, ${counted(request.plan.shards, "pod")}`);
    await untilFinished(kubectl, name, request);
    return await collect(kubectl, name, request);
  } finally {
    await cleaner
      .text("delete", "--filename", file, "--ignore-not-found", "--wait=false")
      .then(() => progress(`kubernetes: TestRun ${name} deleted`))
      .catch((error: Error) => progress(`kubernetes: ${error.message}`));
  }
}

async function requireOperator(kubectl: Kubectl): Promise<void> {
  if (await kubectl.has("customresourcedefinition", "testruns.k6.io")) return;
  throw new CannotRunError({
    what: "The cluster has no k6-operator",
    where: "customresourcedefinition testruns.k6.io",
    fix: "Install k6-operator, or select another context: kubectl config use-context NAME.",
  });
}

/** Reads only the names of the entries: the values never leave the cluster. */
async function requireSecret(kubectl: Kubectl, request: ClusterRequest): Promise<void> {
  const { namespace } = request.kubernetes;
  const exists = await kubectl.has("secret", secret.name);
  const names = exists
    ? await kubectl.text(
        ...["get", "secret", secret.name],
        ...["--output", "go-template={{range $name, $value := .data}}{{$name}} {{end}}"],
      )
    : "";
  const present = names.split(/\s+/);
  const [missing] = secretEntries(request).filter((entry) => !present.includes(entry));
  if (missing === undefined) return;
  throw new CannotRunError({
    what: exists ? `The secret ${secret.name} has no entry ${missing}` : `There is no secret ${secret.name}`,
    where: `namespace ${namespace}`,
    fix: `Create it, with the key from standard input: ${createSecret(request, ` --namespace ${namespace}`)}`,
  });
}

function alreadyExists(name: string): CannotRunError {
  return new CannotRunError({
    what: `A TestRun ${name} already exists`,
    where: "the cluster",
    fix: `Wait until it has ended, or delete it: kubectl delete testrun ${name}.`,
  });
}

interface TestRunStatus {
  readonly stage?: string;
  readonly conditions?: readonly {
    readonly type?: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
}

/** Time besides the run itself: for pulling images, for the initializer and starter, and for the end of the pods. */
const beyondMilliseconds = 10 * 60 * 1000;

/** Waits until the TestRun has ended. @throws CannotRunError for the stage `error`, or when it takes too long. */
async function untilFinished(kubectl: Kubectl, name: string, request: ClusterRequest): Promise<void> {
  const { progress, kubernetes, pollMilliseconds = 2000, plan } = request;
  const seconds = totalSeconds(plan.profile.stages);
  const deadline = Date.now() + seconds * 1000 + beyondMilliseconds;
  let shown = "";
  for (;;) {
    const text = await kubectl.text("get", "testrun", name, "--output", "json");
    const { status = {} } = JSON.parse(text) as { status?: TestRunStatus };
    const { stage = "waiting for the operator" } = status;
    if (stage !== shown)
      progress(`kubernetes: ${stage}${stage === "started" ? ` (about ${Math.ceil(seconds)} s)` : ""}`);
    shown = stage;
    if (stage === "finished" || stage === "stopped") return;
    if (stage === "error") {
      const reasons =
        status.conditions?.map(({ message, reason }) => message || reason).filter(Boolean) ?? [];
      throw new CannotRunError({
        what: `The TestRun ${name} failed`,
        where: reasons.join("; ") || "stage error",
        fix: `Check the pods: kubectl describe testrun ${name}; kubectl get pods -l k6_cr=${name}.`,
      });
    }
    if (Date.now() > deadline) {
      throw new CannotRunError({
        what: `The TestRun ${name} did not end`,
        where: `stage ${stage}, ${Math.round((seconds * 1000 + beyondMilliseconds) / 60_000)} min after it was applied`,
        fix: "Check whether the pods can be scheduled: kubectl get pods.",
      });
    }
    await sleep(pollMilliseconds, undefined, { signal: kubernetes.signal });
  }
}

/** Writes the logs of the pods, without keys, to the folder of the run, and makes one result of them. */
async function collect(kubectl: Kubectl, name: string, request: ClusterRequest): Promise<LoadResult> {
  const { folder, target, standards, plan } = request;
  const redaction = redactionFor(target);
  const reader = createPodLogReader(redaction);
  const file = join(folder, "pods.log");
  const log = createWriteStream(file);
  try {
    await kubectl.lines(
      (line) => {
        reader.take(line);
        log.write(`${redaction.redact(line)}\n`);
      },
      ...["logs", "--selector", `k6_cr=${name},runner=true`, "--tail=-1", "--prefix"],
      `--max-log-requests=${plan.shards + 10}`,
    );
  } finally {
    log.end();
    await finished(log);
  }
  const run = collectRun(reader.end(), target, standards);
  if (run !== undefined) return run.result;
  throw new CannotRunError({
    what: "The pods left no result",
    where: file,
    fix: "The log of the pods says why k6 ended.",
  });
}
