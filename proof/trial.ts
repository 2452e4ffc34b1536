import { judgeService } from "../conformance/engine/judge-service.ts";
import { requirement } from "../conformance/requirements/all.ts";
import { listChecksAtLimit } from "../conformance/suite/all.ts";
import type { Finding } from "../schemas/contracts/finding.ts";
import type { CheckResult } from "../schemas/contracts/results.ts";
import { keyVariables } from "../schemas/redaction.ts";
import { defaultWords } from "../schemas/words/finding-words.ts";
import { headLines, statusLine } from "../schemas/words/head-lines.ts";
import { findingText, shownBy } from "../schemas/words/index.ts";
import { startService } from "../service/start.ts";
import { noting } from "./changes/change.ts";
import { requirementOf, type Variant } from "./changes/entry.ts";
import { connectionsWithin } from "./connections.ts";
import { changesOf, faults, variants } from "./table.ts";

/** Something to try: a fault, a variant, or the reference service as it is. */
export interface Candidate {
  readonly kind: "honest" | "variant" | "fault";
  /** A name of the tables, or `honest`. */
  readonly name: string;
}

/** The whole suite goes over a network, and the rest within the process. */
export type TrialScope = "whole suite" | "without the rate limit";

/** A candidate, with the part of the suite to run on it. */
export interface PlannedTrial extends Candidate {
  readonly scope: TrialScope;
  /** What fails with it. */
  readonly expected: ExpectedFailures;
}

/** Generated inputs of each trial, of different kinds, one of them a batch with texts for an item. */
const drawn = { runs: 5, seed: 12 };

/** The outcome of a trial. */
export interface Trial extends Omit<PlannedTrial, "expected"> {
  readonly verdict: TrialVerdict;
  /** What failed at first, if this is a second attempt, alone, after an unexpected or unproven outcome. */
  readonly failedBefore?: readonly string[];
  /** Checks that failed. */
  readonly failed: readonly string[];
  /** Problems; empty if the outcome is as expected. */
  readonly findings: readonly TrialFinding[];
}

/**
 * `caught`: a fault, all of whose checks failed. `differs`: they did, and other requirements failed than in
 * the snapshot. `passed`: a variant or the unchanged service without a failure. `unproven`: a variant that
 * changed no response of this catalog, which is reported. `missed`, `unexpected-failure`: the suite or the
 * table is wrong. `harness-error`: the harness failed.
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
  /** `not-shown`: the part of an exchange beside a finding does not show the value in question. */
  readonly problem:
    | "missed"
    | "unexpected-failure"
    | "not-in-snapshot"
    | "only-in-snapshot"
    | "not-judged"
    | "not-shown"
    | "not-applied"
    | "harness-error";
  /** Of a difference from the snapshot that did not happen, the requirement. */
  readonly check?: string;
  /** Absent if the check did not run. */
  readonly verdict?: CheckResult["verdict"];
  /** The findings of the check in words, or the error. */
  readonly detail?: string;
}

/** The requirements that fail with a fault: always, and at times. */
export type ExpectedFailures = Readonly<Record<"always" | "atTimes", readonly string[]>>;

/** The part of a trial that the suite decides. */
type TrialJudgement = Pick<Trial, "verdict" | "failed" | "findings">;

/** Whether the outcome of a trial is as expected. */
export function asExpected({ verdict }: Pick<Trial, "verdict">): boolean {
  return verdict === "caught" || verdict === "passed" || verdict === "unproven";
}

/** The checks for the fault must fail, and what is expected. */
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

