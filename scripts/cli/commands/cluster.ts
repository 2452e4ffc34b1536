import { type Command, Option } from "commander";
import { isLoopback } from "../../config/proxy.ts";
import type { Settings } from "../../config/settings.ts";
import { UsageError } from "../../errors.ts";
import type { LoadPlan } from "../../load/plan.ts";
import { positiveNumber, wholeNumber } from "./flags.ts";

export interface ClusterFlags {
  readonly manifests?: string;
  readonly shards?: number;
  readonly podCpu?: number;
  readonly collect?: string;
  readonly plan?: string;
}

/** Adds the flags of `load` for a cluster, which docs/cluster.md describes. `mode` creates a flag that excludes the other modes. */
export function withClusterFlags(command: Command, mode: (flags: string) => Option): Command {
  return [
    mode("--manifests <dir>"),
    new Option("--shards <n>").argParser(wholeNumber(1, 1000)),
    new Option("--pod-cpu <cores>").argParser(positiveNumber),
    mode("--collect <from>"),
    new Option("--plan <file>"),
  ]
    .reduce((own, option) => own.addOption(option.hideHelp()), command)
    .addHelpText(
      "after",
      "\nFrom the pods of a cluster: --manifests, --collect and their flags, see docs/cluster.md.",
    );
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
    fix: "Omit --k6-arg, and edit spec.arguments and spec.runner.env in the manifest that is written.",
  });
}

/** @throws UsageError for a target that the pods of a cluster cannot reach. */
export function requireReachable({ choice }: Pick<Settings, "choice">): void {
  if (choice.kind === "embedded") {
    throw new UsageError({
      what: "A cluster cannot reach the built-in reference service",
      where: "--manifests",
      fix: "Name a target that the cluster can reach, with --target or --base-url.",
    });
  }
  const { baseUrl } = choice.target;
  const { hostname } = new URL(baseUrl);
  if (!isLoopback(hostname) && !hostname.endsWith(".localhost")) return;
  throw new UsageError({
    what: "A cluster cannot reach a loopback address",
    where: `--manifests: ${baseUrl}`,
    fix: "Use an address that the cluster can reach, such as http://NAME.NAMESPACE.svc/v1.",
  });
}
