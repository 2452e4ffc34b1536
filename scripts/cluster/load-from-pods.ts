import { randomBytes } from "node:crypto";
import { relative, resolve } from "node:path";
import { Option } from "commander";
import type { Target } from "../../conformance/client/target.ts";
import type { Addition } from "../cli/commands/command.ts";
import { wholeNumber } from "../cli/commands/flags.ts";
import { type LoadFlags, planOf } from "../cli/commands/load.ts";
import { isLoopback } from "../config/connection.ts";
import { requireLoadAllowed } from "../config/load-permission.ts";
import { defaults, resolveSettings, type Settings } from "../config/settings.ts";
import { CannotRunError, type ExitCode, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { mustProbeFirst } from "../load/plan.ts";
import { openTarget } from "../runs/preflight.ts";
import { said } from "../runs/said.ts";
import { discoverTarget } from "../runs/stages/conformance-stage.ts";
import { withLoadFixtures } from "../runs/stages/load-fixtures.ts";
import { missingFixtures } from "../runs/stages/load-stage.ts";
import { collectPods } from "./collect.ts";
import {
  type ManifestRequest,
  nextSteps,
  type PodsPlan,
  podConnection,
  writeManifests,
} from "./manifests.ts";

interface PodFlags extends LoadFlags {
  readonly manifests?: string;
  readonly shards?: number;
  readonly collect?: string;
}

/** `load` from the pods of a cluster (docs/cluster.md): writes the manifests, or collects the results. */
export const loadFromPods: Addition = {
  flags: (command) =>
    command
      // What k6 gets in a pod stands in the manifest, where it can be edited.
      .addOption(new Option("--manifests <dir>").conflicts(["print", "collect", "k6Arg"]).hideHelp())
      .addOption(new Option("--shards <n>").argParser(wholeNumber(1, 1000)).hideHelp())
      .addOption(new Option("--collect <from>").conflicts("print").hideHelp())
      .addHelpText(
        "after",
        "\nFrom the pods of a cluster: --manifests, --collect and their flags, see docs/cluster.md.",
      ),
  instead: async (flags: PodFlags, io) => {
    const { collect, manifests, shards = 1, json = false } = flags;
    if (shards > 1 && manifests === undefined)
      throw new UsageError({
        what: "Only --manifests shares a run among pods",
        where: `--shards ${shards}`,
        fix: "Omit --shards, or add --manifests. On this machine, one k6 uses all cores.",
      });
    if (collect === undefined && manifests === undefined) return undefined;
    const settings = await resolveSettings(flags, io);
    return collect === undefined
      ? await manifestsInto(manifests ?? "", flags, settings, io)
      : await collectPods(collect, { settings, io, json });
  },
};

/** @throws UsageError for a plan that pods cannot run, and for a target that they cannot reach. */
export function refuseOnCluster(plan: PodsPlan, target: Pick<Target, "baseUrl"> | undefined): void {
  const { hostname } = new URL(target?.baseUrl ?? "http://localhost");
  if (isLoopback(hostname))
    throw new UsageError({
      what: "A cluster cannot reach a loopback address, nor the built-in reference service",
      where: `--manifests: ${target?.baseUrl ?? defaults.target}`,
      fix: "Name one that the cluster can reach: http://NAME.NAMESPACE.svc/v1, or this machine's address in the network.",
    });
  if (plan.scenario === "rate-limit" && plan.shards > 1)
    throw new UsageError({
      what: "The scenario rate-limit cannot be shared among pods: none knows what the limit accepts of the others",
      where: `--shards ${plan.shards}`,
      fix: "Omit --shards.",
    });
  if (mustProbeFirst(plan))
    throw new UsageError({
      what: "The manifests of a polite run need the rate limit that it stays below",
      where: "--manifests",
      fix: "Set rateLimit.perSecond in the profile. To find the limit, run the same command with --profile probe and without --manifests.",
    });
}

async function manifestsInto(dir: string, flags: PodFlags, settings: Settings, io: Io): Promise<ExitCode> {
  requireLoadAllowed(settings.choice, "load");
  const plan = { ...planOf(flags, settings), shards: flags.shards ?? 1 };
  refuseOnCluster(plan, settings.choice.target);
  await using opened = await openTarget(settings);
  const { target } = opened;
  const { maxRequests, lookSeconds: maxSeconds } = settings;
  const { signal } = io;
  const bounds = { target, maxRequests, maxSeconds, signal };
  const { loadFixtures, problem, noProduct, noBatch } = await discoverTarget(bounds);
  if (problem !== undefined) throw new CannotRunError(problem);
  const fixtures = await withLoadFixtures(loadFixtures, { plans: [plan], target, signal });
  const missing = missingFixtures({ plan, fixtures, noProduct, noBatch });
  if (missing.length > 0) {
    const all = missing.map((one) => said(one, target));
    throw new CannotRunError({
      what: "The pods would have nothing to send",
      where: all.map(({ message }) => message).join(" "),
      fix: all.at(-1)?.fix ?? "See what discovery finds: npx shelfcheck doctor.",
    });
  }
  const request: ManifestRequest = {
    // Random, so that manifests that are written twice make two runs.
    run: randomBytes(6).toString("hex"),
    ...{ plan, fixtures, connection: podConnection(target) },
  };
  const path = await writeManifests(resolve(io.cwd, dir), request);
  io.stdout.write(`${path}\n`);
  io.stderr.write(nextSteps(request, { file: relative(io.cwd, path), cwd: io.cwd }));
  return 0;
}
