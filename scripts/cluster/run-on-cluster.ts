import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { totalSeconds } from "../../scenarios/lib/schedule.ts";
import type { TextRedaction } from "../../schemas/redaction.ts";
import type { LoadResult } from "../../schemas/types.ts";
import { counted } from "../../schemas/words/format.ts";
import { CannotRunError } from "../errors.ts";
import type { ShownSecrets } from "../load/evidence.ts";
import { overrideProfile } from "../load/plan.ts";
import { collectRun, type PodStandards } from "./collect.ts";
import { type Kubectl, type KubectlOptions, openKubectl } from "./kubectl.ts";
import { type ManifestRequest, manifestsOf, secret, secretEntries } from "./manifests.ts";
import { createPodLogReader } from "./pod-logs.ts";

/** A load run whose pods the k6-operator of a cluster starts. */
export interface ClusterRequest extends ManifestRequest {
  readonly kubernetes: KubectlOptions;
  /** Gets the manifests and the logs of the pods. */
  readonly folder: string;
  readonly progress: (line: string) => void;
  readonly redaction: TextRedaction;
  readonly secrets: ShownSecrets;
  readonly standards?: PodStandards | undefined;
  /** Between two looks at the run. Default: 2,000 */
  readonly pollMilliseconds?: number | undefined;
}

/**
 * Applies the manifests, waits until the pods have ended, and makes one result of their logs. What was applied is
 * deleted in every case, also after an interruption, and not before the logs are read.
 *
 * @throws CannotRunError when the cluster lacks the operator or the secret, when the run fails there, or when it leaves
 *   no result.
 */
export async function runOnCluster(request: ClusterRequest): Promise<LoadResult> {
  const { kubernetes, progress, folder } = request;
  const kubectl = await openKubectl(kubernetes);
  const context = (await kubectl.text("config", "current-context")).trim();
  progress(`kubernetes: context ${context}, namespace ${kubernetes.namespace}`);
  await requireOperator(kubectl);
  await requireSecret(kubectl, kubernetes.namespace, secretEntries(request));
  await mkdir(folder, { recursive: true });
  const file = join(folder, "manifests.yaml");
  const { name, text } = await manifestsOf(request);
  if (await kubectl.has("testrun", name)) throw alreadyThere(name);
  await writeFile(file, text);
  // Deleting must work after an interruption as well.
  const cleaner = await openKubectl({ ...kubernetes, signal: undefined });
  try {
    await kubectl.text("apply", "--filename", file);
    progress(`kubernetes: TestRun ${name} applied, ${counted(request.parallelism, "pod")}`);
    await untilFinished(kubectl, name, request);
    return await collected(kubectl, name, request);
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

/** Looks at the names in the secret only: its values never leave the cluster. */
async function requireSecret(kubectl: Kubectl, namespace: string, entries: readonly string[]): Promise<void> {
  const there = await kubectl.has("secret", secret.name);
  const names = there
    ? await kubectl.text(
        ...["get", "secret", secret.name],
        ...["--output", "go-template={{range $name, $value := .data}}{{$name}} {{end}}"],
      )
    : "";
  const present = names.split(/\s+/);
  const [missing] = entries.filter((entry) => !present.includes(entry));
  if (missing === undefined) return;
  const others = entries.slice(1).map((entry) => ` --from-file=${entry}=PATH`);
  throw new CannotRunError({
    what: there ? `The secret ${secret.name} has no entry ${missing}` : `There is no secret ${secret.name}`,
    where: `namespace ${namespace}`,
    fix: `Create it, with the key from standard input: kubectl create secret generic ${secret.name} --namespace ${namespace} --from-file=${secret.key}=/dev/stdin${others.join("")}`,
  });
}

function alreadyThere(name: string): CannotRunError {
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

/** Beside the run itself: pulling images, the operator's initializer and starter, and the end of the pods. */
const beyondMilliseconds = 10 * 60 * 1000;

/** Waits for the last stage of the TestRun. @throws CannotRunError for the stage `error`, or when it takes too long. */
async function untilFinished(kubectl: Kubectl, name: string, request: ClusterRequest): Promise<void> {
  const { progress, kubernetes, pollMilliseconds = 2000, profile, scenario, overrides } = request;
  const seconds = totalSeconds(overrideProfile(profile, scenario, overrides).stages);
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
      const said = status.conditions?.map(({ message, reason }) => message || reason).filter(Boolean) ?? [];
      throw new CannotRunError({
        what: `The TestRun ${name} failed`,
        where: said.join("; ") || "stage error",
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

/** The logs of the pods, kept in the folder of the run without keys, and what they amount to. */
async function collected(kubectl: Kubectl, name: string, request: ClusterRequest): Promise<LoadResult> {
  const { folder, redaction, secrets, standards, parallelism } = request;
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
      `--max-log-requests=${parallelism + 10}`,
    );
  } finally {
    log.end();
    await finished(log);
  }
  const run = collectRun(reader.end(), secrets, standards);
  if (run !== undefined) return run.result;
  throw new CannotRunError({
    what: "The pods left no result",
    where: file,
    fix: "See the log of the pods: it says why k6 ended.",
  });
}
