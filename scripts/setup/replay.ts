import { evidenceOf } from "../../conformance/client/evidence.ts";
import type { Exchange } from "../../conformance/client/exchange.ts";
import type { Wait } from "../../conformance/client/http-client.ts";
import { redactionFor } from "../../conformance/client/redaction.ts";
import type { KeyVariables, Target } from "../../conformance/client/target.ts";
import type { Fixtures } from "../../conformance/discovery/fixtures.ts";
import type { JudgedByRules, ServiceJudgement } from "../../conformance/engine/judge-service.ts";
import { covers, namesOf } from "../../conformance/engine/select.ts";
import { type CheckId, requirement, requirementOf } from "../../conformance/requirements/all.ts";
import { rules } from "../../conformance/rules/rules.ts";
import { listChecks } from "../../conformance/suite/all.ts";
import type { Finding, SaidFinding } from "../../schemas/contracts/finding.ts";
import type { Condition } from "../../schemas/contracts/finding-fields.ts";
import type { CheckResult, Problem, Results } from "../../schemas/contracts/results.ts";
import type { WordsContext } from "../../schemas/contracts/words.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";
import { said } from "../runs/said.ts";
import { judgeTarget } from "../runs/stages/conformance-stage.ts";
import { type NotSent, restoreRequest } from "./recorded-request.ts";

/** Checks of an earlier run, and the id that selected them. */
export interface RecordedChecks {
  readonly id: string;
  /** The verdicts of all checks of that run. */
  readonly verdicts: ReadonlyMap<string, CheckResult["verdict"]>;
  readonly checks: readonly [CheckResult, ...CheckResult[]];
}

/** The state of an earlier finding now. `passed`: the check passed then and passes now. */
export type ReplayVerdict = "still failing" | "could not tell" | "fixed" | "passed";

/** The result of a replay: one verdict for all checks, and one for each. */
export interface Replay {
  readonly id: string;
  readonly verdict: ReplayVerdict;
  readonly checks: readonly ReplayedCheck[];
  readonly requests: readonly ReplayedRequest[];
  /** Why the replay ended early. */
  readonly problem?: Problem | undefined;
}

export interface ReplayedCheck extends Pick<CheckResult, "id" | "title"> {
  readonly before: CheckResult["verdict"];
  readonly now: CheckResult["verdict"];
  readonly findings: readonly SaidFinding[];
  readonly verdict: ReplayVerdict;
  /** Why a check that passes now does not prove a fix. */
  readonly unclear?: Unclear;
}

/** Why a check that passes now does not prove that the finding is fixed. */
export type Unclear =
  /** The requests return the same status as then, which is still wrong or means something else in a changed catalog. */
  | "same status"
  /** The responses differ and show nothing about the finding: the product or page is gone. */
  | "different responses"
  /** The responses violate a rule that passed then, or that the run did not judge, so what comes now may be no response to judge the finding by. */
  | "other fault"
  /** The failure came and went in that run too: it failed in some attempts only. */
  | "came and went"
  /** The wait was tested later after the first refusal than then: refusals that last longer than announced may have ended before. */
  | "wait not exercised"
  /** The requests could not be sent again. */
  | "not sent"
  /** The target stopped responding before the end, so the responses may not be those of the service. */
  | "target gone";

/** A request of the evidence with its responses then and now. */
export type ReplayedRequest = {
  readonly method: string;
  readonly url: string;
  readonly before: number;
} & (
  | NotSent
  | { readonly notSent: "no response" }
  /** The curl command for the request as sent now. It is never taken from a file, since users copy it into a shell. */
  | { readonly now: number; readonly curl: string }
);

export interface ReplayOptions {
  readonly target: Target;
  /** Base URL of the run that recorded the evidence. */
  readonly recordedBase: string;
  /** Names of the key variables in that run. Default: `keyVariables` */
  readonly recordedVariables?: KeyVariables | undefined;
  readonly maxRequests: number;
  readonly maxSeconds?: number | undefined;
  readonly signal: AbortSignal;
  readonly onWait?: (wait: Wait) => void;
}

/**
 * The checks of a requirement or section in a run, or a single check: those with findings, or else those that were not judged,
 * or all if all passed.
 * @throws UsageError when the run did not judge this id, with similar ids.
 */
