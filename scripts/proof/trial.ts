import { requirement } from "../../conformance/requirements/catalogue.ts";
import type { CheckResult, Finding } from "../../schemas/types.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { startService } from "../../service/start.ts";
import { defaults } from "../config/settings.ts";
import { judgeChecks } from "../run/conformance.ts";
import { type Fault, requirementOf, type Variant } from "./fault.ts";
import { changesOf, entryOf, faults, variants } from "./table.ts";

/** One fault or variant, or the reference service as it is, tried once. */
export interface Trial {
  readonly kind: "fault" | "variant" | "honest";
  readonly name: string;
  /** Of the reference service's catalogue; another target has none. */
  readonly seed?: number;
  /** Whole suite, or only the sections of the checks that must fail. */
  readonly scope: "whole suite" | "selected checks";
  readonly verdict: TrialVerdict;
  /** 2 when it was tried again, by itself, since it had not come out as expected beside others. */
  readonly attempts?: 2;
  /** Checks that failed. */
  readonly failed: readonly string[];
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

/** Holds what the suite said of a faulty service against what it should say. */
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

/** Holds what the suite said of an allowed service against the rule that nothing is to be blamed. */
export function judgeVariant(
  { mayStayUnjudged = [] }: Pick<Variant, "mayStayUnjudged">,
  checks: readonly CheckResult[],
): TrialJudgement {
  const excused = new Set<string>(mayStayUnjudged);
  // Under a variant even a warning is a false alarm.
  const failing = checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  const broke = checks.filter(({ verdict }) => verdict === "error");
  const unjudged = checks.filter(({ id, verdict }) => verdict === "inconclusive" && !excused.has(id));
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

/** What to try on the reference service, with the seed of its catalogue. */
export type Variation = Pick<Trial, "kind" | "name"> & { readonly seed: number };

// The polite part of the suite hardly waits with this burst, and a busy machine can still exceed it.
const limit = { rate: 20, burst: 450 };
const maxRequests = 3000;

/** Starts the reference service with one fault, one variant or none, and runs the whole suite on it. */
export async function tryVariation(variation: Variation, signal: AbortSignal): Promise<Trial> {
  const started = performance.now();
  const frame = { ...variation, scope: "whole suite" } as const;
  const took = () => Math.round(performance.now() - started);
  try {
    const { requests, ...judgement } = await judgeVariation(variation, signal);
    return { ...frame, ...judgement, requests, milliseconds: took() };
  } catch (error) {
    signal.throwIfAborted();
    return { ...frame, ...brokeOn(error), requests: 0, milliseconds: took() };
  }
}

async function judgeVariation(
  { kind, name, seed }: Variation,
  signal: AbortSignal,
): Promise<TrialJudgement & { readonly requests: number }> {
  const changes = changesOf({
    faults: kind === "fault" ? [name] : [],
    variants: kind === "variant" ? [name] : [],
  });
  const service = await startService({ ...limit, ...changes, seed });
  try {
    const { baseUrl, keys, categories } = service;
    const { target: targetName, timeoutMilliseconds } = defaults;
    const { checks, requests } = await judgeChecks(
      { name: targetName, baseUrl, keys, categories, dialect: {}, timeoutMilliseconds },
      { only: [], skip: [], maxRequests, signal },
    );
    switch (kind) {
      case "fault":
        return { ...judgeFault(entryOf(faults, name), checks), requests };
      case "variant":
        return { ...judgeVariant(entryOf(variants, name), checks), requests };
      case "honest":
        return { ...judgeVariant({}, checks), requests };
      default:
        return kind satisfies never;
    }
  } finally {
    await service.stop();
  }
}

/** A run that could not be made proves nothing. */
export function brokeOn(error: unknown): TrialJudgement {
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { verdict: "broke", failed: [], findings: [{ problem: "broke", detail }] };
}
