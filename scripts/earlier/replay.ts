import { redactionFor } from "../../conformance/client/redaction.ts";
import type { Target } from "../../conformance/client/target.ts";
import type { ServiceJudgement } from "../../conformance/engine/judge-service.ts";
import { covers, namesOf } from "../../conformance/engine/select.ts";
import { type Listed, listChecks, listChecksAtLimit } from "../../conformance/suite/all.ts";
import type { Fuzz } from "../../conformance/suite/check/check.ts";
import type { SaidFinding } from "../../schemas/contracts/finding.ts";
import type { CheckResult, Problem, Results } from "../../schemas/contracts/results.ts";
import type { Verdict } from "../../schemas/contracts/verdicts.ts";
import { counted } from "../../schemas/words/format.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";
import type { Item } from "../report/model.ts";
import { type ConsoleStyle, printable, prose, wrap } from "../report/terminal.ts";
import { itemLabels } from "../report/writers/told.ts";
import { said } from "../runs/said.ts";

/** Of a check, the worst first: `could not tell` if it was not judged now, or failed before and is a warning now. */
const verdicts = ["still failing", "could not tell", "warned again", "passes now"] as const;
export type ReplayVerdict = (typeof verdicts)[number];

/** Checks of an earlier run, before and now, the worst first. */
export interface Replay {
  readonly verdict: ReplayVerdict;
  readonly checks: readonly ReplayedCheck[];
  /** Why the replay ended early. */
  readonly problem?: Problem | undefined;
}

interface ReplayedCheck extends Pick<CheckResult, "id" | "title"> {
  readonly verdict: ReplayVerdict;
  readonly before: Item["verdict"];
  readonly now: Verdict;
  /** What is found now. */
  readonly findings: readonly SaidFinding[];
  /** The requests that showed the failure, as the run recorded them. */
  readonly recorded: readonly { readonly status: number; readonly curl: string }[];
}

/**
 * The failed checks of a run that an id covers, waived ones too, or all of them without one. If none of them failed: the
 * warnings and those that were not judged, or else all.
 *
 * @throws UsageError when the run judged nothing with this id, with similar ids.
 */
export function recordedChecks({ requirements, command }: Results, id: string | undefined): CheckResult[] {
  const all = requirements.flatMap(({ id: requirement, checks }) =>
    checks.map((check) => ({ check, id: check.id, requirement })),
  );
  const matching = all.filter((one) => id === undefined || covers(id, one)).map(({ check }) => check);
  const failed = matching.filter(
    ({ verdict, waiver }) => verdict === "fail" || verdict === "error" || waiver !== undefined,
  );
  if (failed.length > 0 || id === undefined) return failed;
  const open = matching.filter(({ verdict }) => !isGood(verdict));
  if (matching.length > 0) return open.length > 0 ? open : matching;
  throw new UsageError({
    what: "The run judged no requirement, check or section with this id",
    where: `replay ${id}`,
    fix:
      all.length === 0
        ? `It was a run of ${command}, which judges none: name a run of conformance or gate.`
        : didYouMean(id, namesOf(all)),
  });
}

/**
 * The checks to run, so that these are judged again. A rule sends nothing: it judges what all checks of the run send, and if
 * it is about refused requests, those that exceed the rate limit.
 */
export function checksToRun(recorded: readonly CheckResult[], { requirements }: Results): Listed[] {
  const judged = new Set(requirements.flatMap(({ checks }) => checks.map(({ id }) => id)));
  const failed = new Map(recorded.map((check) => [check.id, check]));
  const ofLimit = new Set(listChecksAtLimit());
  const all = listChecks();
  const ofRules = all.filter(({ id, requests }) => requests === 0 && failed.has(id));
  const needsOthers = ofRules.some(({ id }) => !ofLimit.has(id));
  const needsRefusals = ofRules.some(
    ({ id }) => ofLimit.has(id) || failed.get(id)?.evidence.some(({ response }) => response.status === 429),
  );
  return all.filter(({ id, requests, bursts = false }) => {
    const isNeeded = bursts ? needsRefusals : needsOthers && requests > 0 && judged.has(id);
    return failed.has(id) || isNeeded;
  });
}