export function recordedChecks(results: Results, id: string): RecordedChecks {
  const all = results.requirements.flatMap((requirement) =>
    requirement.checks.map((check) => ({ check, id: check.id, requirement: requirement.id })),
  );
  const matching = all.filter((one) => covers(id, one)).map(({ check }) => check);
  const found = matching.filter(isFinding);
  const notPassed = found.length > 0 ? found : matching.filter(({ verdict }) => !isGood(verdict));
  const [first, ...rest] = notPassed.length > 0 ? notPassed : matching;
  if (first !== undefined) return { id, checks: [first, ...rest], verdicts: verdictsIn(results) };
  throw new UsageError({
    what: "The run judged no requirement, check or section with this id",
    where: `replay ${id}`,
    fix:
      all.length === 0
        ? `It was a run of ${results.command}, which judges none: name a run of conformance or gate.`
        : didYouMean(id, namesOf(all)),
  });
}

/** All checks of a run with the verdict failed, warning or error; undefined when there are none. */
export function recordedFindings(results: Results, id: string): RecordedChecks | undefined {
  const [first, ...rest] = results.requirements.flatMap(({ checks }) => checks).filter(isFinding);
  return first === undefined ? undefined : { id, checks: [first, ...rest], verdicts: verdictsIn(results) };
}

function isFinding({ verdict }: Pick<CheckResult, "verdict">): boolean {
  return verdict === "fail" || verdict === "warn" || verdict === "error";
}

function verdictsIn({ requirements }: Results): RecordedChecks["verdicts"] {
  return new Map(requirements.flatMap(({ checks }) => checks.map(({ id, verdict }) => [id, verdict])));
}

/**
 * Sends the requests of the evidence again, and runs the checks again. A failure in either means that the finding still
 * fails. A check that passes now is fixed only if the requests of its evidence prove it.
 * @throws CannotRunError when the target does not respond or rejects the key.
 */
export async function replayChecks(recorded: RecordedChecks, options: ReplayOptions): Promise<Replay> {
  const { target, recordedBase, recordedVariables, maxRequests, maxSeconds, signal, onWait } = options;
  const restored = recorded.checks.map((check) => ({
    check,
    evidence: check.evidence.map((evidence) => ({
      evidence,
      request: restoreRequest(evidence, recordedBase, target, recordedVariables),
    })),
  }));
  // Findings may share requests.
  const turnsOf = new Map<string, number>();
  const first = restored.flatMap(({ check, evidence }) =>
    evidence.flatMap(({ request }, exchange) => {
      if ("notSent" in request) return [];
      const sent = turnsOf.get(JSON.stringify(request)) ?? 0;
      const times = Math.max(sent, turnsToShow(check, exchange));
      turnsOf.set(JSON.stringify(request), times);
      return Array.from({ length: times - sent }, () => request);
    }),
  );
  const judgement = await judgeTarget({
    target,
    selection: { only: recorded.checks.map(({ id }) => id), skip: [] },
    first,
    maxRequests,
    maxSeconds,
    signal,
    ...(onWait && { onWait }),
  });
  const indexes = Map.groupBy(first.keys(), (index) => JSON.stringify(first[index]));
  const indexesOf = (sent: (typeof restored)[number]["evidence"][number]["request"]) =>
    indexes.get(JSON.stringify(sent)) ?? [];
  const replayed = restored.map(({ check, evidence }) => {
    const requests = evidence.map(({ evidence: { request, response }, request: sent }): ReplayedRequest => {
      const recordedRequest = { method: request.method, url: request.url, before: response.status };
      const now = "notSent" in sent ? sent : responseNow(judgement.first[indexesOf(sent)[0] ?? -1], target);
      return { ...recordedRequest, ...now };
    });
    const rulesOfOwn = evidence.flatMap(({ request }) =>
      indexesOf(request).flatMap((index) => judgement.rulesOfFirst[index] ?? []),
    );
    const known = { ...judgement, verdicts: recorded.verdicts, rulesOfOwn, words: redactionFor(target) };
    return { check: replayedCheck(check, requests, known), requests };
  });
  const checks = replayed.map(({ check }) => check);
  const requests = new Map(
    replayed.flatMap((one) => one.requests).map((request) => [JSON.stringify(request), request]),
  );
  const { gone } = judgement.traffic;
  return {
    id: recorded.id,
    verdict: verdictOfAll(checks),
    checks,
    requests: [...requests.values()],
    problem: gone && problemFrom(gone, target.baseUrl),
  };
}

