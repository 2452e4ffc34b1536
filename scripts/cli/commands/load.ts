import { relative, resolve } from "node:path";
import type { Target } from "../../../conformance/client/target.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { keyVariables } from "../../../schemas/redaction.ts";
import { findingFix, findingText } from "../../../schemas/words/index.ts";
import { type ManifestRequest, nextSteps, writeManifests } from "../../cluster/manifests.ts";
import { newRunId } from "../../cluster/planned-run.ts";
import { podConnection } from "../../cluster/pod-connection.ts";
import { requireLoadAllowed } from "../../config/load-permission.ts";
import { resolveSettings, type Settings } from "../../config/settings.ts";
import { CannotRunError, type ExitCode, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { resolveK6 } from "../../load/k6/resolve.ts";
import { mustProbeFirst } from "../../load/plan.ts";
import { previewLoad, renderPreview } from "../../load/preview.ts";
import { missingFixtures } from "../../load/run.ts";
import { neededByLoad, requireAll } from "../../runs/preflight.ts";
import { discoverTarget, waitLine } from "../../runs/stages/conformance-stage.ts";
import { loadStage } from "../../runs/stages/load-stage.ts";
import { openTarget } from "../../runs/stages/open-target.ts";
import { recordRun } from "../../runs/stages/record.ts";
import { withTenants } from "../../runs/stages/tenants.ts";
import { withUnknownProduct } from "../../runs/stages/unknown-product.ts";
import { refuseOnCluster, requireReachable } from "./cluster.ts";
import { collectPods } from "./collect.ts";
import { defineCommand, print } from "./command.ts";
import { type LoadFlags, planOf, withLoadFlags } from "./load-flags.ts";

/** `load`: runs one scenario with one profile, or prints its plan, or writes manifests. */
export const load = defineCommand<LoadFlags>({
  flags: withLoadFlags,
  run: async (flags, io) => {
    refuseShardsHere(flags);
    const settings = await resolveSettings(flags, io);
    if (flags.print === true) return printPreview(flags, settings, io);
    if (flags.collect !== undefined) {
      return collectPods(flags.collect, { plan: flags.plan, settings, io, json: flags.json === true });
    }
    if (flags.manifests !== undefined) return manifestsInto(flags.manifests, flags, settings, io);
    return sendLoad(flags, settings, io);
  },
});

/** @throws UsageError when a run on this machine should be shared. */
function refuseShardsHere({ shards = 1, manifests }: LoadFlags): void {
  if (shards === 1 || manifests !== undefined) return;
  throw new UsageError({
    what: "A run on this machine is not shared",
    where: `--shards ${shards}`,
    fix: "Omit --shards: one k6 uses all cores. For pods that share a run, add --manifests.",
  });
}

async function sendLoad(flags: LoadFlags, settings: Settings, io: Io): Promise<ExitCode> {
  await requireAll(neededByLoad(settings, io));
  const plan = planOf(flags, settings);
  return recordRun({ command: "load", settings, io, json: flags.json === true }, async (run) => {
    const { target, progress, signal, state } = run;
    const { maxRequests, lookSeconds: maxSeconds, toolEnv: env } = settings;
    const k6 = await resolveK6({ env, progress, signal });
    const { discovered, loadFixtures, noProduct, noBatch, problem, notices } = await discoverTarget({
      target,
      maxRequests,
      maxSeconds,
      signal,
      onWait: (wait) => progress(waitLine(wait), "passing"),
    });
    state.discovered = discovered;
    state.notices = [...notices];
    if (problem !== undefined) throw new CannotRunError(problem);
    await loadStage(run, { plans: [plan], k6, env, fixtures: loadFixtures, noProduct, noBatch });
  });
}

function printPreview(flags: LoadFlags, settings: Settings, io: Io): ExitCode {
  const preview = previewLoad(planOf(flags, settings));
  const look = `Before that, the target is discovered in at most ${settings.lookSeconds} s (--max-time).\n`;
  print(io, { json: flags.json, value: preview, text: () => `${renderPreview(preview)}${look}` });
  return 0;
}

async function manifestsInto(dir: string, flags: LoadFlags, settings: Settings, io: Io): Promise<ExitCode> {
  requireLoadAllowed(settings.choice, "load");
  requireReachable(settings);
  const plan = planOf(flags, settings);
  refuseOnCluster(plan);
  if (mustProbeFirst(plan)) throw limitUnknown();
  await using opened = await openTarget(settings);
  const { target } = opened;
  const { maxRequests, lookSeconds: maxSeconds } = settings;
  const { loadFixtures, noProduct, noBatch, problem } = await discoverTarget({
    target,
    maxRequests,
    maxSeconds,
    signal: io.signal,
  });
  if (problem !== undefined) throw new CannotRunError(problem);
  const { categories } = target;
  const known = await withUnknownProduct(loadFixtures, target, io.signal);
  const fixtures = await withTenants(known, {
    plans: [plan],
    target,
    signal: io.signal,
  });
  const missing = missingFixtures({ plan, fixtures, categories, noProduct, noBatch });
  if (missing.length > 0) throw nothingToSend(missing, target);
  const request: ManifestRequest = {
    run: newRunId(),
    plan,
    fixtures,
    connection: podConnection(target),
    podCores: flags.podCpu,
  };
  const path = await writeManifests(resolve(io.cwd, dir), request);
  io.stdout.write(`${path}\n`);
  io.stderr.write(nextSteps(request, { file: relative(io.cwd, path), cwd: io.cwd }));
  return 0;
}

function nothingToSend(missing: readonly Finding[], { keyVariables: own }: Target): CannotRunError {
  const words = { keyVariables: own ?? keyVariables };
  const fixes = missing.flatMap((finding) => findingFix(finding, words) ?? []);
  return new CannotRunError({
    what: "The pods would have nothing to send",
    where: missing.map((finding) => findingText(finding, words)).join(" "),
    fix: fixes.at(-1) ?? "See what discovery finds: npx shelfcheck doctor.",
  });
}

function limitUnknown(): UsageError {
  return new UsageError({
    what: "The manifests of a polite run need the rate limit that it stays below",
    where: "--manifests",
    fix: "Set rateLimit.perSecond in the profile. To find the limit: npx shelfcheck load --scenario rate-limit --profile probe",
  });
}
