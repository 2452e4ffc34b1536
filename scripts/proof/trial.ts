import type { Selection } from "../../conformance/engine/select.ts";
import { requirement } from "../../conformance/requirements/catalogue.ts";
import { listChecksAtLimit } from "../../conformance/suite/all.ts";
import type { CheckResult, Finding } from "../../schemas/types.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { startService } from "../../service/start.ts";
import { defaults } from "../config/settings.ts";
import type { ExitCode } from "../errors.ts";
import { judgeChecks } from "../run/conformance.ts";
import { judge } from "../run/judgement.ts";
import { type Candidate, type Parts, partsOf, type TrialScope, type Variation } from "./combination.ts";
import { type Fault, requirementOf, type Variant } from "./fault.ts";
import { changesOf } from "./table.ts";

/** One fault, variant or combination of them, or the reference service as it is, tried once. */
export interface Trial extends Candidate {
  /** Of the reference service's catalogue; another target has none. */
  readonly seed?: number;
  /** Another target gets only the sections of the checks that must fail, where that is enough. */
  readonly scope: TrialScope | "selected checks";
  readonly verdict: TrialVerdict;
  /** 2 when it was tried again, by itself, since it had not come out as expected beside others. */
  readonly attempts?: 2;
  /** Checks that failed. */
  readonly failed: readonly string[];
  /** The exit code that a run of the suite would have had; on the reference service only. */
  readonly exitCode?: ExitCode;
  /** What is not as it should be; empty when all is. */
  readonly findings: readonly TrialFinding[];
  readonly requests: number;
  readonly milliseconds: number;
}

/**
 * `caught`: a fault, by all the checks that are for it and nothing else. `clean`: a variant or the honest service,
 * with no failure. `unproven`: a fault that this target gives no occasion to show. `missed`, `blamed`: what is wrong
 * with the suite or with the table; `broke`: the harness itself.
 */
export type TrialVerdict = "caught" | "clean" | "unproven" | "missed" | "blamed" | "broke";

/** What is not as it should be. */
export interface TrialFinding {
  readonly problem: /** A check must fail, and did not. */
    | "missed"
    /** A check fails that has nothing to do with it. */
    | "blamed"
    /** A check was not judged, though nothing of the variant hinders it. */
    | "notJudged"
    /** A check that must fail did not pass without the fault, so it can prove nothing. */
    | "notTried"
    /** The part of the body that stands beside a finding does not show what it speaks of. */
    | "notShown"
    /** The fault changed no response of the target. */
    | "notApplied"
    /** The harness itself. */
    | "broke";
  readonly check?: string;
  /** What the check says, unless it did not run. */
  readonly verdict?: CheckResult["verdict"];
  /** For a person: what the check says, or the error. */
  readonly detail?: string;
}

/** What the suite said of one fault or variant. */
export type TrialJudgement = Pick<Trial, "verdict" | "failed" | "findings">;

/** Whether a trial came out as the table says. */
export function asExpected({ verdict }: Pick<Trial, "verdict">): boolean {
  return verdict === "caught" || verdict === "clean" || verdict === "unproven";
}

/** Compares what the suite reported about a faulty service with what it should report. */
export function judgeFault(
  { fails, mayFail = {} }: { readonly fails: readonly string[]; readonly mayFail?: Fault["mayFail"] },
  checks: readonly CheckResult[],
): TrialJudgement {
  const failing = checks.filter(isFailure);
  const failed = failing.map(({ id }) => id);
  const broke = checks.filter(({ verdict }) => verdict === "error").map(findingOf("broke"));
  const allowed = new Set([...fails.map(requirementOf), ...Object.keys(mayFail)]);
  const blamed = failing.filter(({ id }) => !allowed.has(requirementOf(id))).map(findingOf("blamed"));
  const missed = fails
    .filter((id) => !failed.includes(id))
    .map((id): TrialFinding => {
      const check = checks.find((one) => one.id === id);
      return check === undefined ? { problem: "missed", check: id } : findingOf("missed")(check);
    });
  const notShown = failing.flatMap(unshown);
  const findings = [...broke, ...missed, ...blamed, ...notShown];
  if (broke.length > 0) return { verdict: "broke", failed, findings };
  if (missed.length > 0 || notShown.length > 0) return { verdict: "missed", failed, findings };
  return { verdict: blamed.length > 0 ? "blamed" : "caught", failed, findings };
}

/**
 * Compares what the suite reported about a faulty service that is unusual besides with what it should report. A variant
 * may leave a check nothing to judge, or the fault nothing to change. The first is `unproven` only where the run is not
 * green for it.
 */
export function judgePair(
  { fails, mayFail, mayFailElsewhere }: Pick<Fault, "fails" | "mayFail" | "mayFailElsewhere">,
  checks: readonly CheckResult[],
  { applied, exitCode }: { readonly applied: boolean; readonly exitCode: ExitCode },
): TrialJudgement {
  const judged = judgeFault({ fails, mayFail: { ...mayFail, ...mayFailElsewhere } }, checks);
  if (judged.verdict !== "missed") return judged;
  const { failed, findings } = judged;
  if (!applied && failed.length === 0) {
    return { verdict: "unproven", failed, findings: [{ problem: "notApplied" }] };
  }
  const isUnjudged = ({ problem, verdict }: TrialFinding) =>
    problem === "missed" && verdict === "inconclusive";
  if (exitCode === 0 || !findings.every(isUnjudged)) return judged;
  return { verdict: fails.some((id) => failed.includes(id)) ? "caught" : "unproven", failed, findings };
}

/** Findings of one check whose places have their excerpts; the rest are told without. */
const mostPlaces = 5;