/** Most requests of a replay, without those that discover the target. */
export function mostRequestsOf({ checks }: RecordedChecks): number {
  const ids = new Set(checks.map(({ id }) => id));
  const listed = listChecks().filter(({ id }) => ids.has(id));
  const again = checks.flatMap((check) => check.evidence.map((_, exchange) => turnsToShow(check, exchange)));
  return [...again, ...listed.map(({ requests }) => requests)].reduce((sum, count) => sum + count, 0);
}

/** Of a failure that shows in a share of the responses, so many would miss it with a chance of 5 %: 3 of its mean distances. */
const meanDistances = 3;
const mostTurns = 15;

/** How often a request is sent again: a rule that some of its responses violate may hold by chance in one. */
function turnsToShow({ id, findings }: CheckResult, exchange: number): number {
  if (!rules.some((rule) => rule.id === id)) return 1;
  const shares = findings.flatMap((finding) =>
    (finding.exchange ?? 0) === exchange && finding.seen?.total !== undefined
      ? [finding.seen.total / Math.max(1, finding.seen.count)]
      : [],
  );
  const rarest = Math.max(1, ...shares);
  return rarest === 1 ? 1 : Math.min(mostTurns, Math.ceil(meanDistances * rarest));
}

function responseNow(exchange: Exchange | undefined, target: Target) {
  if (exchange === undefined) return { notSent: "no response" } as const;
  return { now: exchange.response.status, curl: evidenceOf(exchange, redactionFor(target)).curl };
}

/** What a replay judged, and what it knows of one check. */
interface ReplayJudgement extends ServiceJudgement, Pick<RecordedChecks, "verdicts"> {
  /** What the rules made of the responses to the check's own evidence. Those of other findings prove nothing about it. */
  readonly rulesOfOwn: readonly JudgedByRules[];
  readonly words: WordsContext;
}

function replayedCheck(
  recorded: CheckResult,
  requests: readonly ReplayedRequest[],
  judgement: ReplayJudgement,
): ReplayedCheck {
  const { id, title, verdict: before } = recorded;
  const result = judgement.requirements.flatMap(({ checks }) => checks).find((check) => check.id === id);
  const { verdict: now = "inconclusive", findings = [] } = result ?? {};
  const unclear =
    now !== "pass"
      ? undefined
      : judgement.traffic.gone !== undefined
        ? "target gone"
        : isGood(before)
          ? undefined
          : isTestedLater(recorded, result)
            ? "wait not exercised"
            : whyUnclear(recorded, requests, judgement);
  const replayed = { id, title, before, now, findings: findings.map((one) => said(one, judgement.words)) };
  return unclear === undefined
    ? { ...replayed, verdict: verdictOf(replayed) }
    : { ...replayed, now: "inconclusive", findings: [], verdict: "could not tell", unclear };
}

/** Why a check that passes now does not prove a fix: it may have used other products than the finding. */
function whyUnclear(
  { id, findings, attempts }: Pick<CheckResult, "id" | "findings" | "attempts">,
  requests: readonly ReplayedRequest[],
  { rulesOfOwn, verdicts, discovery: { fixtures } }: ReplayJudgement,
): Unclear | undefined {
  if (attempts !== undefined) return "came and went";
  // A run of a few checks did not judge the other rules.
  const isOther = (rule: string) =>
    verdicts.has(rule)
      ? verdicts.get(rule) === "pass"
      : requirement(requirementOf(rule as CheckId)).level === "must";
  if (rulesOfOwn.some(({ broken }) => [...broken].some(isOther))) return "other fault";
  if (rules.some((rule) => rule.id === id)) {
    // A refusal has no product that the rule could judge. 403 is about the key, whereas 404 may be a product that is gone.
    const isForbidden = (finding: Finding) =>
      refusedRightly(finding).includes(403) && statusNow(requests[finding.exchange ?? 0]) === 403;
    const isJudged = rulesOfOwn.some(({ concerned }) => concerned.has(id));
    return isJudged || findings.every(isForbidden) ? undefined : "different responses";
  }
  // What else is shown, and succeeded, is the circumstances of the failure: without them, a refusal proves nothing.
  const subjects = new Set(findings.map(({ exchange = 0 }) => exchange));
  const isLost = (request: ReplayedRequest, at: number) =>
    !subjects.has(at) && request.before === 200 && statusNow(request) !== 200;
  for (const finding of findings) {
    const shown = requests[finding.exchange ?? 0];
    if (shown === undefined) continue;
    if ("notSent" in shown) return "not sent";
    const { before, now } = shown;
    // The rule sees a leak that goes on in the response itself.
    const stillLeaks = rulesOfOwn.some(({ broken }) =>
      broken.has("authentication.entitlement/every-product"),
    );
    if (finding.code === "not-granted" && stillLeaks) return "same status";
    if (finding.actual !== before && (now === before || before !== 200)) continue;
    const compared = statusNow(requests[finding.comparedWith ?? -1]);
    const isRight = isUnlisted(finding, now, fixtures) || isRightNow(finding, { before, now, compared });
    if (!isRight) return now === before ? "same status" : "different responses";
    if (now !== 200 && requests.some(isLost)) return "different responses";
  }
  return undefined;
}

