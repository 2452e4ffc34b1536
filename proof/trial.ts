import type { Target } from "../conformance/client/target.ts";
import { type JudgeOptions, judgeService } from "../conformance/engine/judge-service.ts";
import type { Selection } from "../conformance/engine/select.ts";
import { requirement } from "../conformance/requirements/all.ts";
import { listChecksAtLimit } from "../conformance/suite/all.ts";
import type { Finding } from "../schemas/contracts/finding.ts";
import type { CheckResult, RequirementResult } from "../schemas/contracts/results.ts";
import { defaultWords } from "../schemas/words/finding-words.ts";
import { headFact, headLines, statusLine } from "../schemas/words/head-lines.ts";
import { findingText } from "../schemas/words/index.ts";
import { type ServiceOptions, startService } from "../service/start.ts";
import { requirementOf, type Variant } from "./changes/entry.ts";
import { type Candidate, type Parts, partsOf, type TrialScope, type Variation } from "./combination.ts";
import { changesOf } from "./table.ts";

/** The outcome of trying one fault, variant or combination, or the unchanged reference service. */
export interface Trial extends Candidate {
  /** Seed of the reference service's catalog; absent for other targets. */
  readonly seed?: number;
  /** On other targets, only the sections of the checks that must fail run, if that is enough. */
  readonly scope: TrialScope | "selected checks";
  readonly verdict: TrialVerdict;
  /**
   * Checks that failed in the first attempt, if this is a second one without other trials beside it, because the outcome of
   * the first was unexpected or unproven.
   */
  readonly failedBefore?: readonly string[];
  /** Checks that failed. */
  readonly failed: readonly string[];
  /** Problems; empty if the outcome is as expected. */
  readonly findings: readonly TrialFinding[];
  readonly requests: number;
  readonly milliseconds: number;
}

/**
 * `caught`: a fault, all of whose checks failed. `differs`: they did, and other requirements failed than in the snapshot.
 * `passed`: a variant or the unchanged service without a failure. `unproven`: a fault that this target or variant does not
 * allow to be shown, or a variant that no request met. `missed`, `unexpected-failure`: the suite or the table is wrong.
 * `harness-error`: the harness failed.
 */
export type TrialVerdict =
  | "caught"
  | "differs"
  | "passed"
  | "unproven"
  | "missed"
  | "unexpected-failure"
  | "harness-error";

/** A problem with the outcome of a trial. */
export interface TrialFinding {
  readonly problem: /** A check must fail, and did not. */
    | "missed"
    /** A check fails in a service without a fault. */
    | "unexpected-failure"
    /** A check of a requirement fails that does not fail in the snapshot. */
    | "not-in-snapshot"
    /** A requirement does not fail that fails in the snapshot. */
    | "only-in-snapshot"
    /** A check was not judged, although the variant does not prevent it. */
    | "not-judged"
    /** A check that must fail did not pass without the fault, so it cannot prove anything. */
    | "not-tried"
    /** The part of an exchange beside a finding does not show the value in question. */
    | "not-shown"
    /** The fault or variant changed no response. */
    | "not-applied"
    /** The harness failed. */
    | "harness-error";
  /** Of a difference from the snapshot that did not happen, the requirement. */
  readonly check?: string;
  /** Absent if the check did not run. */
  readonly verdict?: CheckResult["verdict"];
  /** The findings of the check in words, or the error. */
  readonly detail?: string;
}

/** The requirements that fail with a fault on one seed. */
export interface ExpectedFailures {
  readonly always: readonly string[];
  /** They come and go. */
  readonly atTimes: readonly string[];
}

/** The part of a trial that the suite decides. */
export type TrialJudgement = Pick<Trial, "verdict" | "failed" | "findings">;

/** Whether the outcome of a trial is as expected. */
export function asExpected({ verdict }: Pick<Trial, "verdict">): boolean {
  return verdict === "caught" || verdict === "passed" || verdict === "unproven";
}

