import type { CheckResult, RequirementResult } from "../../schemas/contracts/results.ts";
import type { Waiver } from "../../schemas/contracts/waivers.ts";
import type { Exchange } from "../client/exchange.ts";
import { answeredOnTheWay, isLostOnTheWay } from "../client/from.ts";
import { type HttpClient, openClient, type Wait } from "../client/http-client.ts";
import { createPoliteClient, type PoliteClient } from "../client/polite-client.ts";
import type { Target } from "../client/target.ts";
import { type Discovery, discover } from "../discovery/discover.ts";
import { crashed, NotJudged, type Outcome } from "../requirements/outcome.ts";
import { factsOf } from "../rules/facts.ts";
import { historyRules } from "../rules/history.ts";
import { judgeAll } from "../rules/judge-all.ts";
import { isOfTheLimit, type RuleFacts } from "../rules/rule.ts";
import { rules } from "../rules/rules.ts";
import { type Listed, listChecks, suiteSections } from "../suite/all.ts";
import type { Check, Fuzz } from "../suite/check/check.ts";
import { isHopeless, lostRequests, tellingExchanges, tooManyLost } from "./notices.ts";
import { requirementResults } from "./requirement-results.ts";
import { type KeepBody, outcomeOf, resultOf } from "./run-check.ts";
import { covers, type Selection, selectChecks } from "./select.ts";
import { openSession, type SessionTraffic, trafficOf } from "./session.ts";

export interface Bounds {
  readonly target: Target;
  /** Most requests to send, discovery included. */
  readonly maxRequests: number;
  /** Longest time in which requests are sent. Default: no limit */
  readonly maxSeconds?: number | undefined;
  readonly signal: AbortSignal;
  /** Called when the run waits; see ClientOptions. */
  readonly onWait?: (wait: Wait) => void;
  /** Called with the traffic so far when discovery fails. */
  readonly onUndiscovered?: (traffic: SessionTraffic) => void;
}

export interface JudgeOptions extends Bounds {
  /** Default: everything */
  readonly selection?: Selection;
  /** Known failures that are accepted for this target at present. Default: none */
  readonly waivers?: readonly Waiver[];
  /** Stores long bodies. Default: they are only shortened */
  readonly keepBody?: KeepBody;
  /** Multiplies the usual number of requests. Default: 1 */
  readonly effort?: number;
  /** Default: no generated inputs */
  readonly fuzz?: Fuzz | undefined;
  /** Called after discovery with the number of requests sent. */
  readonly onDiscovered?: (requests: number) => void;
  readonly onResult?: ((result: CheckResult) => void) | undefined;
  readonly onHeading?: (done: HeadingDone) => void;
}

/** The results of all checks under one heading. */
export interface HeadingDone {
  readonly heading: string;
  readonly results: readonly CheckResult[];
  /** Requests of the whole run so far. */
  readonly requests: number;
}

/** The result of a run; after an abort, the results so far. */
export interface ServiceJudgement {
  readonly discovery: Discovery;
  /** One for each requirement with a selected check, whether or not the check ran. */
  readonly requirements: RequirementResult[];
  readonly traffic: SessionTraffic;
}

/** Checks of one heading that run concurrently. */
const checksAtOnce = 5;

/**
 * Discovers a service and judges it: heading by heading in the order of `listChecks`, with the checks of one heading
 * concurrently, and at last the passive rules over all exchanges.
 * @throws CannotJudge, WrongKeyRoles as discover; SelectionError as selectChecks; the signal's reason when it is
 * aborted during discovery
 */
export async function judgeService(options: JudgeOptions): Promise<ServiceJudgement> {
  const { target, signal, waivers = [] } = options;
  const selected = selectChecks(listChecks(), options.selection ?? { only: [], skip: [] });
  await using http = openClient(options);
  const client = createPoliteClient(http);
  const discovery = await discoverOrReport(http, client, options);
  options.onDiscovered?.(http.requests().total);
  const { effort, fuzz } = options;
  const session = openSession({ target, http, discovery, client, effort, fuzz });
  // Computed by the first rule, after all checks have ended.
  let telling: Exchange[] | undefined;
  let facts: RuleFacts | undefined;

  async function outcomeFor({ id }: Listed, seen: Exchange[]): Promise<Outcome> {
    const check = checks.get(id);
    if (check !== undefined) return ofTheService(await outcomeOf(check, session, signal, seen), http);
    const rule = rules.find((one) => one.id === id);
    const ofHistory = historyRules.find((one) => one.id === id);
    telling ??= tellingExchanges(http.exchanges);
    facts ??= factsOf(telling, discovery);
    if (ofHistory !== undefined) return ofHistory.judge(telling, facts);
    if (rule === undefined) throw new Error(`${id} is neither a check nor a rule`);
    const outcome = judgeAll(rule, telling, facts);
    const isAvoided =
      outcome.kind === "inconclusive" && target.avoid?.includes("burst") && isOfTheLimit(rule);
    return isAvoided ? new NotJudged({ code: "avoided", subject: "burst" }).outcome() : outcome;
  }

  const results: CheckResult[] = [];
  const leftOut = new Set<string>();
  for (const [heading, entries] of inOrder(selected, discovery)) {
    const done: CheckResult[] = [];
    await concurrently(entries, async (entry) => {
      if (signal.aborted || isHopeless(http.exchanges)) return;
      const seen: Exchange[] = [];
      const [startedAt, started] = [new Date(), performance.now()];
      const outcome = await outcomeFor(entry, seen).catch(crashed);
      if (outcome.kind === "error" && signal.aborted) return;
      if (outcome.kind === "inconclusive" && needsSkipped(entry, options.selection)) {
        leftOut.add(entry.id);
        return;
      }
      const result = {
        ...resultOf(entry, outcome, seen, {
          waivers,
          redaction: http.redaction,
          optional: target.optional ?? [],
          keepBody: options.keepBody,
        }),
        startedAt: startedAt.toISOString(),
        milliseconds: Math.round(performance.now() - started),
      };
      done.push(result);
      options.onResult?.(result);
    });
    if (done.length === 0) continue;
    results.push(...done);
    options.onHeading?.({ heading, results: done, requests: http.requests().total });
  }
  await client.settle(signal);
  return {
    discovery,
    requirements: requirementResults(
      selected.filter(({ id }) => !leftOut.has(id)),
      results,
    ),
    traffic: session.traffic(),
  };
}

