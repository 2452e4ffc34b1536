import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { plannedVirtualUsers } from "../../scenarios/lib/options.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Waiver } from "../../schemas/contracts/waivers.ts";
import { counted } from "../../schemas/words/format.ts";
import { CannotRunError } from "../errors.ts";
import { atOurEnd } from "../load/k6/child-process.ts";
import type { LoadTarget } from "../load/load-evidence.ts";
import type { LoadPlan } from "../load/plan.ts";
import { awaitRun } from "./await-run.ts";
import { readState } from "./cluster-state.ts";
import { type CollectedRun, collectRun } from "./collect.ts";
import { type Kubectl, type KubectlOptions, openKubectl } from "./kubectl.ts";
import { deletionOf, type ManifestRequest, type Manifests, manifestsOf } from "./manifests.ts";
import { type ClusterState, cpuLimitOf, type EarlyEnd, earlyEnds } from "./obstacles.ts";
import { createPodLogReader } from "./pod-logs.ts";
import { podSize } from "./pods.ts";
import { requireCluster } from "./preflight.ts";

/** A load run in the pods of a cluster with k6-operator. */
export interface ClusterRequest extends ManifestRequest {
  readonly kubernetes: KubectlOptions;
  /** Folder for the manifests and the logs of the pods. */
  readonly folder: string;
  readonly progress: (line: string) => void;
  readonly target: Omit<LoadTarget, "baseUrl">;
  readonly waivers?: readonly Waiver[] | undefined;
  /** Interval between two requests for the state of the run. Default: 2,000 */
  readonly pollMilliseconds?: number | undefined;
  /** Default: Date.now */
  readonly clock?: (() => number) | undefined;
}

/**
 * Creates the objects of the manifests, waits until the pods have ended, and makes one result of their logs. Then it deletes
 * the objects, also after an error or an interruption, and even when this process is ended meanwhile.
 *
 * @returns what was measured until then, when it is interrupted.
 * @throws CannotRunError when the cluster lacks something, when the run fails, or when the pods leave no result.
 */
export async function runOnCluster(request: ClusterRequest): Promise<LoadResult> {
  const { kubernetes, progress, folder } = request;
  const kubectl = await openKubectl(kubernetes);
  const context = (await kubectl.text("config", "current-context")).trim();
  progress(`kubernetes: context ${context}, namespace ${kubectl.namespace}`);
  const operator = await requireCluster(kubectl, request, progress);
  const plan = operator.skipsInspection ? request.plan : withPodsThatPass(request.plan);
  const { namespace } = kubectl;
  const written = { ...request, plan, namespace, inspects: !operator.skipsInspection };
  await mkdir(folder, { recursive: true });
  const manifests = await manifestsOf(written);
  await writeFile(join(folder, "manifests.yaml"), manifests.text);
  // Reading what is left and deleting must work after an interruption as well.
  const beyond = await openKubectl({ ...kubernetes, namespace, signal: undefined });
  const result = await createdRun({ ...written, kubectl, beyond, manifests }).run();
  return { ...result, notes: [...plan.notes.slice(request.plan.notes.length), ...result.notes] };
}

/** With as many pods as virtual users, for an operator that refuses more. */
function withPodsThatPass(plan: LoadPlan): LoadPlan {
  const users = plannedVirtualUsers(plan.scenario, plan.profile);
  if (plan.shards <= users) return plan;
  const note: Finding = { code: "pods-bounded", expected: plan.shards, actual: users };
  return { ...plan, shards: users, notes: [...plan.notes, note] };
}

interface CreatedRequest extends ClusterRequest {
  readonly kubectl: Kubectl;
  /** Goes on after an interruption. */
  readonly beyond: Kubectl;
  readonly manifests: Manifests;
}

