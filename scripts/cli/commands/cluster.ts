import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command, Option } from "commander";
import { parse } from "yaml";
import type { Target } from "../../../conformance/client/target.ts";
import type { Config } from "../../../schemas/contracts/config.ts";
import { isObject } from "../../../schemas/json.ts";
import { planPods, renderPodPlan } from "../../cluster/pods.ts";
import { isLoopback } from "../../config/proxy.ts";
import type { Settings } from "../../config/settings.ts";
import { type ExitCode, UsageError } from "../../errors.ts";
import { fileProblem } from "../../files.ts";
import type { Io } from "../../io.ts";
import type { LoadPlan } from "../../load/plan.ts";
import type { ClusterOptions } from "../../runs/stages/load-stage.ts";
import { print } from "./command.ts";
import { positiveNumber } from "./flags.ts";

export interface ClusterFlags {
  readonly kubernetes?: boolean;
  readonly namespace?: string;
  readonly volumeClaim?: string;
  readonly patch?: string;
  readonly planPods?: boolean;
  readonly podCpu?: number;
  readonly plan?: string;
}

/** Adds the flags of `load` for a cluster. `mode` creates a flag that excludes the other modes. */
export function withClusterFlags(command: Command, mode: (flags: string, about: string) => Option): Command {
  return command
    .addOption(
      mode(
        "--kubernetes",
        "send the load from pods: create them with kubectl, wait, merge their logs into results, delete them",
      ),
    )
    .addOption(mode("--manifests <dir>", "write manifests for k6-operator instead of sending load"))
    .addOption(
      mode(
        "--collect <from>",
        "merge the logs of the pods of a cluster run into results: a folder, a file, or - for standard input",
      ),
    )
    .addOption(mode("--plan-pods", "print the number and size of the pods that the load needs"))
    .option(
      "--plan <file>",
      "with --collect: the manifest of the run, with which its pods are compared (default: not compared)",
    )
    .option(
      "--pod-cpu <cores>",
      "on a cluster: CPU cores that each pod requests, and its limit (default: what the load needs, without a limit; 1 for --plan-pods)",
      positiveNumber,
    )
    .option("--namespace <name>", "on a cluster: namespace (default: that of the current context)")
    .option("--volume-claim <name>", "on a cluster: persistent volume claim that holds the files")
    .option(
      "--patch <file>",
      "on a cluster: YAML file to merge into the TestRun, for example with tolerations",
    );
}

/**
 * The options of a run on a cluster, from the flags of `load` or the config of `gate`.
 *
 * @throws UsageError for a target that a cluster cannot reach, or a patch that cannot be read.
 */
export async function clusterOptions(
  flags: ClusterFlags & NonNullable<NonNullable<Config["gate"]>["kubernetes"]>,
  settings: Settings,
  { io, where }: { io: Io; where: string },
): Promise<ClusterOptions> {
  requireReachable(settings, where);
  return {
    namespace: flags.namespace,
    podCores: flags.podCpu,
    volumeClaim: flags.volumeClaim,
    patch: await readPatch(flags.patch, io),
  };
}

/** @throws UsageError for a plan that pods cannot run. */
export function refuseOnCluster({ scenario, shards, k6Args }: LoadPlan): void {
  if (scenario === "rate-limit" && shards > 1) {
    throw new UsageError({
      what: "The scenario rate-limit cannot be shared among pods: each of them would search for the same limit",
      where: `--shards ${shards}`,
      fix: "Omit --shards: one pod finds the limit.",
    });
  }
  if (k6Args.length === 0) return;
  throw new UsageError({
    what: "Arguments of k6 do not reach the pods",
    where: `--k6-arg ${k6Args[0]}`,
    fix: "Omit --k6-arg. Many settings of k6 are environment variables too: --patch with spec.runner.envFrom.",
  });
}

function requireReachable({ choice }: Settings, where: string): void {
  if (choice.kind === "embedded") {
    throw new UsageError({
      what: "A cluster cannot reach the built-in reference service",
      where,
      fix: "Name a target that the cluster can reach, with --target or --base-url.",
    });
  }
  const { baseUrl }: Target = choice.target;
  const { hostname } = new URL(baseUrl);
  if (!isLoopback(hostname) && !hostname.endsWith(".localhost")) return;
  throw new UsageError({
    what: "A cluster cannot reach a loopback address",
    where: `${where}: ${baseUrl}`,
    fix: "Use an address that the cluster can reach, such as http://NAME.NAMESPACE.svc/v1.",
  });
}

async function readPatch(file: string | undefined, { cwd }: Io): Promise<object | undefined> {
  if (file === undefined) return undefined;
  const patch = await readFile(resolve(cwd, file), "utf8").then(
    (text) => parsed(text, file),
    (error: unknown) => {
      throw new UsageError({
        what: fileProblem(error)?.what ?? "The patch cannot be read",
        where: `--patch ${file}`,
        fix: "Name a readable YAML file.",
      });
    },
  );
  if (isObject(patch)) return patch;
  throw new UsageError({
    what: "The patch is not an object",
    where: `--patch ${file}`,
    fix: "Write the part of the TestRun to change, such as spec: {runner: {nodeSelector: {pool: load}}}.",
  });
}

function parsed(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError({
      what: "The patch is not valid YAML",
      where: `--patch ${file}`,
      fix: error instanceof Error ? (error.message.split("\n")[0] ?? "") : "",
    });
  }
}

/** `load --plan-pods`: prints the number and size of the pods that the traffic needs. */
export function printPodPlan(
  flags: { readonly podCpu?: number; readonly json?: boolean },
  load: LoadPlan,
  { settings, io }: { settings: Settings; io: Io },
): ExitCode {
  const { choice } = settings;
  const { rateLimit } = load.profile;
  const known = choice.kind === "remote" ? choice.target.maxRequestsPerSecond : undefined;
  const acceptedRate = rateLimit?.mode === "polite" ? (rateLimit.perSecond ?? known) : known;
  const plan = planPods(load, { podCores: flags.podCpu ?? 1, acceptedRate });
  print(io, { json: flags.json, value: plan, text: () => renderPodPlan(plan) });
  return 0;
}