/**
 * Whether a rule needs responses that only checks provoke which the user skipped. Such a rule is left out with them, so that
 * the outcome does not depend on whether the target happens to refuse another request.
 */
function needsSkipped({ id, requirement }: Listed, selection: Selection | undefined): boolean {
  const { only = [], skip = [] } = selection ?? {};
  if (skip.length === 0 || only.includes(id) || only.includes(requirement)) return false;
  const atLimit = listChecks().filter(({ bursts }) => bursts === true);
  const areSkipped = atLimit.every((check) => skip.some((name) => covers(name, check)));
  return areSkipped && rules.some((rule) => rule.id === id && isOfTheLimit(rule));
}

/** With these statuses a gateway says that the service closed the connection or did not respond in time. */
const statusesOfBreakdown: readonly number[] = [502, 504];

/**
 * Does not blame the service for a failure that only a gateway's response shows. If the service breaks off the same
 * request each time, although others succeed, it is still the service's failure.
 */
function ofTheService(outcome: Outcome, { exchanges, requests }: HttpClient): Outcome {
  const ofGateway = outcome.kind === "fail" ? outcome.evidence.find(isLostOnTheWay) : undefined;
  if (ofGateway === undefined) return outcome;
  const { status: actual } = ofGateway.response;
  const loss = lostRequests(exchanges, requests().total);
  if (statusesOfBreakdown.includes(actual) && loss !== undefined && !tooManyLost(loss)) return outcome;
  return new NotJudged(answeredOnTheWay(ofGateway), { exchange: ofGateway }).outcome();
}

const checks: ReadonlyMap<string, Check> = new Map(
  suiteSections.flatMap((section) => section.checks.map((check: Check) => [check.id, check])),
);

/**
 * Groups checks by heading. Checks that rely on a key whose role is in doubt come after those of the rate limit,
 * which may confirm the role.
 */
function inOrder(
  selected: readonly Listed[],
  { fixtures: { sameOrgKey } }: Discovery,
): (readonly [heading: string, entries: readonly Listed[]])[] {
  const inDoubt = sameOrgKey.present && sameOrgKey.value.role === "contradicted";
  const waits = ({ id }: Listed) => inDoubt && checks.get(id)?.restsOn === "sameOrgKey";
  const isRule = ({ id }: Listed) => !checks.has(id);
  const parts = [
    selected.filter((entry) => !waits(entry) && !isRule(entry)),
    selected.filter(waits),
    selected.filter(isRule),
  ];
  return parts.flatMap((part) => [...Map.groupBy(part, ({ heading }) => heading)]);
}

async function concurrently(
  entries: readonly Listed[],
  judge: (entry: Listed) => Promise<void>,
): Promise<void> {
  const waiting = [...entries];
  async function work(): Promise<void> {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) await judge(entry);
  }
  await Promise.all(Array.from({ length: checksAtOnce }, work));
}

/** Runs discovery alone. @throws CannotJudge, WrongKeyRoles as judgeService. */
export async function discoverService(
  bounds: Bounds,
): Promise<Pick<ServiceJudgement, "discovery" | "traffic">> {
  await using http = openClient(bounds);
  const client = createPoliteClient(http);
  const discovery = await discoverOrReport(http, client, bounds);
  await client.settle(bounds.signal);
  return { discovery, traffic: trafficOf(http, discovery, client) };
}

async function discoverOrReport(
  http: HttpClient,
  client: PoliteClient,
  { target, onUndiscovered }: Bounds,
): Promise<Discovery> {
  try {
    return await discover(http, target, client);
  } catch (error) {
    onUndiscovered?.(trafficOf(http, { fieldNames: target.fieldNames }, client));
    throw error;
  }
}
