import type { Wait } from "../../conformance/client/http-client.ts";
import { redactionFor } from "../../conformance/client/redaction.ts";
import type { Target } from "../../conformance/client/target.ts";
import { covers, namesOf } from "../../conformance/engine/select.ts";
import { historyRules } from "../../conformance/rules/history.ts";
import { isOfTheLimit } from "../../conformance/rules/rule.ts";
import { rules } from "../../conformance/rules/rules.ts";
import { type Listed, listChecks } from "../../conformance/suite/all.ts";
import type { Fuzz } from "../../conformance/suite/check/check.ts";
import type { SaidFinding } from "../../schemas/contracts/finding.ts";
import type { CheckResult, Problem, Results } from "../../schemas/contracts/results.ts";
import { type Verdict, verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { counted } from "../../schemas/words/format.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";
import { type ConsoleStyle, printable, prose, wrap } from "../report/terminal.ts";
import { said } from "../runs/said.ts";
import { judgeTarget } from "../runs/stages/conformance-stage.ts";

/** Of a check, the worst first: `could not tell` if it was not judged now. */
const verdicts = ["still failing", "could not tell", "passes now"] as const;
export type ReplayVerdict = (typeof verdicts)[number];

/** Failed checks of an earlier run, before and now. */
export interface Replay {
  readonly verdict: ReplayVerdict;
  readonly checks: readonly ReplayedCheck[];
  /** Why the replay ended early. */
  readonly problem?: Problem | undefined;
}

interface ReplayedCheck extends Pick<CheckResult, "id" | "title"> {
  readonly verdict: ReplayVerdict;
  readonly before: Verdict;
  readonly now: Verdict;
  /** What is found now. */
  readonly findings: readonly SaidFinding[];
  /** The requests that showed the failure, as the run recorded them. */
  readonly recorded: readonly { readonly status: number; readonly curl: string }[];
}

/**
 * The failed checks of a run that an id covers, or all of them without one. If none of them failed: those that were not
 * judged, or else all.
 *
 * @throws UsageError when the run judged nothing with this id, with similar ids.
 */
export function recordedChecks({ requirements, command }: Results, id: string | undefined): CheckResult[] {
  const all = requirements.flatMap(({ id: requirement, checks }) =>
    checks.map((check) => ({ check, id: check.id, requirement })),
  );
  const matching = all.filter((one) => id === undefined || covers(id, one)).map(({ check }) => check);
  const failed = matching.filter(({ verdict }) => ["fail", "warn", "error"].includes(verdict));
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
 * The checks to run, so that these are judged again. A rule judges what other checks send: all those of the run, and those
 * that exceed the rate limit if it is about refused requests.
 */
export function checksToRun(recorded: readonly CheckResult[], { requirements }: Results): Listed[] {
  const ids = new Set(recorded.map(({ id }) => id));
  const judged = new Set(requirements.flatMap(({ checks }) => checks.map(({ id }) => id)));
  const ofRules = recorded.filter(({ id }) => [...rules, ...historyRules].some((rule) => rule.id === id));
  const atLimit = new Set<string>(rules.filter(isOfTheLimit).map(({ id }) => id));
  const refused = ofRules.some(
    ({ id, evidence }) => atLimit.has(id) || evidence.some(({ response }) => response.status === 429),
  );
  const others = ofRules.some(({ id }) => !atLimit.has(id));
  const all = listChecks();
  // Other requests may have met the limit by chance.
  const isByChance = !all.some(({ id, bursts }) => bursts === true && judged.has(id));
  return all.filter(({ id, requests, bursts }) => {
    if (ids.has(id)) return true;
    return bursts === true
      ? refused && (isByChance || judged.has(id))
      : others && requests > 0 && judged.has(id);
  });
}

export interface ReplayOptions {
  readonly target: Target;
  readonly checks: readonly Listed[];
  /** As in that run: 1, or more with `--thorough`. */
  readonly effort: number;
  readonly maxRequests: number;
  readonly maxSeconds?: number | undefined;
  readonly signal: AbortSignal;
  readonly onWait?: (wait: Wait) => void;
}

/**
 * Runs checks of an earlier run again.
 *
 * @throws CannotRunError when the target does not respond or rejects the key.
 */
export async function replayChecks(
  recorded: readonly CheckResult[],
  { checks, ...options }: ReplayOptions,
): Promise<Replay> {
  const { requirements, traffic } = await judgeTarget({
    ...options,
    selection: { only: checks.map(({ id }) => id), skip: [] },
    fuzz: recorded.map(fuzzOf).find((one) => one !== undefined),
  });
  const { target } = options;
  const { gone } = traffic;
  const judged = requirements.flatMap((one) => one.checks);
  const replayed = recorded.map(({ id, title, verdict: before, evidence }): ReplayedCheck => {
    const { verdict: now = "inconclusive", findings = [] } = judged.find((check) => check.id === id) ?? {};
    return {
      id,
      title,
      // What passed may be no response of the service, which was gone at the end.
      verdict: isGood(now) && gone !== undefined ? "could not tell" : verdictOf(now),
      before,
      now,
      findings: findings.map((one) => said(one, redactionFor(target))),
      recorded: [
        ...new Map(evidence.map(({ response: { status }, curl }) => [curl, { status, curl }])).values(),
      ],
    };
  });
  return {
    verdict: verdicts.find((verdict) => replayed.some((check) => check.verdict === verdict)) ?? "passes now",
    checks: replayed,
    problem: gone && problemFrom(gone, target.baseUrl),
  };
}

/** How the run drew the inputs on which a check failed. */
function fuzzOf({ findings }: CheckResult): Fuzz | undefined {
  for (const { details } of findings) {
    if (details === undefined || !("seed" in details) || !("runs" in details)) continue;
    const { runs, seed } = details;
    if (typeof runs === "number" && typeof seed === "number") return { runs, seed };
  }
  return undefined;
}

function isGood(verdict: Verdict): boolean {
  return verdict === "pass" || verdict === "notApplicable";
}

function verdictOf(now: Verdict): ReplayVerdict {
  if (isGood(now)) return "passes now";
  return now === "fail" || now === "warn" ? "still failing" : "could not tell";
}

/** A replay as text: the worst first, and of one id what is found now, with the requests that the run recorded. */
export function renderReplay({ checks }: Replay, id: string | undefined, style: ConsoleStyle): string {
  const paint = { "still failing": style.bad, "could not tell": style.unsure, "passes now": style.good };
  const sorted = verdicts.flatMap((verdict) => checks.filter((check) => check.verdict === verdict));
  const counts = verdicts.flatMap((verdict) => {
    const { length } = checks.filter((check) => check.verdict === verdict);
    return length === 0 ? [] : [`${length} ${verdict}`];
  });
  const blocks = sorted.map(({ id: name, title, verdict, before, now, findings, recorded }) => [
    ...wrap(
      `${paint[verdict](style.strong(verdict.toUpperCase()))} ${name}: ${verdictLabels[before]} before, ${verdictLabels[now]} now`,
      style,
    ),
    ...(id === undefined
      ? []
      : [
          ...wrap(prose(`${title}.`), { width: style.width, indent: "  " }).map(style.faint),
          ...findings.flatMap(({ message }) => wrap(prose(message), { width: style.width, indent: "  " })),
          // In one line: a wrapped command cannot be copied.
          ...recorded.flatMap(({ status, curl }) => [
            `  ${status} before:`,
            style.faint(`    ${printable(curl)}`),
          ]),
        ]),
  ]);
  return `${[...wrap(`${counted(checks.length, "check")}: ${counts.join(", ")}`, style), ...blocks.flat()].join("\n")}\n`;
}