function createdRun(request: CreatedRequest) {
  const { kubectl, beyond, manifests, progress, folder, plan, target, waivers, kubernetes } = request;
  const { name } = manifests;
  const redaction = redactionFor(target);
  let isBegun = false;

  /** Sends the load, and returns its result, which may be that of an interrupted run. */
  async function run(): Promise<LoadResult> {
    const removal = removalOf(request);
    try {
      await kubectl.text("create", "--filename", join(folder, "manifests.yaml"));
      progress(`kubernetes: TestRun ${name} created, ${counted(plan.shards, "pod")}`);
      await awaitRun({ ...request, name, signal: kubernetes.signal }, () => {
        isBegun = true;
      });
      return await finishedResult();
    } catch (error) {
      if (kubernetes.signal?.aborted !== true) {
        await save(await readState(beyond, name));
        throw error;
      }
      progress(`kubernetes: interrupted; deleting the TestRun. If it stays: ${removal.command}`);
      const partial = isBegun ? await interruptedResult(removal) : undefined;
      if (partial === undefined) throw error;
      return partial.result;
    } finally {
      await removal.remove();
    }
  }

  async function finishedResult(): Promise<LoadResult> {
    const state = await readState(kubectl, name);
    const ends = earlyEnds(state);
    const collected = await collectedAgain(ends);
    const isWhole = collected !== undefined && collected.result.verdict !== "invalid" && ends.length === 0;
    if (!isWhole) await save(state);
    if (collected === undefined) throw noResult(ends);
    const { result } = collected;
    return { ...result, notes: [...result.notes, ...limitNotes(state)] };
  }

  /** Reads the logs, three times if they cannot be read. */
  async function collectedAgain(ends: readonly EarlyEnd[]): Promise<CollectedRun | undefined> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await readLogs(kubectl, { ends });
      } catch (error) {
        kubernetes.signal?.throwIfAborted();
        if (tries === 3) throw error;
        progress(`kubernetes: the logs could not be read; trying again (${(error as Error).message})`);
        await sleep(request.pollMilliseconds ?? pauseMilliseconds, undefined, { signal: kubernetes.signal });
      }
    }
  }

  /** Writes the logs of the pods, without keys, to the folder of the run, and makes one result of them. */
  async function readLogs(
    from: Kubectl,
    { ends = [], follow }: { ends?: readonly EarlyEnd[]; follow?: (() => void) | undefined },
  ): Promise<CollectedRun | undefined> {
    const reader = createPodLogReader(redaction);
    const log = createWriteStream(join(folder, "pods.log"));
    try {
      await from.lines(
        (line) => {
          follow?.();
          reader.take(line);
          log.write(`${redaction.redact(line)}\n`);
        },
        ...["logs", "--selector", `k6_cr=${name},runner=true`, "--tail=-1", "--prefix"],
        `--max-log-requests=${plan.shards + 10}`,
        ...(follow === undefined ? [] : ["--follow", "--ignore-errors"]),
      );
    } catch (error) {
      // Pods that are deleted while their logs are followed.
      if (follow === undefined) throw error;
    } finally {
      log.end();
      await finished(log);
    }
    return collectRun(reader.end(), target, {
      waivers,
      planned: manifests.planned,
      ended: ends.map(earlyEndFinding),
      interrupted: follow !== undefined,
    });
  }

  /** k6 ends with its result when its pod is deleted, so the logs are followed from before that to their end. */
  async function interruptedResult(removal: Removal): Promise<CollectedRun | undefined> {
    const first = Promise.withResolvers<void>();
    const logs = readLogs(beyond, { follow: first.resolve });
    await Promise.race([first.promise, logs, sleep(followMilliseconds(request))]);
    await removal.remove();
    return await logs;
  }

  /** Saves what explains a failure, before it is deleted. */
  async function save(state: ClusterState): Promise<void> {
    await writeFile(join(folder, "cluster-state.json"), redaction.redact(JSON.stringify(state, null, 2)));
    for (const [file, selector] of [
      ["initializer.log", `k6_cr=${name},runner!=true`],
      ["runners.log", `k6_cr=${name},runner=true`],
    ] as const) {
      const { text } = await beyond.ask("logs", "--selector", selector, "--tail=200", "--prefix");
      if (text !== "") await writeFile(join(folder, file), `${redaction.redact(text)}\n`);
    }
  }

  function limitNotes(state: ClusterState): Finding[] {
    const cores = cpuLimitOf(state);
    if (cores === undefined || cores === request.podCores) return [];
    return [{ code: "pod-cpu-limited", actual: cores, expected: podSize(plan).millicores / 1000 }];
  }

  function noResult(ends: readonly EarlyEnd[]): CannotRunError {
    const reasons = ends.map(
      ({ pod, reason, exitCode }) =>
        `${pod}: ${reason}${exitCode === undefined ? "" : ` (exit code ${exitCode})`}`,
    );
    return new CannotRunError({
      what: "The pods left no result",
      where: reasons.slice(0, 3).join("; ") || join(folder, "pods.log"),
      fix: ends.some(({ reason }) => reason === "OOMKilled")
        ? "The pods need more memory: use more of them (--shards), or fewer virtual users (--vus)."
        : "See pods.log and cluster-state.json in the run's folder.",
    });
  }

  return { run };
}

function earlyEndFinding({ pod, reason, exitCode }: EarlyEnd): Finding {
  return { code: "pod-ended-early", subject: pod, actual: exitCode, details: { reason } };
}

interface Removal {
  /** What removes the objects by hand. */
  readonly command: string;
  /** Deletes the objects; only the first call does. */
  remove(): Promise<void>;
}

const removalTries = 12;
/** Before something that failed is tried again. Tests wait as little as they poll. */
const pauseMilliseconds = 5_000;

/**
 * Deletes the objects of a run in a process that goes on when this one ends. From now on, the end of this process, as after
 * a second Ctrl-C, starts the deletion if it has not begun.
 */
function removalOf({
  beyond,
  manifests,
  folder,
  progress,
  pollMilliseconds = pauseMilliseconds,
}: CreatedRequest): Removal {
  const { name } = manifests;
  const command = deletionOf(name, beyond.namespace);
  const start = () =>
    beyond.beyondUs(
      join(folder, "delete.log"),
      ...["delete", `testruns.k6.io/${name}`, `configmaps/${name}`],
      ...["--ignore-not-found", "--wait=false", "--request-timeout=20s"],
    );
  const hook = atOurEnd(() => void start());
  let removed: Promise<void> | undefined;

  async function remove(): Promise<void> {
    const first = start();
    hook[Symbol.dispose]();
    if (await first) return progress(`kubernetes: TestRun ${name} deleted`);
    progress(
      `kubernetes: the deletion failed and is tried again. Until then the load goes on. By hand: ${command}`,
    );
    for (let tries = 1; tries < removalTries; tries += 1) {
      await sleep(pollMilliseconds);
      if (await start()) return progress(`kubernetes: TestRun ${name} deleted`);
    }
    progress(`kubernetes: NOT DELETED: the pods may still send load. Delete them: ${command}`);
  }

  return {
    command,
    remove: () => {
      removed ??= remove();
      return removed;
    },
  };
}

/** How long to wait for the first line of followed logs: a pod that is paused prints none. */
function followMilliseconds({ pollMilliseconds }: ClusterRequest): number {
  return pollMilliseconds === undefined ? 1_000 : pollMilliseconds * 20;
}
