import type { OptionalName } from "../../schemas/contracts/config.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { CheckResult } from "../../schemas/contracts/results.ts";
import type { Waiver } from "../../schemas/contracts/waivers.ts";
import { valueAt } from "../../schemas/json.ts";
import { exactDigits } from "../../schemas/json-text.ts";
import { evidenceOf } from "../client/evidence.ts";
import type { Exchange } from "../client/exchange.ts";
import { fromOf } from "../client/from.ts";
import { NoResponse } from "../client/no-response.ts";
import { type Redaction, redactValue } from "../client/redaction.ts";
import { requirement, requirementOf } from "../requirements/all.ts";
import { crashed, NotJudged, type Outcome } from "../requirements/outcome.ts";
import { isWaivable, verdictOf, waiverFor } from "../requirements/verdict.ts";
import type { Check } from "../suite/check/check.ts";
import { keyOf } from "../suite/check/finding-key.ts";
import type { Session } from "./session.ts";
import { changeSince } from "./still-there.ts";

/** Attempts in total for a check that fails. */
const mostAttempts = 5;
/** Number of last exchanges shown for a check that names no evidence. */
const shownWhenPassed = 2;

/**
 * Runs a check. This is the only place that asks again: a failure counts when another attempt, with fresh controls, finds the
 * same. Otherwise it is a warning with its count. What belongs to another organization counts the first time. An attempt does
 * not count whose product or retailer is no longer there; after two of them the check is not judged.
 */
export async function outcomeOf(
  check: Check,
  session: Session,
  signal: AbortSignal,
  seen: Exchange[],
): Promise<Outcome> {
  const failures: Outcome[] = [];
  const changes: Outcome[] = [];
  const others: Outcome[] = [];
  for (let count = 1; count <= mostAttempts; count++) {
    const earlier = seen.length;
    const outcome = await attempt(check, session, { fresh: count > 1, signal }, seen);
    if (outcome.kind !== "fail") {
      if (count === 1) return outcome;
      others.push(outcome);
      continue;
    }
    const named = outcome.findings.flatMap(({ product }) => product ?? []);
    const change = await changeSince(seen.slice(earlier), session, signal, named);
    if (change !== undefined && changes.push(change) > 1) return change;
    if (change !== undefined) continue;
    const before = new Set(failures.flatMap(({ findings }) => findings.map(keyOf)));
    failures.push(outcome);
    const findings = outcome.findings.filter((one) => isOfOther(one) || before.has(keyOf(one)));
    if (findings.length === 0) continue;
    const total = failures.length + others.length;
    return { ...outcome, findings, ...(total > 2 && { attempts: { failed: failures.length, total } }) };
  }
  const [first] = failures;
  if (first === undefined)
    return others.findLast(({ kind }) => kind !== "inconclusive") ?? (changes[0] as Outcome);
  // An attempt that could not look is no vote: what the first one saw stands.
  const votes = others.filter((other) => !couldNotLook(other));
  const attempts = { failed: failures.length, total: failures.length + votes.length };
  return attempts.total === 1 ? first : { ...first, kind: "warn", attempts };
}

/** Whether a finding shows what belongs to another organization. */
function isOfOther({ code }: Finding): boolean {
  return code === "not-granted" || code === "retailer-of-other-organization";
}

/** Reasons why an attempt sends nothing, or not what it has to. */
const notLooked: ReadonlySet<string> = new Set([
  "budget-spent",
  "burst-lost",
  "limit-not-reached",
  "limit-unclear",
  "still-rate-limited",
  "wait-too-long",
] satisfies Finding["code"][]);

function couldNotLook({ kind, findings }: Outcome): boolean {
  // A key that worked before and is refused now, as by a cache that keeps refusals, hides what the first attempt saw.
  const isKeyRefused = (one: Finding) => one.code === "control-failed" && one.actual === 401;
  return kind === "inconclusive" && findings.every((one) => notLooked.has(one.code) || isKeyRefused(one));
}

async function attempt(
  check: Check,
  session: Session,
  options: { readonly fresh: boolean; readonly signal: AbortSignal },
  seen: Exchange[],
): Promise<Outcome> {
  try {
    return await check.run(session.context(seen, options));
  } catch (error) {
    if (error instanceof NotJudged) return error.outcome();
    // Without a response, nothing is known of what it would have shown.
    if (error instanceof NoResponse) return new NotJudged(error.reason).outcome();
    options.signal.throwIfAborted();
    return crashed(error);
  }
}

/**
 * Stores a body that is too long for the results, under the id of its check; returns the file name, or undefined
 * without space.
 */
export type KeepBody = (check: string, text: string) => string | undefined;

