import type { OptionalName, Waiver } from "../../schemas/contracts/config.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { CheckResult, RequirementResult } from "../../schemas/contracts/results.ts";
import { given, valueAt } from "../../schemas/json.ts";
import { hiddenByParsers } from "../../schemas/json-text.ts";
import { evidenceOf } from "../client/evidence.ts";
import { type Exchange, fromOf } from "../client/exchange.ts";
import { type Redaction, redactValue } from "../client/redaction.ts";
import { requirement, requirementOf } from "../requirements/all.ts";
import type { Outcome } from "../requirements/outcome.ts";
import { sectionOf, sections } from "../requirements/requirement.ts";
import { isWaivable, verdictOf, verdictOfAll, waiverFor } from "../requirements/verdict.ts";
import type { Listed } from "../suite/all.ts";
import type { Check } from "../suite/check/check.ts";

// Outcomes as results: redacted, with evidence, level, waiver and excuse.

/** Number of last exchanges shown for a check that names no evidence. */
const shownWhenPassed = 2;

/** What else the results of a run depend on. */
export interface Circumstances {
  readonly redaction: Redaction;
  /** Known failures that are accepted for this target at present. Default: none */
  readonly waivers?: readonly Waiver[] | undefined;
  readonly optional?: readonly OptionalName[] | undefined;
}

/** The redacted result of a check with its evidence and, where it applied, the waiver. */
export function resultOf(
  { id, title }: Pick<Check, "id" | "title">,
  outcome: Outcome,
  seen: readonly Exchange[],
  { redaction, waivers = [], optional = [] }: Circumstances,
): CheckResult {
  const { kind, findings, evidence, attempts } = outcome;
  const { level } = requirement(requirementOf(id));
  const shown = evidence.length > 0 ? evidence : seen.slice(-shownWhenPassed);
  const waiver = isWaivable(kind) ? waiverFor(id, waivers) : undefined;
  const verdict = verdictOf(level, kind, waiver);
  return {
    id,
    title,
    verdict,
    findings: redactValue(
      findings.map((finding) => complete(finding, evidence)),
      redaction,
    ),
    attempts,
    evidence: shown.map((exchange, index) =>
      evidenceOf(exchange, redaction, {
        paths: pathsIn(outcome, index),
        from: redactValue(fromOf(exchange), redaction),
      }),
    ),
    waiver,
    excused: verdict === "inconclusive" ? excuseFor(findings, optional) : undefined,
  };
}

/** Codes of findings whose `actual` is the value at their path, of whatever type. */
const ofValues: readonly Finding["code"][] = ["wrong-type", "wrong-format", "other-product"];

/** A finding with a wrong number as it was written, and with who gave the response, unless that is the service. */
function complete(finding: Finding, evidence: readonly Exchange[]): Finding {
  const { code, path = "", exchange = 0 } = finding;
  const shown = evidence[exchange];
  if (shown === undefined) return finding;
  const inexact = ofValues.includes(code) ? hiddenByParsers(shown.response).inexact : [];
  const digits = inexact.find((one) => one.path === path)?.digits;
  const written = digits === undefined ? {} : { actual: { type: "number", digits } };
  return { ...finding, ...written, ...given({ from: fromOf(shown) }) } as Finding;
}

/** The places in the body of an exchange that findings refer to. */
function pathsIn({ findings, evidence }: Outcome, index: number): string[] {
  return findings.flatMap(({ path, exchange = 0, comparedWith, ...compared }) => {
    const shown = evidence[index]?.response;
    if (shown === undefined || path === undefined) return [];
    const { comparedPath = path } = compared;
    // Where the exchange that it is compared with lacks the place, that shows in the same kind of response only.
    const isAlike = shown.status === evidence[exchange]?.response.status;
    const isThere = isAlike || valueAt(shown.json, comparedPath) !== undefined;
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
    (code === "no-response-exercised" && seen?.count === 0 && String(expected) === "429"),
} as const satisfies Record<OptionalName, (finding: Finding) => boolean>;

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
  optional: readonly OptionalName[],
): OptionalName | undefined {
  const excuses = findings.map((finding) => optional.find((name) => findingsOf[name](finding)));
  return excuses.includes(undefined) ? undefined : excuses[0];
}

/** One result for each requirement with a selected check. A check without a result counts as not judged. */
export function requirementResults(
  selected: readonly Listed[],
  results: readonly CheckResult[],
): RequirementResult[] {
  const known = new Map(results.map((result) => [result.id, result]));
  return [...Map.groupBy(selected, (check) => check.requirement)].map(([id, listed]) => {
    const { level, statement } = requirement(id);
    const checks = listed.map(
      (check): CheckResult =>
        known.get(check.id) ?? {
          id: check.id,
          title: check.title,
          verdict: verdictOf(level, "inconclusive"),
          findings: [{ code: "not-reached" }],
          evidence: [],
        },
    );
    const verdict = verdictOfAll(checks.map((check) => check.verdict));
    const excuse = verdict === "inconclusive" ? excuseOf(checks) : {};
    return { id, section: sections[sectionOf(id)], level, statement, verdict, ...excuse, checks };
  });
}

/** The excuse for a requirement that was not judged; none when any of its checks has no excuse. */
function excuseOf(checks: readonly CheckResult[]): Pick<RequirementResult, "excused"> {
  const open = checks.filter(({ verdict }) => verdict === "inconclusive");
  const isAvoided = ({ findings }: CheckResult) => findings[0]?.code === "avoided";
  if (open.length === 0 || !open.every((check) => isAvoided(check) || check.excused !== undefined)) return {};
  return { excused: open.every(isAvoided) ? "avoided" : "optional" };
}
