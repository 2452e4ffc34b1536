import type { Wait } from "../../conformance/client/http-client.ts";
import { redactionFor } from "../../conformance/client/redaction.ts";
import type { Target } from "../../conformance/client/target.ts";
import { CannotJudge } from "../../conformance/discovery/first-contact.ts";
import {
  type Bounds,
  discoverService,
  type HeadingDone,
  type JudgeOptions,
  judgeService,
  type ServiceJudgement,
} from "../../conformance/engine/judge-service.ts";
import { type Selection, SelectionError, selectChecks } from "../../conformance/engine/select.ts";
import { type Listed, listChecks } from "../../conformance/suite/all.ts";
import type { CheckResult, Discovered, LoadFixtures, Problem, Results } from "../../schemas/types.ts";
import { verdictLabels } from "../../schemas/verdicts.ts";
import { grouped, perSecond } from "../../schemas/words/format.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { type RunBaseline, waiverResults, waiversInForce } from "../earlier/baseline.ts";
import { CannotRunError, UsageError } from "../errors.ts";
import { discoveredOf, loadFixturesOf, rateLimitOf } from "./discovered.ts";
import type { Run } from "./record.ts";

type StageOptions = Selection & { readonly maxRequests: number; readonly baseline: RunBaseline };

/**
 * Judges the target and notes what was learned, what became of the waivers, and a target that stopped answering.
 * @returns What load may ask for.
 * @throws UsageError for an unknown name or nothing selected; CannotRunError when the target does not answer or rejects the key.
 */
export async function conformanceStage(
  { target, progress, signal, learned }: Run,
  { only, skip, maxRequests, baseline }: StageOptions,
): Promise<LoadFixtures> {
  const scope = scopeOf({ only, skip });
  progress("discovering the target: retailers, products, field names");
  const { discovery, traffic, requirements } = await judgeTarget({
    target,
    maxRequests,
    selection: { only, skip },
    waivers: waiversInForce(baseline),
    signal,
    onHeading: (done) => progress(headingLine(done)),
    onWait: (wait) => progress(waitLine(wait)),
    onUndiscovered: ({ requests, survey, ...met }) => {
      learned.requests = requests;
      learned.discovered = { ...learned.discovered, ...survey, rateLimit: rateLimitOf(met) };
    },
  });
  learned.requirements = requirements;
  learned.requests = traffic.requests;
  learned.discovered = discoveredOf(discovery, traffic);
  if (scope !== undefined) learned.scope = scope;
  const results = waiverResults(baseline, learned);
  if (results.length > 0) learned.waivers = results;
  const { gone } = traffic;
  if (gone !== undefined) {
    learned.problem = problemFrom(gone, target.baseUrl);
  }
  return loadFixturesOf(discovery, redactionFor(target));
}

/** How much of the spec a selection judges; undefined when it leaves nothing out. */
function scopeOf(selection: Selection): Results["scope"] {
  const all = listChecks();
  const selected = selectListed(selection);
  const requirements = (checks: readonly Listed[]) =>
    new Set(checks.map(({ requirement }) => requirement)).size;
  return selected.length === all.length
    ? undefined
    : { requirements: requirements(selected), of: requirements(all) };
}

function headingLine({ heading, results }: HeadingDone): string {
  const counts = [...Map.groupBy(results, ({ verdict }) => verdict)].map(
    ([verdict, all]) => `${all.length} ${verdictLabels[verdict]}`,
  );
  return `${heading}: ${counts.join(", ")}`;
}

/** What a run says while it waits or goes slowly. */
export function waitLine(wait: Wait): string {
  switch (wait.kind) {
    case "refusal":
      return `waiting ${Math.ceil(wait.seconds)} s, as Retry-After asks`;
    case "pace":
      return `${grouped(wait.sent)} requests sent, now at ${perSecond(wait.perSecond)} to stay within the limit`;
    default:
      return wait satisfies never;
  }
}

/** What the target shows of itself, without judging it, and why it could not be asked to the end. @throws CannotRunError as conformanceStage. */
export async function discoverTarget(
  bounds: Bounds,
): Promise<{ discovered: Discovered; loadFixtures: LoadFixtures; problem?: Problem }> {
  const { discovery, traffic } = await discoverService(bounds).catch(rethrow);
  return {
    discovered: discoveredOf(discovery, traffic),
    loadFixtures: loadFixturesOf(discovery, redactionFor(bounds.target)),
    ...(traffic.gone === undefined ? {} : { problem: problemFrom(traffic.gone, bounds.target.baseUrl) }),
  };
}

/** The engine, for commands: what it throws has an exit code. @throws UsageError, CannotRunError as conformanceStage. */
export async function judgeTarget(options: JudgeOptions): Promise<ServiceJudgement> {
  return await judgeService(options).catch(rethrow);
}

/**
 * What the suite says of a target, check by check, and the requests that it took.
 * @throws as judgeTarget, and the signal's reason when it is aborted.
 */
export async function judgeChecks(
  target: Target,
  { only, skip, ...bounds }: Selection & Omit<Bounds, "target">,
): Promise<{ checks: CheckResult[]; requests: number }> {
  const { requirements, traffic } = await judgeTarget({ ...bounds, target, selection: { only, skip } });
  bounds.signal.throwIfAborted();
  return { checks: requirements.flatMap(({ checks }) => checks), requests: traffic.requests.total };
}

/** The checks and rules that a selection leaves. @throws UsageError for an unknown name, and when nothing is left. */
export function selectListed(selection: Selection): Listed[] {
  try {
    return selectChecks(listChecks(), selection);
  } catch (error) {
    return rethrow(error);
  }
}

/** What the engine threw, as an error with an exit code. */
function rethrow(error: unknown): never {
  if (error instanceof CannotJudge) {
    const { what, where, fix } = error;
    throw new CannotRunError({ what, where, fix }, { cause: error });
  }
  throw error instanceof SelectionError ? usageErrorOf(error) : error;
}

function usageErrorOf({ mistake }: SelectionError): UsageError {
  if (mistake.kind === "unknown name") {
    return new UsageError({
      what: "no check, and no requirement or section that has checks, has this name",
      where: `--${mistake.list} ${mistake.name}`,
      fix: didYouMean(mistake.name, mistake.known),
    });
  }
  const { only, skip } = mistake.selection;
  return new UsageError({
    what: "nothing is selected",
    where: [...only.map((name) => `--only ${name}`), ...skip.map((name) => `--skip ${name}`)].join(" "),
    fix: "Leave one of them out: together they exclude every check.",
  });
}