/** The redacted result of a check with its evidence and, where it applied, the waiver. */
export function resultOf(
  check: Pick<Check, "id" | "title">,
  outcome: Outcome,
  seen: readonly Exchange[],
  {
    redaction,
    waivers = [],
    optional = [],
    keepBody,
  }: {
    readonly redaction: Redaction;
    readonly keepBody?: KeepBody | undefined;
    readonly waivers?: readonly Waiver[];
    readonly optional?: readonly OptionalName[];
  },
): CheckResult {
  const { level } = requirement(requirementOf(check.id));
  const shown = outcome.evidence.length > 0 ? outcome.evidence : seen.slice(-shownWhenPassed);
  const { attempts } = outcome;
  const waiver = isWaivable(outcome.kind) ? waiverFor(check.id, waivers) : undefined;
  const verdict = verdictOf(level, outcome.kind, waiver);
  const excused = verdict === "inconclusive" ? excuseFor(outcome.findings, optional) : undefined;
  return {
    id: check.id,
    title: check.title,
    verdict,
    findings: redactValue(
      outcome.findings.map((finding) => withResponder(exact(finding, shown), outcome.evidence)),
      redaction,
    ),
    attempts,
    evidence: shown.map((exchange, index) =>
      evidenceOf(exchange, redaction, {
        paths: pathsIn(outcome, index),
        from: redactValue(fromOf(exchange), redaction),
        ...(keepBody === undefined || !isReported(outcome)
          ? {}
          : { keepBody: (text) => keepBody(check.id, text) }),
      }),
    ),
    waiver,
    excused,
  };
}

/** A finding with the program that gave the response which shows it, unless that is the service. */
function withResponder(finding: Finding, evidence: readonly Exchange[]): Finding {
  const shown = finding.exchange === undefined ? undefined : evidence[finding.exchange];
  const from = shown === undefined ? undefined : fromOf(shown);
  return from === undefined ? finding : { ...finding, from };
}

/** The finding with the digits of a wrong number as they were written, if a double changes them. */
function exact(finding: Finding, shown: readonly Exchange[]): Finding {
  const { code, path, actual, exchange = 0 } = finding;
  const isOfAnyType = code === "wrong-type" || code === "wrong-format" || code === "other-product";
  if (!isOfAnyType || path === undefined || typeof actual !== "number") return finding;
  const { response } = shown[exchange] ?? {};
  const digits = response === undefined ? undefined : exactDigits(response, path);
  return digits === undefined ? finding : { ...finding, actual: { type: "number", digits } };
}

function isReported({ kind }: Outcome): boolean {
  return kind === "fail" || kind === "warn" || kind === "inconclusive";
}

/** The places in the body of an exchange that findings refer to. */
function pathsIn({ kind, findings, evidence }: Outcome, index: number): string[] {
  const shown = evidence[index];
  if (shown === undefined || kind === "pass" || kind === "notApplicable") return [];
  return findings.flatMap(({ path, exchange = 0, comparedWith, comparedPath = path }) => {
    if (path === undefined || comparedPath === undefined) return [];
    // Where the exchange that it is compared with lacks the place, that shows in the same kind of response only.
    const { status, json } = shown.response;
    const isAlike = status === evidence[exchange]?.response.status && typeof json === "object";
    const isThere = isAlike || valueAt(json, comparedPath) !== undefined;
    return [
      ...(exchange === index ? [path] : []),
      ...(comparedWith === index && isThere ? [comparedPath] : []),
    ];
  });
}

/** For each name in `optional`, the findings that say that the target does not have it. */
const findingsOf = {
  sameOrgKey: ({ code }) => code === "no-same-org-key",
  otherOrgKey: ({ code }) => code === "no-other-org-key",
  otherRetailers: ({ code, subject }) =>
    ["no-foreign-retailer", "no-foreign-product", "no-own-product"].includes(code) ||
    (code === "key-role-unclear" && subject === "otherOrg"),
  gtin: (finding) => isMissing(finding, "gtin", "lookup-by-gtin"),
  productUrl: (finding) => isMissing(finding, "product_url", "lookup-by-url"),
  rateLimit: ({ code, expected, seen }) =>
    code === "limit-not-reached" ||
    (code === "no-response-exercised" && seen?.count === 0 && isOnly429(expected)),
} as const satisfies Record<OptionalName, (finding: Finding) => boolean>;

function isOnly429(statuses: unknown): boolean {
  return Array.isArray(statuses) && statuses.length > 0 && statuses.every((status) => status === 429);
}

/** Whether no product has the field at all. Products that have it and are not found by it are a failure. */
function isMissing(
  { code, subject, endpoint, seen }: Finding,
  field: string,
  lookup: Finding["endpoint"],
): boolean {
  if (code === "no-product-with") return subject === field;
  return code === "nothing-found-by" && endpoint === lookup && seen?.count === 0;
}

/** The name in the config's `optional` that excuses a check that was not judged for these reasons; undefined without one. */
export function excuseFor(
  findings: readonly Finding[],
  optional: readonly OptionalName[] = [],
): OptionalName | undefined {
  const excuses = findings.map((finding) => optional.find((name) => findingsOf[name](finding)));
  return excuses.includes(undefined) ? undefined : excuses[0];
}
