import type { CheckResult, RequirementResult, Waiver } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import { type HttpClient, openClient, type Wait } from "../client/http-client.ts";
import { isOfTheWay } from "../client/on-the-way.ts";
import { type PoliteClient, politely } from "../client/polite-client.ts";
import type { Request } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import { type Discovery, discover } from "../discovery/discover.ts";
import { rules } from "../rules/all.ts";
import { factsOf } from "../rules/facts.ts";
import { judgeAll } from "../rules/judge-all.ts";
import type { JudgedCheck, Rule, RuleFacts } from "../rules/rule.ts";
import { type Listed, listChecks, suiteSections } from "../suite/all.ts";
import type { Check, Fuzz } from "./check.ts";
import { crashed, NotJudged, type Outcome } from "./outcome.ts";
import { requirementResults } from "./requirement-results.ts";
import { type KeepBody, outcomeOf, resultOf } from "./run-check.ts";
import { type Selection, selectChecks } from "./select.ts";
import { openSession, type Session, type SessionTraffic, trafficOf } from "./session.ts";

/** What bounds the requests to a target. */
export interface Bounds {
  readonly target: Target;
  /** Most requests to send, discovery included. */
  readonly maxRequests: number;
  readonly signal: AbortSignal;
  /** Told of waits. */
  readonly onWait?: (wait: Wait) => void;
  /** Told what was sent and met where discovery does not reach its end. */
  readonly onUndiscovered?: (traffic: SessionTraffic) => void;
}

/** How a service is to be judged. */
export interface JudgeOptions extends Bounds {
  /** Default: everything */
  readonly selection?: Selection;
  /** Known failures that are accepted for this target today. Default: none */
  readonly waivers?: readonly Waiver[];
  /** Default: bodies that are too long for the results are cut */
  readonly keepBody?: KeepBody;
  /** Requests to ask before the checks; the passive rules look at their responses too. Default: none */
  readonly first?: readonly Request[];
  /** How many times as much as usual may be asked. Default: 1 */
  readonly effort?: number;
  /** Default: no drawn inputs */
  readonly fuzz?: Fuzz;
  /** Told how many requests it took. */
  readonly onDiscovered?: (requests: number) => void;
  readonly onResult?: (result: CheckResult) => void;
  readonly onHeading?: (done: HeadingDone) => void;
}

/** What came of all that ran under one heading. */
export interface HeadingDone {
  readonly heading: string;
  readonly results: readonly CheckResult[];
  /** Requests of the whole run until now. */
  readonly requests: number;
}

/** What a run found out; after an abort, what it had found until then. */
export interface ServiceJudgement {
  readonly discovery: Discovery;
  /** One for each requirement that a selected check judges, reached or not. */
  readonly requirements: RequirementResult[];
  readonly traffic: SessionTraffic;
  /** Responses to the requests that were to be asked first, in their order; undefined where none came. */
  readonly first: readonly (Exchange | undefined)[];
  /** Ids of the passive rules that a response to one of these concerned. */
  readonly concernedByFirst: ReadonlySet<string>;
}

/** Checks of one heading that run at the same time. */
const checksAtOnce = 5;

/**
 * Discovers a service and judges it: heading after heading in the order of `listChecks`, the checks of one heading side
 * by side, a failure asked again, the passive rules last over every exchange.
 * @throws CannotJudge, WrongKeyRoles as discover; SelectionError as selectChecks; the signal's reason when it is aborted
 *   before discovery is done.
 */
