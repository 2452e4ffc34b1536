import type { CheckResult, RequirementResult } from "../../schemas/contracts/results.ts";
import { answeredOnTheWay, type Exchange, isLostOnTheWay } from "../client/exchange.ts";
import { type ClientOptions, type HttpClient, openClient } from "../client/http-client.ts";
import { createPoliteClient } from "../client/polite-client.ts";
import { type Discovery, discover } from "../discovery/discover.ts";
import { crashed, NotJudged, type Outcome } from "../requirements/outcome.ts";
import { factsOf } from "../rules/facts.ts";
import { historyRules } from "../rules/history.ts";
import { judgeAll, rules } from "../rules/judge-all.ts";
import { isOfTheLimit } from "../rules/rule.ts";
import {
  covers,
  type Listed,
  listChecks,
  type Selection,
  selectChecks,
  suiteSections,
} from "../suite/all.ts";
import type { Check, Fuzz } from "../suite/check/check.ts";
import { isHopeless, lostRequests, tellingExchanges, tooManyLost } from "./notices.ts";
import { type Circumstances, requirementResults, resultOf } from "./results.ts";
import { outcomeOf } from "./run-check.ts";
import { openSession, type Session, type SessionTraffic, trafficOf } from "./session.ts";

export interface Bounds
  extends Pick<ClientOptions, "target" | "maxRequests" | "maxSeconds" | "connections" | "onWait"> {
  readonly signal: AbortSignal;
  /** Called with the traffic so far when discovery fails. */
  readonly onUndiscovered?: (traffic: SessionTraffic) => void;
}

export interface JudgeOptions extends Bounds, Pick<Circumstances, "waivers"> {
  /** Default: everything */
  readonly selection?: Selection;
  /** Default: no generated inputs */
  readonly fuzz?: Fuzz | undefined;
  readonly onResult?: ((result: CheckResult) => void) | undefined;
  readonly onHeading?: (done: HeadingDone) => void;
}

/** The results of all checks under one heading. */
export interface HeadingDone {
  readonly heading: string;
  readonly results: readonly CheckResult[];
}

interface DiscoveredService {
  readonly discovery: Discovery;
  readonly traffic: SessionTraffic;
}

/** The result of a run; after an abort, the results so far. */
export interface ServiceJudgement extends DiscoveredService {
  /** One for each requirement with a selected check, whether or not the check ran. */
  readonly requirements: RequirementResult[];
}

const checksAtOnce = 5;

/**
 * Discovers a service and judges it: the parts in the order of `listChecks`, the checks of a part
 * concurrently, and at last the rules, on all exchanges.
 * @throws CannotJudge, WrongKeyRoles as discover; the signal's reason when it is aborted during discovery
 */
export async function judgeService(options: JudgeOptions): Promise<ServiceJudgement> {
  const { target, signal, waivers, selection = { only: [], skip: [] } } = options;
  const selected = selectChecks(listChecks(), selection);
  const results: CheckResult[] = [];
  const service = await withSession(options, async (session, discovery, http) => {
    const circumstances = { waivers, redaction: http.redaction, optional: target.optional };
    // Made by the first rule, after all checks have ended.
    let ofRule: ReturnType<typeof rulesOver> | undefined;
    const outcomeFor = async ({ id }: Listed, seen: Exchange[]): Promise<Outcome> => {
      const check = checks.get(id);
      if (check !== undefined) return ofTheService(await outcomeOf(check, session, seen), http);
      ofRule ??= rulesOver(http.exchanges, discovery, target.avoid?.includes("burst") === true);
      return ofRule(id);
    };
    const resultFor = async (entry: Listed): Promise<CheckResult | undefined> => {
      if (signal.aborted || isHopeless(http.exchanges)) return undefined;
      const seen: Exchange[] = [];
      const [startedAt, started] = [new Date(), performance.now()];
      const judged = await outcomeFor(entry, seen).catch(crashed);
      if (judged.kind === "error" && signal.aborted) return undefined;
      const isExcused = judged.kind === "inconclusive" && needsSkipped(entry, selection);
      const outcome = isExcused ? new NotJudged({ code: "avoided", subject: "skip" }).outcome() : judged;
      const milliseconds = Math.round(performance.now() - started);
      const own = resultOf(entry, outcome, seen, circumstances);
      return { ...own, startedAt: startedAt.toISOString(), milliseconds };
    };
    for (const part of inOrder(selected, discovery)) {
      const finished: { readonly heading: string; readonly result: CheckResult | undefined }[] = [];
      await concurrently(part, async (entry) => {
        const { heading } = entry;
        const result = await resultFor(entry);
        finished.push({ heading, result });
        if (result !== undefined) {
          results.push(result);
          options.onResult?.(result);
        }
        const own = finished.filter((one) => one.heading === heading);
        const isDone = own.length === part.filter((one) => one.heading === heading).length;
        const done = isDone ? own.flatMap((one) => one.result ?? []) : [];
        if (done.length > 0) options.onHeading?.({ heading, results: done });
      });
    }
  });
  return { ...service, requirements: requirementResults(selected, results) };
}