/** How the run drew the inputs on which a check failed. */
export function fuzzOf(recorded: readonly CheckResult[]): Fuzz | undefined {
  for (const { details } of recorded.flatMap(({ findings }) => findings)) {
    if (details === undefined || !("seed" in details) || !("runs" in details)) continue;
    const { runs, seed } = details;
    if (typeof runs === "number" && typeof seed === "number") return { runs, seed };
  }
  return undefined;
}

/** The checks of an earlier run beside what is judged of them now. */
export function replayOf(
  recorded: readonly CheckResult[],
  { requirements, gone }: Pick<ServiceJudgement, "requirements"> & Pick<ServiceJudgement["traffic"], "gone">,
  target: Target,
): Replay {
  const judged = new Map(requirements.flatMap(({ checks }) => checks.map((check) => [check.id, check])));
  const all = recorded.map(({ id, title, verdict, waiver, evidence }): ReplayedCheck => {
    const before = waiver === undefined ? verdict : "waived";
    const { verdict: now = "inconclusive", findings = [] } = judged.get(id) ?? {};
    const requests = evidence.map(({ response: { status }, curl }) => [curl, { status, curl }] as const);
    return {
      ...{ id, title, before, now },
      // What passed may be no response of the service, which was gone at the end.
      verdict: isGood(now) && gone !== undefined ? "could not tell" : verdictOf(before, now),
      findings: findings.map((one) => said(one, redactionFor(target))),
      recorded: [...new Map(requests).values()],
    };
  });
  const checks = verdicts.flatMap((verdict) => all.filter((check) => check.verdict === verdict));
  const problem = gone && problemFrom(gone, target.baseUrl);
  return { verdict: checks[0]?.verdict ?? "passes now", checks, problem };
}

function isGood(verdict: Verdict): boolean {
  return verdict === "pass" || verdict === "notApplicable";
}

function verdictOf(before: Item["verdict"], now: Verdict): ReplayVerdict {
  if (isGood(now)) return "passes now";
  if (now === "fail") return "still failing";
  return before === "warn" && now === "warn" ? "warned again" : "could not tell";
}

/** A replay as text, and of one id what is found now, with the requests that the run recorded. */
export function renderReplay({ checks }: Replay, id: string | undefined, style: ConsoleStyle): string {
  const paint = {
    "still failing": style.bad,
    "could not tell": style.unsure,
    "warned again": style.unsure,
    "passes now": style.good,
  };
  const indented = (text: string) => wrap(prose(text), { width: style.width, indent: "  " });
  const counts = [...Map.groupBy(checks, ({ verdict }) => verdict)].map(([verdict, { length }]) =>
    verdict === "passes now" && length > 1 ? `${length} pass now` : `${length} ${verdict}`,
  );
  const lines = checks.flatMap(({ verdict, id: name, title, before, now, findings, recorded }) => {
    const head = `${paint[verdict](style.strong(verdict.toUpperCase()))} ${name}: ${itemLabels[before]} before, ${itemLabels[now]} now`;
    if (id === undefined) return wrap(head, style);
    return [
      ...wrap(head, style),
      ...indented(`${title}.`).map(style.faint),
      ...findings.flatMap(({ message }) => indented(message)),
      // In one line: a wrapped command cannot be copied.
      ...recorded.flatMap(({ status, curl }) => [
        `  ${status} before:`,
        style.faint(`    ${printable(curl)}`),
      ]),
    ];
  });
  return `${[...wrap(`${counted(checks.length, "check")}: ${counts.join(", ")}`, style), ...lines].join("\n")}\n`;
}