/** Judges the results for a faulty service: the checks for the fault must fail and, on the fixed seeds, what is expected. */
export function judgeFault(
  { fails }: { readonly fails: readonly string[] },
  checks: readonly CheckResult[],
  expected?: ExpectedFailures,
): TrialJudgement {
  const failing = checks.filter(isFailure);
  const failed = failing.map(({ id }) => id);
  const errors = checks.filter(({ verdict }) => verdict === "error").map(findingOf("harness-error"));
  const missed = fails
    .filter((id) => !failed.includes(id))
    .map((id): TrialFinding => {
      const check = checks.find((one) => one.id === id);
      return check === undefined ? { problem: "missed", check: id } : findingOf("missed")(check);
    });
  const notShown = failing.flatMap((check) => [...unshown(check), ...unshownHeads(check)]);
  const differences = expected === undefined ? [] : differencesFrom(expected, failing);
  const findings = [...errors, ...missed, ...differences, ...notShown];
  if (errors.length > 0) return { verdict: "harness-error", failed, findings };
  if (missed.length > 0 || notShown.length > 0) return { verdict: "missed", failed, findings };
  return { verdict: differences.length > 0 ? "differs" : "caught", failed, findings };
}

function differencesFrom(
  { always, atTimes }: ExpectedFailures,
  failing: readonly CheckResult[],
): TrialFinding[] {
  const known = new Set([...always, ...atTimes]);
  const violated = new Set(failing.map(({ id }) => requirementOf(id)));
  const lacking = always.filter((id) => !violated.has(id));
  return [
    ...failing.filter(({ id }) => !known.has(requirementOf(id))).map(findingOf("not-in-snapshot")),
    ...lacking.map((check): TrialFinding => ({ problem: "only-in-snapshot", check })),
  ];
}

/**
 * Judges a fault in combination with variants. A variant may prevent a check from being judged, or the fault from
 * changing any response that is sent. The former is `unproven` only if the run reports a problem. A variant may also leave
 * the fault to another check; it is caught then, since a variant alone violates none.
 */
export function judgePair(
  { fails }: { readonly fails: readonly string[] },
  checks: readonly CheckResult[],
  { applied, isReported }: { readonly applied: boolean; readonly isReported: boolean },
): TrialJudgement {
  const judged = judgeFault({ fails }, checks);
  if (judged.verdict !== "missed") return judged;
  const { failed, findings } = judged;
  if (!applied && failed.length === 0) {
    return { verdict: "unproven", failed, findings: [{ problem: "not-applied" }] };
  }
  const isMissed = ({ problem }: TrialFinding) => problem === "missed";
  const violated = new Set(failed.map(requirementOf));
  const isKnown = isReported || fails.some((id) => violated.has(requirementOf(id)));
  if (failed.length > 0 && isKnown && findings.every(isMissed)) {
    return { verdict: "caught", failed, findings };
  }
  const isNotJudged = ({ problem, verdict }: TrialFinding) =>
    problem === "missed" && verdict === "inconclusive";
  if (!isReported || !findings.every(isNotJudged)) return judged;
  return { verdict: "unproven", failed, findings };
}

/** Number of findings of a check that have excerpts. */
const mostPlaces = 5;

/** The findings that name a place in a body, but whose excerpt does not highlight the value there. */
function unshown({ id, verdict, findings, evidence }: CheckResult): TrialFinding[] {
  const places = new Set(findings.map(({ path, exchange }) => `${exchange} ${path}`));
  const few = [...places].slice(0, mostPlaces);
  return findings.flatMap(({ code, path, exchange = 0, actual }): TrialFinding[] => {
    if (path === undefined || !few.includes(`${exchange} ${path}`)) return [];
    const excerpt = evidence[exchange]?.response.excerpts?.find((one) => one.path === path);
    const highlighted = (excerpt?.lines ?? []).filter(({ mark }) => mark === "place").map(({ text }) => text);
    const value = offendingText(code, path, actual);
    // For a list, a number that is not among its entries is their count.
    const isCount = typeof actual === "number" && /^(?:"[^"]*": )?\[/.test(highlighted[0]?.trim() ?? "");
    const isShown =
      highlighted.length > 0 && (value === undefined || isCount || highlighted.join("\n").includes(value));
    return isShown
      ? []
      : [{ problem: "not-shown", check: id, verdict, detail: `${code} at ${path}: ${value ?? "any line"}` }];
  });
}

