import { join } from "node:path";
import { openTraffic, stagesOf } from "../../../scenarios/lib/schedule.ts";
import { profiles } from "../../../scenarios/profiles.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { LoadFixtures } from "../../../schemas/contracts/load-fixtures.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { Profile } from "../../../schemas/contracts/profile.ts";
import { given } from "../../../schemas/json.ts";
import { type ScenarioId, scenarioLabel, scenarios } from "../../../schemas/scenarios.ts";
import { CannotRunError } from "../../errors.ts";
import { conditionsOf } from "../../load/conditions.ts";
import type { EndedRun } from "../../load/figures.ts";
import type { K6Exit } from "../../load/k6-process.ts";
import { measuredLoad } from "../../load/measured.ts";
import { type LoadPlan, mustProbeFirst } from "../../load/plan.ts";
import { judgeLoad, withExpectedLimit } from "../../load/rules.ts";
import { type LoadStart, sendLoad } from "../../load/send.ts";
import { starvedFindings } from "../../load/supervision.ts";
import { said } from "../said.ts";
import { withLoadFixtures } from "./load-fixtures.ts";
import type { Run } from "./record.ts";

interface LoadStage extends Pick<LoadRequest, "k6" | "fixtures" | "env" | "noProduct" | "noBatch" | "probe"> {
  readonly plans: readonly LoadPlan[];
}

/**
 * Sends loads, and adds their results to those of the run.
 *
 * @throws as runLoad. The results of the other loads are kept.
 */
export async function loadStage(
  { folder, progress, signal, state, ...run }: Omit<Run, "settings" | "startedAt">,
  { plans, ...stage }: LoadStage,
): Promise<void> {
  const { otherOrg: _, ...others } = run.target.keys;
  // Requests with a rejected key would count as failed.
  const isRejected = state.discovered.fixtures.some(
    ({ missing }) => missing?.code === "key-refused" && missing.subject === "otherOrg",
  );
  const target = isRejected ? { ...run.target, keys: others } : run.target;
  const fixtures = await withLoadFixtures(stage.fixtures, { plans, target, signal });
  const common = { ...stage, fixtures, target, outDir: folder, progress, signal };
  for (const plan of plans) {
    if (signal.aborted) return;
    progress(`load: ${scenarioLabel(plan.scenario)} (${plan.profileName})`);
    const judged = withExpectedLimit(await runLoad({ ...common, plan }), target.expectedLimit);
    state.load.push({ ...judged, notes: [...plan.notes, ...judged.notes] });
  }
}

/** One load run. */
export interface LoadRequest extends LoadStart {
  /** Why there is no product. */
  readonly noProduct?: Finding | undefined;
  /** Why the field names of a batch are unknown. */
  readonly noBatch?: Finding | undefined;
  /** What a polite run without a limit sends first. Default: the built-in profile */
  readonly probe?: Profile | undefined;
}

/**
 * Bundles the scenario, runs it with k6 and judges the result.
 * @throws CannotRunError when k6 does not start or rejects its configuration, or a polite run finds no limit.
 */
export async function runLoad(request: LoadRequest): Promise<LoadResult> {
  const run = { ...request, plan: await withKnownLimit(request) };
  const { plan, k6 } = run;
  const missing = missingFixtures(run);
  if (missing.length > 0) {
    const exit: K6Exit = { code: undefined, interrupted: false, reported: missing };
    return loadResult({ ...plan, exit, summary: undefined, starved: [], evidence: [] });
  }
  const { log, startedAt, seconds, ...sent } = await sendLoad(run);
  if (sent.summary === undefined) throwIfNotStarted(sent.exit, log);
  const conditions = conditionsOf(plan, k6.version ?? "unknown");
  const result = loadResult({ ...plan, ...sent, starved: starvedFindings(sent.use), conditions });
  const notes = [...result.notes, ...tenantsAlike(run)];
  return { ...result, notes, startedAt, seconds, ...given({ planned: plannedRate(plan) }) };
}

