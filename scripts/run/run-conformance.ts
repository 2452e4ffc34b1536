import { CannotJudge } from "../../conformance/client/cannot-judge.ts";
import { type ClientState, openClient } from "../../conformance/client/exchange.ts";
import { redactionFor, redactValue } from "../../conformance/client/redaction.ts";
import type { Target } from "../../conformance/client/target.ts";
import { type Discovery, discover } from "../../conformance/discovery/discover.ts";
import type { Provided } from "../../conformance/engine/provided.ts";
import { listChecks } from "../../conformance/suite/all.ts";
import type { Discovered, LoadFixtures, RequirementResult, Results, Waiver } from "../../schemas/types.ts";
import { CannotRunError, type ProblemText } from "../errors.ts";
import { discoveredOf } from "./discovered.ts";
import { loadFixturesOf } from "./load-fixtures.ts";
import { requirementResults } from "./requirement-results.ts";
import { runSuite } from "./run-suite.ts";
import { selectChecks } from "./select.ts";

export interface ConformanceOptions {
  readonly target: Target;
  /** Ids of requirements or checks, or section keys; all when empty. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  /** Most requests to send, discovery included. */
  readonly maxRequests: number;
  /** Known failures that are accepted for this target today. Default: none */
  readonly waivers?: readonly Waiver[];
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What a run of the suite learned, whether it came to its end or not. */
export interface ConformanceRun {
  readonly requirements: RequirementResult[];
  readonly requests: Results["requests"];
  readonly discovered: Discovered;
  readonly loadFixtures: LoadFixtures;
  /** The target stopped answering, or the harness broke, before the end. */
  readonly problem?: ProblemText;
}

/**
 * Discovers the target and judges it with the vitest suite.
 * @throws UsageError for an unknown id or nothing selected; CannotRunError when the target does not answer or refuses the key.
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceRun> {
  const { target, maxRequests, waivers = [], progress, signal } = options;
  const selected = selectChecks(listChecks(), options);
  progress("asking the target for its retailers, products and dialect");
  const { discovery, http } = await discoverThrough(options);
  const ids = selected.map(({ id }) => id);
  const provided: Provided = { target, maxRequests, discovery, http, selected: ids, waivers };
  const { reports, problem } = await runSuite(provided, { progress, signal });
  const traffic = reports.at(-1)?.traffic;
  const gone = traffic?.gone;
  const ended = gone === undefined ? problem : { what: gone.what, where: gone.where, mend: gone.fix };
  return {
    requirements: requirementResults(selected, reports),
    requests: traffic?.requests ?? { total: http.sent, byEndpoint: { ...http.byEndpoint } },
    discovered: discoveredOf(discovery, http, traffic),
    loadFixtures: loadFixturesOf(discovery, redactionFor(target)),
    ...(ended === undefined ? {} : { problem: ended }),
  };
}

/** What the target shows of itself, without judging it. @throws CannotRunError as runConformance. */
export async function discoverTarget(
  options: Omit<ConformanceOptions, "only" | "skip" | "waivers">,
): Promise<{ discovered: Discovered; loadFixtures: LoadFixtures }> {
  const { discovery, http } = await discoverThrough(options);
  return {
    discovered: discoveredOf(discovery, http, undefined),
    loadFixtures: loadFixturesOf(discovery, redactionFor(options.target)),
  };
}

/** Asks the target for all that the suite needs; also where vitest itself starts the run. @throws CannotRunError */
export async function discoverThrough({
  target,
  maxRequests,
  signal,
}: Pick<ConformanceOptions, "target" | "maxRequests" | "signal">): Promise<{
  discovery: Discovery;
  http: ClientState;
}> {
  const http = openClient({ target, maxRequests, signal });
  try {
    const discovery = await discover(http, target);
    return { discovery, http: http.state() };
  } catch (error) {
    if (!(error instanceof CannotJudge)) throw error;
    const { what, where, fix: mend } = error;
    throw new CannotRunError(redactValue({ what, where, mend }, http.redaction), { cause: error });
  } finally {
    await http.close();
  }
}