/** The findings about a status or header whose exchange is not shown, or does not highlight it. */
function unshownHeads({ id, verdict, findings, evidence }: CheckResult): TrialFinding[] {
  return findings.flatMap((finding): TrialFinding[] => {
    const { code, subject = "", actual, exchange = 0 } = finding;
    const fact = headFact(finding);
    if (fact === undefined) return [];
    const shown = evidence[exchange];
    const marked = shown === undefined ? [] : headLines(shown, finding).filter(({ isMarked }) => isMarked);
    const received = shown?.response.status ?? 0;
    const status = received === 0 || typeof actual !== "number" ? received : actual;
    const value = fact === "header" ? `${subject}:` : statusLine(status);
    const isShown = marked.some(({ text }) => text.toLowerCase().startsWith(value.toLowerCase()));
    return isShown ? [] : [{ problem: "not-shown", check: id, verdict, detail: `${code}: ${value}` }];
  });
}

/** The text that the highlighted lines must contain; undefined for what is not a value of the body, or too long for a line. */
function offendingText(code: Finding["code"], path: string, actual: unknown): string | undefined {
  // How often something is there, which no line says.
  if (code === "item-miscounted" || (code === "wrong-count" && path === "")) return undefined;
  if (code === "null-value") return "null";
  if (code === "empty-string") return '""';
  if (code === "missing-field") return "(missing)";
  const isShort = typeof actual === "string" ? actual.length <= 100 : typeof actual !== "object";
  return actual === undefined || !isShort ? undefined : JSON.stringify(actual);
}

/**
 * Judges the results for a conforming service: no check may fail or be not judged.
 * @param applied whether any response was different. A variant that changes none proves nothing.
 */
export function judgeVariant(
  { mayStayNotJudged = [], mayHinder = [] }: Pick<Variant, "mayStayNotJudged" | "mayHinder">,
  checks: readonly CheckResult[],
  applied: boolean,
): TrialJudgement {
  const excused = new Set<string>(mayStayNotJudged);
  // For a conforming service, even a warning is a false alarm.
  const failing = checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  const errors = checks.filter(({ verdict }) => verdict === "error");
  const isHindered = ({ findings }: CheckResult) => findings.some(({ code }) => mayHinder.includes(code));
  const notJudged = checks.filter(
    (check) => check.verdict === "inconclusive" && !excused.has(check.id) && !isHindered(check),
  );
  const findings = [
    ...errors.map(findingOf("harness-error")),
    ...failing.map(findingOf("unexpected-failure")),
    ...notJudged.map(findingOf("not-judged")),
  ];
  const failed = failing.map(({ id }) => id);
  if (errors.length > 0) return { verdict: "harness-error", failed, findings };
  if (findings.length > 0) return { verdict: "unexpected-failure", failed, findings };
  return applied
    ? { verdict: "passed", failed, findings }
    : { verdict: "unproven", failed, findings: [{ problem: "not-applied" }] };
}

/** A failure, or a warning if the requirement is a SHOULD. A warning on a MUST is only a flaky observation. */
function isFailure({ id, verdict }: CheckResult): boolean {
  return verdict === "fail" || (verdict === "warn" && requirement(requirementOf(id)).level !== "must");
}

const findingOf =
  (problem: TrialFinding["problem"]) =>
  ({ id, verdict, findings }: CheckResult): TrialFinding => ({
    problem,
    check: id,
    verdict,
    detail: findings.map((finding) => findingText(finding, defaultWords)).join(" "),
  });

/** A variation with the part of the suite to run on it. */
export interface PlannedVariation extends Variation {
  readonly scope: TrialScope;
  /** What fails, on the fixed seeds. On others, only the checks for the fault must fail. */
  readonly expected?: ExpectedFailures | undefined;
}

/** The rate limit in requests per second and at once, and the size of the catalog. */
type ServiceSize = Required<Pick<ServiceOptions, "rate" | "burst">> & Pick<ServiceOptions, "products">;

// With this burst, the suite hardly has to wait before its last section, and a busy machine can still exceed the limit.
const usualSize: ServiceSize = { rate: 8, burst: 450 };
// For trials without the rate limit: no request has to wait.
const noLimit = { rate: 100_000, burst: 100_000 };
const maxRequests = 3000;
const timeoutMilliseconds = 10_000;