/** Whether the status of a request that failed is right now, of which the finding knows what that is. */
function isRightNow(
  finding: Finding,
  { before, now, compared }: { before: number; now: number; compared: number | undefined },
): boolean {
  const { code, condition, actual, expected } = finding;
  if (actual !== before) return refusedRightly(finding).includes(now);
  if (code === "status-differs") return now === compared && (now === 200 || before !== 200);
  if (code === "false-not-found") return now === 200;
  // Such input may find nothing, too, which the check looks at.
  if (condition === "hostile-input" || condition === "changed-value") return now !== before && now < 500;
  return expected === undefined ? now !== before : [expected].flat().includes(now);
}

/** Whether the refusal of a retailer's product is right now, since the retailer is no longer listed: the list was wrong. */
function isUnlisted(finding: Finding, now: number, { retailers, otherRetailers }: Fixtures): boolean {
  const listed = finding.condition === "other-organization" ? otherRetailers : retailers;
  const slug =
    finding.code === "listed-retailer-refused"
      ? finding.subject
      : finding.code === "wrong-status" && finding.condition === "gtin-of-other-retailer"
        ? finding.details?.retailer
        : undefined;
  return slug !== undefined && now === 403 && listed.present && !listed.value.includes(slug);
}

function statusNow(request: ReplayedRequest | undefined): number | undefined {
  return request === undefined || "notSent" in request ? undefined : request.now;
}

/** For a request that must not get what it got with 200: statuses with which it is refused. */
const refusals: Partial<Record<Condition | Finding["code"], readonly number[]>> = {
  "not-granted": [403, 404],
  "retailer-not-granted": [403],
  "gtin-of-other-retailer": [404],
  "page-of-nothing": [400, 404],
  "unknown-retailer": [400],
  "incomplete-item": [400],
};

function refusedRightly({ code, condition }: Finding): readonly number[] {
  return refusals[condition ?? code] ?? [];
}

/**
 * Whether refusals lasted longer than announced then, and the request that is accepted now came later after the first one, so
 * that refusals which last as long as then could be over.
 */
export function isTestedLater(recorded: CheckResult, now: CheckResult | undefined): boolean {
  const [then] = recorded.findings.filter(({ code }) => code === "refused-after-wait");
  const [accepted] = now?.findings.filter(({ code }) => code === "accepted-after-wait") ?? [];
  if (then === undefined || accepted === undefined || now === undefined) return false;
  const refused = millisecondsBetween(recorded, then);
  return refused > Number(accepted.actual) * 1000 && millisecondsBetween(now, accepted) > refused;
}

/** From the exchange that a finding compares with to its own. */
function millisecondsBetween({ evidence }: CheckResult, { exchange = 0, comparedWith = 0 }: Finding): number {
  const [start, end] = [comparedWith, exchange].map((at) => Date.parse(evidence[at]?.startedAt ?? ""));
  return (end ?? Number.NaN) - (start ?? Number.NaN);
}

function isGood(verdict: CheckResult["verdict"]): boolean {
  return verdict === "pass" || verdict === "notApplicable";
}

function verdictOf({ before, now }: Pick<ReplayedCheck, "before" | "now">): ReplayVerdict {
  switch (now) {
    case "fail":
    case "warn":
      return "still failing";
    case "inconclusive":
    case "error":
      return "could not tell";
    case "pass":
    case "notApplicable":
      return isGood(before) ? "passed" : "fixed";
    default:
      return now satisfies never;
  }
}

function verdictOfAll(checks: readonly ReplayedCheck[]): ReplayVerdict {
  return byConcern.find((verdict) => checks.some((check) => check.verdict === verdict)) ?? "passed";
}

/** Verdicts of a replay, the worst first. */
export const byConcern = [
  "still failing",
  "could not tell",
  "fixed",
  "passed",
] as const satisfies readonly ReplayVerdict[];