function differencesFrom({ always, atTimes }: ExpectedFailures, failing: CheckResult[]): TrialFinding[] {
  const known = new Set([...always, ...atTimes]);
  const violated = new Set(failing.map(({ id }) => requirementOf(id)));
  const lacking = always.filter((id) => !violated.has(id));
  return [
    ...failing.filter(({ id }) => !known.has(requirementOf(id))).map(findingOf("not-in-snapshot")),
    ...lacking.map((check): TrialFinding => ({ problem: "only-in-snapshot", check })),
  ];
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
    const fact = shownBy(finding);
    if (fact === undefined) return [];
    const shown = evidence[exchange];
    const marked = shown === undefined ? [] : headLines(shown, finding).filter(({ isMarked }) => isMarked);
    const received = shown?.response.status ?? 0;
    const status = received === 0 || typeof actual !== "number" ? received : actual;
    const value = fact === "status" ? statusLine(status) : `${subject}:`;
    const isShown = marked.some(({ text }) => text.toLowerCase().startsWith(value.toLowerCase()));
    return isShown ? [] : [{ problem: "not-shown", check: id, verdict, detail: `${code}: ${value}` }];
  });
}

/** What highlighted lines must contain; undefined for no value of the body, or one too long for a line. */
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
  { mayHinder = [] }: Pick<Variant, "mayHinder">,
  checks: readonly CheckResult[],
  applied: boolean,
): TrialJudgement {
  // For a conforming service, even a warning is a false alarm.
  const failing = checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  const errors = checks.filter(({ verdict }) => verdict === "error");
  const isHindered = ({ findings }: CheckResult) => findings.some(({ code }) => mayHinder.includes(code));
  const notJudged = checks.filter((check) => check.verdict === "inconclusive" && !isHindered(check));
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

/** Or a warning if the requirement is a SHOULD. A warning on a MUST is only a flaky observation. */
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

// With this burst, the suite hardly has to wait before its last section, and a busy machine can still exceed
// the limit. So many products have every kind of field and id; twice as many take a third longer, and show
// nothing else. The snapshot is of the catalog of this seed.
const size = { rate: 8, burst: 450, products: 180, seed: 1 };
// For trials without the rate limit: no request has to wait.
const noLimit = { rate: 100_000, burst: 100_000 };
const maxRequests = 3000;
const timeoutMilliseconds = 10_000;

/** Starts the reference service with a fault or variant and runs the suite on it. */
export async function makeTrial({ expected, ...planned }: PlannedTrial, signal: AbortSignal): Promise<Trial> {
  try {
    const { checks, isApplied } = await judgeChanged(planned, signal);
    const judgement =
      planned.kind === "fault"
        ? judgeFault(faults.get(planned.name) ?? { fails: [] }, checks, expected)
        : judgeVariant(variants.get(planned.name) ?? {}, checks, isApplied);
    return { ...planned, ...judgement };
  } catch (error) {
    signal.throwIfAborted();
    const findings = [{ problem: "harness-error", detail: String(error) } as const];
    return { ...planned, verdict: "harness-error", failed: [], findings };
  }
}

/** The results of the checks, and whether a variant changed any response. */
async function judgeChanged(
  { kind, name, scope }: Omit<PlannedTrial, "expected">,
  signal: AbortSignal,
): Promise<{ checks: CheckResult[]; isApplied: boolean }> {
  const { wire, ...limit } = changesOf({
    [kind === "fault" ? "faults" : "variants"]: kind === "honest" ? [] : [name],
  });
  const isWatched = kind === "variant" && wire.length > 0 && variants.get(name)?.onlyDelays !== true;
  let isApplied = !isWatched;
  const service = await startService({
    ...size,
    ...(scope === "without the rate limit" && noLimit),
    ...limit,
    wire: isWatched ? wire.map((change) => noting(change, () => (isApplied = true))) : wire,
  });
  try {
    const { requirements } = await judgeService({
      target: { ...service, name: "embedded", keyVariables, fieldNames: {}, timeoutMilliseconds },
      selection: { only: [], skip: scope === "whole suite" ? [] : listChecksAtLimit() },
      maxRequests,
      signal,
      fuzz: drawn,
      ...(scope === "without the rate limit" && { connections: connectionsWithin(service.send) }),
    });
    signal.throwIfAborted();
    return { checks: requirements.flatMap((one) => one.checks), isApplied };
  } finally {
    await service.stop();
  }
}