/** The planned rate over time of all traffic that is sent at a rate; undefined if there is none. */
function plannedRate({ scenario, profile }: LoadPlan): LoadResult["planned"] {
  const all = openTraffic(scenario).map((traffic) =>
    traffic === "tenants" ? profile.stages : stagesOf(profile, traffic),
  );
  const rateAt = (stage: number) => all.reduce((sum, stages) => sum + (stages[stage]?.rate ?? 0), 0);
  return all.length === 0
    ? undefined
    : profile.stages.map(({ seconds }, at) => ({ seconds, rate: rateAt(at) }));
}

/**
 * The plan with the limit that a polite run stays below: the profile's, or else one that a probe finds.
 * @throws CannotRunError when the probe finds no limit.
 */
async function withKnownLimit(request: LoadRequest): Promise<LoadPlan> {
  const { plan, target, progress, outDir, probe = profiles.probe } = request;
  if (!mustProbeFirst(plan)) return plan;
  progress("rate-limit: running a probe first, to find the limit");
  const { rateLimit, findings, notes } = await runLoad({
    ...request,
    plan: { ...plan, profileName: "probe", profile: { ...probe, rateLimit: { mode: "probe" } } },
    outDir: join(outDir, "load", "probe-before"),
  });
  const perSecond = rateLimit?.limit?.perSecond;
  if (perSecond === undefined) {
    throw new CannotRunError({
      what: "The rate limit that the polite run must stay below was not found",
      where: ["the probe", ...[...findings, ...notes].map((one) => said(one, target).message)]
        .join(": ")
        .replace(/\.$/, ""),
      fix: "Set rateLimit.perSecond in the profile. For details, run: npx shelfcheck load --scenario rate-limit --profile probe",
    });
  }
  return { ...plan, profile: { ...plan.profile, rateLimit: { mode: "polite", perSecond } } };
}

/** Whether the field names of a batch are known, if the scenario sends batches. */
export function canSendBatches(scenario: ScenarioId, { dialect }: Pick<LoadFixtures, "dialect">): boolean {
  const sendsBatches = scenarios[scenario].traffic.some((one) => one === "batch" || one === "tenants");
  return dialect.batchRequestField !== undefined || !sendsBatches;
}

/** What the scenario needs but discovery did not find, with the cause. */
export function missingFixtures({
  plan: { scenario },
  fixtures,
  noProduct,
  noBatch,
}: Pick<LoadRequest, "plan" | "fixtures" | "noProduct" | "noBatch">): Finding[] {
  if (fixtures.products.length === 0)
    return [{ code: "no-products-to-load" }, ...(noProduct === undefined ? [] : [noProduct])];
  if (scenario === "tenants" && fixtures.tenants === undefined) return [{ code: "no-tenants-to-load" }];
  if (!canSendBatches(scenario, fixtures))
    return [{ code: "no-batch-field" }, ...(noBatch === undefined ? [] : [noBatch])];
  return [];
}

/** Whose lists are equal, no retailer shows a mix-up of them. */
function tenantsAlike({ plan, fixtures: { tenants = [] } }: LoadRequest): Finding[] {
  const [one, other] = tenants.map(({ retailers }) => new Set(retailers));
  const areEqual = one && other && one.symmetricDifference(other).size === 0;
  return plan.scenario === "tenants" && areEqual ? [{ code: "tenants-alike" }] : [];
}

/** Exit codes of k6 after which a run may have started: success, crossed thresholds, or a signal. */
const begunCodes: readonly (number | undefined)[] = [0, 99, undefined];

/** @throws CannotRunError when k6 ended before the run started, as with a wrong argument. */
function throwIfNotStarted({ code, interrupted, stopped, reported, error }: K6Exit, log: string): void {
  if (interrupted || stopped !== undefined || reported.length > 0 || begunCodes.includes(code)) return;
  throw new CannotRunError({
    what: `k6 could not run the scenario (exit code ${code})`,
    where: error?.split("\n", 1)[0] ?? log,
    fix: `See ${log}; check --k6-arg and the profile.`,
  });
}

/** The result of a run: what was measured and recorded, and the judgement on it. */
export function loadResult(run: EndedRun): LoadResult {
  const { series, evidence, conditions } = run;
  const [measured, judgement] = [measuredLoad(run), judgeLoad(run)];
  return {
    ...{ ...measured, ...judgement, series, conditions },
    notes: [...judgement.notes, ...measured.notes],
    evidence: evidence.length === 0 ? undefined : evidence,
  };
}