/**
 * Starts the reference service with the changes of a variation and runs the suite on it.
 * @param size Size of the service. A trial without the rate limit uses only the size of the catalog.
 */
export async function tryVariation(
  planned: PlannedVariation,
  signal: AbortSignal,
  size = usualSize,
): Promise<Trial> {
  const { expected: _expected, ...variation } = planned;
  const started = performance.now();
  const took = () => Math.round(performance.now() - started);
  try {
    const { requests, ...judgement } = await judgeVariation(planned, signal, size);
    return { ...variation, ...judgement, requests, milliseconds: took() };
  } catch (error) {
    signal.throwIfAborted();
    return { ...variation, ...harnessError(error), requests: 0, milliseconds: took() };
  }
}

async function judgeVariation(
  variation: PlannedVariation,
  signal: AbortSignal,
  size: ServiceSize,
): Promise<TrialJudgement & Pick<Trial, "requests">> {
  const { seed, scope } = variation;
  const { fault, variants } = partsOf(variation);
  let applied = false;
  const note = () => {
    applied = true;
  };
  const changes = changesOf({
    faults: fault === undefined ? [] : [fault.name],
    variants: variants.map(({ name }) => name),
    ...(variants.length > 0 && { onEffect: note }),
  });
  const service = await startService({
    ...size,
    ...(scope === "without the rate limit" && noLimit),
    ...changes,
    seed,
  });
  try {
    const { baseUrl, keys, categories } = service;
    const { requirements, checks, requests } = await judgeChecks(
      { name: "embedded", baseUrl, keys, categories, fieldNames: {}, timeoutMilliseconds },
      { selection: selectionOf(scope), maxRequests, signal },
    );
    const judgement = () => {
      if (fault === undefined)
        return judgeVariant(combined(variants), checks, applied || !variants.some(isOnTheWire));
      if (variants.length === 0) return judgeFault(fault.fault, checks, variation.expected);
      return judgePair(fault.fault, checks, {
        applied,
        isReported: isReported(requirements),
      });
    };
    return { ...judgement(), requests };
  } finally {
    await service.stop();
  }
}

function selectionOf(scope: TrialScope): Selection {
  switch (scope) {
    case "whole suite":
      return { only: [], skip: [] };
    case "without the rate limit":
      return { only: [], skip: listChecksAtLimit() };
    case "rate limit alone":
      return { only: listChecksAtLimit(), skip: [] };
    default:
      return scope satisfies never;
  }
}

/**
 * The results of the checks for a target, and the number of requests.
 * @throws as judgeService, and the signal's reason when it is aborted
 */
export async function judgeChecks(
  target: Target,
  options: Pick<JudgeOptions, "selection" | "maxRequests" | "signal">,
): Promise<{ requirements: RequirementResult[]; checks: CheckResult[]; requests: number }> {
  const { requirements, traffic } = await judgeService({ ...options, target });
  options.signal.throwIfAborted();
  return {
    requirements,
    checks: requirements.flatMap(({ checks }) => checks),
    requests: traffic.requests.total,
  };
}

/** Whether a run with these requirements reports a problem, so that its exit code is not 0. */
export function isReported(
  requirements: readonly Pick<RequirementResult, "verdict" | "level" | "excused">[],
): boolean {
  const isOpen = ({ verdict, level, excused }: (typeof requirements)[number]) =>
    verdict === "fail" ||
    verdict === "error" ||
    (verdict === "inconclusive" && level === "must" && excused === undefined);
  return (
    requirements.some(isOpen) || requirements.every(({ verdict }) => verdict !== "pass" && verdict !== "warn")
  );
}

function isOnTheWire({ variant }: Parts["variants"][number]): boolean {
  return "wire" in variant && variant.onlyDelays !== true;
}

function combined(parts: Parts["variants"]): Pick<Variant, "mayStayNotJudged" | "mayHinder"> {
  return {
    mayStayNotJudged: parts.flatMap(({ variant }) => variant.mayStayNotJudged ?? []),
    mayHinder: parts.flatMap(({ variant }) => variant.mayHinder ?? []),
  };
}

/** The judgement of a trial that ended with an error. */
export function harnessError(error: unknown): TrialJudgement {
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { verdict: "harness-error", failed: [], findings: [{ problem: "harness-error", detail }] };
}