export async function judgeService(options: JudgeOptions): Promise<ServiceJudgement> {
  const { target, signal, waivers = [], first = [] } = options;
  const selected = selectChecks(listChecks(), options.selection ?? { only: [], skip: [] });
  await using http = openClient(options);
  const client = politely(http);
  const discovery = await discoverOrTell(http, client, options);
  options.onDiscovered?.(http.requests().total);
  const session = openSession({
    target,
    http,
    discovery,
    client,
    ...(options.effort === undefined ? {} : { effort: options.effort }),
    ...(options.fuzz === undefined ? {} : { fuzz: options.fuzz }),
  });
  const answers = await askInTurn(first, session, signal);
  // Made by the first rule, when every check is done.
  let facts: RuleFacts | undefined;

  async function outcomeFor({ id }: Listed, seen: Exchange[]): Promise<Outcome> {
    const check = checks.get(id);
    if (check !== undefined) return await outcomeOf(check, session, signal, seen);
    const rule = rules.find((one) => one.id === id);
    if (rule === undefined) throw new Error(`${id} is neither a check nor a rule`);
    // The rules run last, when every check is done.
    const exchanges = http.exchanges.filter((exchange) => !isOfTheWay(exchange));
    facts ??= { ...factsOf(exchanges, discovery), checks: judgedOf(selected, results) };
    const outcome = judgeAll(rule, exchanges, facts);
    const isAvoided =
      outcome.kind === "inconclusive" && target.avoid?.includes("burst") && isOfTheLimit(rule);
    return isAvoided ? new NotJudged({ code: "avoided", subject: "burst" }).outcome() : outcome;
  }

  const results: CheckResult[] = [];
  for (const [heading, entries] of inOrder(selected, discovery)) {
    const done: CheckResult[] = [];
    await sideBySide(entries, async (entry) => {
      if (signal.aborted) return;
      const seen: Exchange[] = [];
      const started = performance.now();
      const outcome = await outcomeFor(entry, seen).catch(crashed);
      if (outcome.kind === "error" && signal.aborted) return;
      const result = {
        ...resultOf(entry, outcome, seen, {
          waivers,
          redaction: http.redaction,
          optional: target.optional ?? [],
          keepBody: options.keepBody,
        }),
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
  facts ??= factsOf(http.exchanges, discovery);
  return {
    discovery,
    requirements: requirementResults(selected, results),
    traffic: session.traffic(),
    first: answers,
    concernedByFirst: concernedBy(answers, facts),
  };
}

function judgedOf(selected: readonly Listed[], results: readonly CheckResult[]): JudgedCheck[] {
  const requirementOf = new Map(selected.map(({ id, requirement }) => [id, requirement]));
  return results.map(({ id, verdict, findings }) => ({
    requirement: requirementOf.get(id) ?? "",
    verdict,
    findings,
  }));
}

const checks: ReadonlyMap<string, Check> = new Map(
  suiteSections.flatMap((section) => section.checks.map((check: Check) => [check.id, check])),
);

/** By heading. What rests on a key whose role is in doubt waits for the checks of the limit: they may tell. */
function inOrder(
  selected: readonly Listed[],
  { fixtures: { sameOrgKey } }: Discovery,
): (readonly [heading: string, entries: readonly Listed[]])[] {
  const inDoubt = sameOrgKey.present && sameOrgKey.value.told === "against";
  const waits = ({ id }: Listed) => inDoubt && checks.get(id)?.restsOn === "sameOrgKey";
  const isRule = ({ id }: Listed) => !checks.has(id);
  const parts = [
    selected.filter((entry) => !waits(entry) && !isRule(entry)),
    selected.filter(waits),
    selected.filter(isRule),
  ];
  return parts.flatMap((part) => [...Map.groupBy(part, ({ heading }) => heading)]);
}

/** Whether only a service that was sent over its limit gives a response that the rule judges. */
function isOfTheLimit({ exercisedBy }: Rule): boolean {
  return typeof exercisedBy === "object" && exercisedBy.statuses.every((status) => status === 429);
}

async function sideBySide(
  entries: readonly Listed[],
  judge: (entry: Listed) => Promise<void>,
): Promise<void> {
  const waiting = [...entries];
  async function work(): Promise<void> {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) await judge(entry);
  }
  await Promise.all(Array.from({ length: checksAtOnce }, work));
}

async function askInTurn(
  requests: readonly Request[],
  session: Session,
  signal: AbortSignal,
): Promise<(Exchange | undefined)[]> {
  const { ask } = session.context([], { fresh: false, signal });
  const answers: (Exchange | undefined)[] = [];
  for (const request of requests) {
    answers.push(
      await ask(request).catch((error: unknown) => {
        if (error instanceof NotJudged || signal.aborted) return undefined;
        throw error;
      }),
    );
  }
  return answers;
}

function concernedBy(answers: readonly (Exchange | undefined)[], facts: RuleFacts): ReadonlySet<string> {
  const known = answers.filter((answer) => answer !== undefined);
  const concerned = rules.filter((rule) => known.some((answer) => rule.judge(answer, facts) !== undefined));
  return new Set(concerned.map(({ id }) => id));
}

/** What a target shows of itself, without judging it. @throws CannotJudge as judgeService. */
export async function discoverService(
  bounds: Bounds,
): Promise<Pick<ServiceJudgement, "discovery" | "traffic">> {
  await using http = openClient(bounds);
  const client = politely(http);
  const discovery = await discoverOrTell(http, client, bounds);
  await client.settle(bounds.signal);
  return { discovery, traffic: trafficOf(http, discovery, client) };
}

async function discoverOrTell(
  http: HttpClient,
  client: PoliteClient,
  { target, onUndiscovered }: Bounds,
): Promise<Discovery> {
  try {
    return await discover(http, target, client);
  } catch (error) {
    onUndiscovered?.(trafficOf(http, { dialect: target.dialect }, client));
    throw error;
  }
}