/** Runs discovery alone. @throws CannotJudge, WrongKeyRoles as judgeService. */
export async function discoverService(bounds: Bounds): Promise<DiscoveredService> {
  return await withSession(bounds, async () => undefined);
}

async function withSession(
  { target, fuzz, onUndiscovered, ...bounds }: Bounds & Pick<JudgeOptions, "fuzz">,
  work: (session: Session, discovery: Discovery, http: HttpClient) => Promise<void>,
): Promise<DiscoveredService> {
  await using http = openClient({ ...bounds, target });
  const client = createPoliteClient(http);
  const discovery = await discover(http, target, client).catch((error) => {
    onUndiscovered?.(trafficOf(http, target, client));
    throw error;
  });
  await work(openSession({ target, http, client, discovery, fuzz }), discovery, http);
  await client.settle();
  return { discovery, traffic: trafficOf(http, discovery, client) };
}

/** The outcome of each passive rule over these exchanges. */
function rulesOver(
  exchanges: readonly Exchange[],
  discovery: Discovery,
  avoidsBurst: boolean,
): (id: string) => Outcome {
  const telling = tellingExchanges(exchanges);
  const facts = factsOf(telling, discovery);
  return (id) => {
    const ofHistory = historyRules.find((one) => one.id === id);
    if (ofHistory !== undefined) return ofHistory.judge(telling, facts);
    const rule = rules.find((one) => one.id === id);
    if (rule === undefined) throw new Error(`${id} is neither a check nor a rule`);
    const outcome = judgeAll(rule, telling, facts);
    const isAvoided = outcome.kind === "inconclusive" && avoidsBurst && isOfTheLimit(rule);
    return isAvoided ? new NotJudged({ code: "avoided", subject: "burst" }).outcome() : outcome;
  };
}

/**
 * Whether a rule needs responses that only skipped checks provoke. It is excused with them: the outcome must
 * not depend on whether the target happens to refuse another request.
 */
function needsSkipped({ id, requirement }: Listed, { only, skip }: Selection): boolean {
  if (skip.length === 0 || only.includes(id) || only.includes(requirement)) return false;
  const atLimit = listChecks().filter(({ bursts }) => bursts === true);
  const areSkipped = atLimit.every((check) => skip.some((name) => covers(name, check)));
  return areSkipped && rules.some((rule) => rule.id === id && isOfTheLimit(rule));
}

/** With these statuses a gateway says that the service closed the connection or did not respond in time. */
const statusesOfBreakdown: readonly number[] = [502, 504];

/**
 * Does not blame the service for a failure that only a gateway shows. If the service breaks off the same
 * request each time, and others succeed, it is still its failure.
 */
function ofTheService(outcome: Outcome, { exchanges, requests }: HttpClient): Outcome {
  const ofGateway = outcome.kind === "fail" ? outcome.evidence.find(isLostOnTheWay) : undefined;
  if (ofGateway === undefined) return outcome;
  const { total, burst = 0 } = requests();
  const loss = lostRequests(exchanges, total - burst);
  const isOfService = statusesOfBreakdown.includes(ofGateway.response.status);
  if (isOfService && loss !== undefined && !tooManyLost(loss)) return outcome;
  return new NotJudged(answeredOnTheWay(ofGateway), ofGateway).outcome();
}

const checks: ReadonlyMap<string, Check> = new Map(
  suiteSections.flatMap((section) => section.checks.map((check: Check) => [check.id, check])),
);

/** By part. What relies on a key in doubt comes after the rate limit's checks, which may confirm its role. */
function inOrder(
  selected: readonly Listed[],
  { fixtures: { sameOrgKey } }: Discovery,
): (readonly Listed[])[] {
  const inDoubt = sameOrgKey.present && sameOrgKey.value.role === "contradicted";
  const {
    first = [],
    late = [],
    rule = [],
  } = Object.groupBy(selected, ({ id }) => {
    const check = checks.get(id);
    if (check === undefined) return "rule";
    return inDoubt && check.restsOn === "sameOrgKey" ? "late" : "first";
  });
  return [...Map.groupBy(first, ({ part }) => part).values(), late, rule];
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