/** The findings that name a place in a body, and whose excerpt does not have the offending value highlighted. */
function unshown({ id, verdict, findings, evidence }: CheckResult): TrialFinding[] {
  const places = new Set(findings.map(({ path, exchange }) => `${exchange} ${path}`));
  const few = [...places].slice(0, mostPlaces);
  return findings.flatMap(({ code, path, exchange = 0, actual }): TrialFinding[] => {
    if (path === undefined || !few.includes(`${exchange} ${path}`)) return [];
    const excerpt = evidence[exchange]?.response.excerpts?.find((one) => one.path === path);
    const highlighted = (excerpt?.lines ?? []).filter(({ mark }) => mark === "place").map(({ text }) => text);
    const value = offendingText(code, actual);
    // A number that a list does not hold is the count of its entries.
    const isCount = typeof actual === "number" && /^(?:"[^"]*": )?\[/.test(highlighted[0]?.trim() ?? "");
    const isShown =
      highlighted.length > 0 && (value === undefined || isCount || highlighted.join("\n").includes(value));
    return isShown
      ? []
      : [{ problem: "notShown", check: id, verdict, detail: `${code} at ${path}: ${value ?? "any line"}` }];
  });
}

/** What must stand in the highlighted lines; undefined for what is no value of the body, or too large for a line. */
function offendingText(code: Finding["code"], actual: unknown): string | undefined {
  if (code === "null-value") return "null";
  if (code === "empty-string") return '""';
  if (code === "missing-field") return "(missing)";
  const isShort = typeof actual === "string" ? actual.length <= 100 : typeof actual !== "object";
  return actual === undefined || !isShort ? undefined : JSON.stringify(actual);
}

/** Judges what the suite reported about a service that does nothing wrong: no check may fail or be left out. */
export function judgeVariant(
  { mayStayUnjudged = [], mayHinder = [] }: Pick<Variant, "mayStayUnjudged" | "mayHinder">,
  checks: readonly CheckResult[],
): TrialJudgement {
  const excused = new Set<string>(mayStayUnjudged);
  // Under a variant even a warning is a false alarm.
  const failing = checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  const broke = checks.filter(({ verdict }) => verdict === "error");
  const isHindered = ({ findings }: CheckResult) => findings.some(({ code }) => mayHinder.includes(code));
  const unjudged = checks.filter(
    (check) => check.verdict === "inconclusive" && !excused.has(check.id) && !isHindered(check),
  );
  const findings = [
    ...broke.map(findingOf("broke")),
    ...failing.map(findingOf("blamed")),
    ...unjudged.map(findingOf("notJudged")),
  ];
  const failed = failing.map(({ id }) => id);
  if (broke.length > 0) return { verdict: "broke", failed, findings };
  return { verdict: findings.length > 0 ? "blamed" : "clean", failed, findings };
}

/** A failure, or a warning where the requirement is only a SHOULD: a warning on a MUST is a flaky observation. */
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
}

// The polite part of the suite hardly waits with this burst, and a busy machine can still exceed it.
const limit = { rate: 8, burst: 450 };
// Where the limit is not judged, nothing waits for it.
const noLimit = { rate: 100_000, burst: 100_000 };
const maxRequests = 3000;

/** Starts the reference service with one fault, one variant, a combination or none, and runs the suite on it. */
export async function tryVariation(variation: PlannedVariation, signal: AbortSignal): Promise<Trial> {
  const started = performance.now();
  const took = () => Math.round(performance.now() - started);
  try {
    const { requests, ...judgement } = await judgeVariation(variation, signal);
    return { ...variation, ...judgement, requests, milliseconds: took() };
  } catch (error) {
    signal.throwIfAborted();
    return { ...variation, ...brokeOn(error), requests: 0, milliseconds: took() };
  }
}

async function judgeVariation(
  variation: PlannedVariation,
  signal: AbortSignal,
): Promise<TrialJudgement & Pick<Trial, "requests" | "exitCode">> {
  const { seed, scope } = variation;
  const { fault, variants } = partsOf(variation);
  let applied = false;
  const changes = changesOf({
    faults: fault === undefined ? [] : [fault.name],
    variants: variants.map(({ name }) => name),
    onFault: () => {
      applied = true;
    },
  });
  const service = await startService({
    ...(scope === "without the rate limit" ? noLimit : limit),
    ...changes,
    seed,
  });
  try {
    const { baseUrl, keys, categories } = service;
    const { target: targetName, timeoutMilliseconds } = defaults;
    const { requirements, checks, requests } = await judgeChecks(
      { name: targetName, baseUrl, keys, categories, dialect: {}, timeoutMilliseconds },
      { ...selectionOf(scope), maxRequests, signal },
    );
    const { exitCode } = judge({ ...nothingElse, requirements });
    const judgement = () => {
      if (fault === undefined) return judgeVariant(combined(variants), checks);
      if (variants.length === 0) return judgeFault(fault.fault, checks);
      return judgePair(fault.fault, checks, { applied: applied || "inside" in fault.fault, exitCode });
    };
    return { ...judgement(), requests, exitCode };
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

const nothingElse = { load: [], waivers: [], drift: [], problem: false, interrupted: false, partial: false };

function combined(parts: Parts["variants"]): Pick<Variant, "mayStayUnjudged" | "mayHinder"> {
  return {
    mayStayUnjudged: parts.flatMap(({ variant }) => variant.mayStayUnjudged ?? []),
    mayHinder: parts.flatMap(({ variant }) => variant.mayHinder ?? []),
  };
}

/** A run that could not be made proves nothing. */
export function brokeOn(error: unknown): TrialJudgement {
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { verdict: "broke", failed: [], findings: [{ problem: "broke", detail }] };
}
