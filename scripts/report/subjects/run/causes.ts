import type { WaiverResult } from "../../../../schemas/contracts/config.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import type { Cause } from "../../../../schemas/contracts/verdicts.ts";
import { requestLabel } from "../../../../schemas/scenarios.ts";
import {
  capitalized,
  counted,
  grouped,
  listed,
  milliseconds,
  outOf,
  percent,
} from "../../../../schemas/words/format.ts";
import { wordsOf } from "../../../../schemas/words/index.ts";
import { isEmptied } from "../../../load/figures.ts";
import { loadCommand, runCommand, sameCommand, targetCommand } from "./commands.ts";
import { busyText, foundLimit, loadName, unsureLatencies } from "./load.ts";
import { isWaived, type NotJudgedCause, type SaidRequirement } from "./requirements.ts";

type Load = Results["load"][number];

/** A run, sorted by what decides. */
export interface RunParts {
  readonly results: Results;
  /** Failed, or ended in an error of shelfcheck; worst first. */
  readonly failed: readonly SaidRequirement[];
  readonly notJudged: readonly SaidRequirement[];
  readonly notJudgedCauses: readonly NotJudgedCause[];
  /** What capabilities can do with an item, the most helpful first. */
  readonly commandsOf: (id: string) => readonly { readonly command: string }[];
}

/** What is said of a cause. Its verdict, exit code and label are in `schemas/contracts/verdicts.ts`. */
export interface CauseWords {
  /** `2 requirements failed`, also said where another cause decided; undefined if there is none. */
  readonly counted?: (parts: RunParts) => string | undefined;
  /** Why the run has its verdict. Default: the number */
  readonly why?: (parts: RunParts) => string;
  /** The command that helps most. */
  readonly next?: (parts: RunParts, run: string) => string | undefined;
}

export type CauseTable = Readonly<Partial<Record<Cause, CauseWords>>>;

/** The words of the causes; those of a capability are its own. */
export const causeWords: CauseTable = {
  "requirement-failed": {
    counted: ({ failed }) => some(having("fail", failed), "requirement failed", "requirements failed"),
    next: ({ failed, commandsOf }, run) => {
      const [first] = having("fail", failed);
      return first && (commandsOf(first.id)[0]?.command ?? runCommand(`explain ${run} ${first.id}`));
    },
  },
  "load-failed": {
    counted: ({ results }) => some(having("fail", results.load), "load run failed", "load runs failed"),
    why: ({ results }) => loadsSentence(having("fail", results.load), "failed", "failed"),
    next: ({ results }) => {
      const [first] = having("fail", results.load);
      return first && loadCommand(results, first);
    },
  },
  "waiver-expired": {
    counted: ({ results }) =>
      some(waiversOf("expired", results), "waiver has expired", "waivers have expired"),
  },
  "waiver-stale": {
    counted: ({ results }) => some(waiversOf("stale", results), "waiver is stale", "waivers are stale"),
  },
  problem: {
    why: ({ results: { problem } }) =>
      problem === undefined ? "The run did not finish." : `${problem.what}: ${problem.where}.`,
    next: ({ results }) => results.problem?.next ?? targetCommand("doctor", results),
  },
  "nothing-run": { why: () => "Nothing was judged.", next: ({ results }) => sameCommand(results) },
  "check-error": {
    counted: ({ failed }) => {
      const ended = "ended in an error of shelfcheck";
      return some(having("error", failed), `requirement ${ended}`, `requirements ${ended}`);
    },
    why: ({ failed }) =>
      `${counted(having("error", failed).length, "requirement")} ended in an error of shelfcheck. This is a bug in shelfcheck, not in the target: please report it.`,
  },
  "load-invalid": {
    counted: ({ results }) =>
      some(having("invalid", results.load), "load run is invalid", "load runs are invalid"),
    why: ({ results }) => loadsSentence(having("invalid", results.load), "is invalid", "are invalid"),
    // The same run would most likely end in the same way: what to change is the advice of the finding.
    next: ({ results }) => {
      const found = having("invalid", results.load).flatMap(({ findings }) => findings);
      const isOfDiscovery = found.some((one) => wordsOf(one).isOfDiscovery);
      return isOfDiscovery ? targetCommand("doctor", results) : undefined;
    },
  },
  interrupted: { why: () => "The run was interrupted.", next: ({ results }) => sameCommand(results) },
  // The counts of the run say how many, whatever decided.
  "not-judged": {
    why: notJudgedSentence,
    next: toJudge,
  },
  "nothing-judged": {
    why: () => "None of the requirements could be judged.",
    next: ({ notJudged: [first] }, run) => first && runCommand(`explain ${run} ${first.id}`),
  },
  "load-not-sent": {
    why: ({ results: { notices = [] } }) => {
      const why = notices.find(({ code }) => code === "no-products-to-load" || code === "no-batch-field");
      return `Nothing failed. ${why?.message}`;
    },
    next: ({ results }) => targetCommand("doctor", results),
  },
  partial: {
    why: (parts) => [...partText(parts.results), passedSentence(parts, [])].join(" "),
    next: ({ results }) => targetCommand(results.command, results, "with folders"),
  },
  none: {
    next: ({ results }) => {
      if (results.target.builtIn !== true) return undefined;
      // Whoever names the built-in service has read of targets in the config.
      const isNamed = results.environment?.placeFlags?.target !== undefined;
      return runCommand(`gate ${isNamed ? "--target NAME" : "--base-url https://…/v1"}`);
    },
  },
};

interface WordsOfCauses {
  /** Every cause, the one that decides first. */
  readonly order: readonly (readonly [Cause, unknown])[];
  readonly table: CauseTable;
  /** What passed of the parts of capabilities. */
  readonly passed: readonly string[];
}

/** Why the run has its verdict, what else is to be known, and the command to run next. */
export function causeInWords(parts: RunParts, run: string, { order, table, passed }: WordsOfCauses) {
  const { cause } = parts.results;
  const words = table[cause] ?? {};
  const byDefault = cause === "none" ? passedSentence(parts, passed) : `${words.counted?.(parts) ?? cause}.`;
  return {
    why: words.why?.(parts) ?? byDefault,
    next: words.next?.(parts, run),
    besides: [...asides(parts), ...failureSentences(parts), ...othersOf(parts, order, table)],
  };
}

/** What else went wrong besides the cause of the verdict. */
function othersOf(parts: RunParts, order: WordsOfCauses["order"], table: CauseTable): string[] {
  const others = order.flatMap(([cause]) =>
    cause === parts.results.cause ? [] : (table[cause]?.counted?.(parts) ?? []),
  );
  return others.length === 0 ? [] : [`Also: ${listed(others)}.`];
}

/** That the run was interrupted, or judged a part only, where its cause does not say so. */
function asides({ results }: RunParts): string[] {
  const { exitCode, cause } = results;
  return [
    ...(exitCode === 130 && cause !== "interrupted" ? ["The run was interrupted."] : []),
    ...(cause === "partial" ? [] : partText(results)),
  ];
}

/** Shares of failures above zero, and loads too short to judge them: no verdict that passes hides them. */
function failureSentences({ results }: RunParts): string[] {
  const { cause, requests, load, notices = [] } = results;
  const { failed, lost } = requests;
  const onTheWay = notices.find(({ code }) => code === "lost-on-the-way");
  const isAllLost = lost !== undefined && lost.seen?.count === lost.seen?.total;
  return [
    // The notice says it of those without an error in the form of the spec.
    ...(failed === undefined || failed.count === onTheWay?.seen?.count
      ? []
      : [`In conformance ${failedText(failed)}.`]),
    ...(lost === undefined || (cause === "problem" && isAllLost) ? [] : [`In conformance ${lost.message}`]),
    ...having("pass", load).flatMap(loadSentences),
  ];
}

function loadSentences(load: Load): string[] {
  const { failures, retryAfter, rateLimit, notes, metrics } = load;
  const isExpected = rateLimit !== undefined || notes.some(({ code }) => code === "rate-limit-reached");
  const { unsure, of } = unsureLatencies(load);
  const lost = notes.find(({ code }) => code === "lost-on-the-way")?.seen;
  const sentOf = (count: number, total = 0) => `Under load ${outOf(count, total, "request")}`;
  return [
    failures && failureSentence(failures, load),
    retryAfter.refused > 0 && !isExpected
      ? `${sentOf(retryAfter.refused, metrics.http_reqs?.count)} got a 429 response.`
      : undefined,
    lost &&
      `${sentOf(lost.count, lost.total)} were lost: no response, or an outage without an error in the form of the spec.`,
    ...openKinds(load).map((text) => `Under load ${text}.`),
    unsure > 0 ? `Too few responses for ${unsure} of ${counted(of, "latency limit")}.` : undefined,
  ].filter((sentence) => sentence !== undefined);
}

/** Kinds of request of which a larger share failed or was slow than may, and too few to rule out chance. */
function openKinds(load: Load): string[] {
  return load.thresholds.flatMap(({ crossing, request, statistic, limit, met, notJudged, value = 0 }) => {
    if (request === undefined || notJudged === undefined) return [];
    const { samples } = notJudged;
    if (crossing === "latency-over-limit" && !met)
      return `${statistic} of ${requestLabel(request)} is ${milliseconds(value)} with ${counted(samples, "response")}, not enough to judge the limit of ${milliseconds(limit)}`;
    if (crossing !== "failed-requests") return [];
    const failed = `${outOf(Math.round(value * samples), samples, "request")} of ${requestLabel(request)}${notRefused(load)} failed`;
    return `${failed}, too few to judge the limit of ${percent(limit)}`;
  });
}

const tooShort = "too short to judge failed requests";

/** A share of failures is of these, if there were others. */
function notRefused({ retryAfter }: Load): string {
  return retryAfter.refused > 0 ? " not refused" : "";
}

function failureSentence(failures: NonNullable<Load["failures"]>, load: Load): string | undefined {
  const { count, total, limit, needed, outcome } = failures;
  // With a failure, more are needed.
  const enough = `: ${grouped(total)} counted, ${grouped(needed)} needed for the limit of ${percent(limit)}`;
  if (count === 0) return outcome === "open" ? `${capitalized(tooShort)}${enough}.` : undefined;
  const open = total < needed ? tooShort : `too close to the limit of ${percent(limit)} to tell`;
  return `Under load ${failedText(failures, notRefused(load))}${outcome === "open" ? `; ${open}` : ""}.`;
}

function failedText(
  { count, total }: { readonly count: number; readonly total: number },
  which = "",
): string {
  return `${outOf(count, total, `request${which}`, `requests${which}`)} failed`;
}

function some(all: readonly unknown[], one: string, many: string): string | undefined {
  return all.length === 0 ? undefined : counted(all.length, one, many);
}

/** Those with a verdict. */
export function having<Judged extends { readonly verdict: string }>(
  verdict: Judged["verdict"],
  all: readonly Judged[],
): Judged[] {
  return all.filter((one) => one.verdict === verdict);
}

function waiversOf(state: WaiverResult["state"], { waivers = [] }: Results): WaiverResult[] {
  return waivers.filter((one) => one.state === state);
}

function openOf(notJudged: readonly SaidRequirement[]): SaidRequirement[] {
  return notJudged.filter(({ excused }) => excused === undefined);
}

/** What gets the requirements judged that were not, by the most frequent cause. */
function toJudge(parts: RunParts, run: string): string | undefined {
  const [first] = parts.notJudged;
  const finding = mainCauseOf(parts)?.finding;
  const { isOfDiscovery, isPassing } = finding === undefined ? { isOfDiscovery: true } : wordsOf(finding);
  if (isOfDiscovery) return targetCommand("doctor", parts.results);
  return isPassing ? sameCommand(parts.results) : first && runCommand(`explain ${run} ${first.id}`);
}

/** The most frequent cause of requirements that were not judged. */
function mainCauseOf({ notJudgedCauses }: RunParts): NotJudgedCause | undefined {
  const open = ({ requirements }: NotJudgedCause) => openOf(requirements).length;
  return notJudgedCauses.toSorted((a, b) => open(b) - open(a))[0];
}

function notJudgedSentence(parts: RunParts): string {
  const open = openOf(parts.notJudged).length;
  const all = counted(parts.results.requirements.length, "requirement");
  const main = mainCauseOf(parts);
  const length = main === undefined ? 0 : openOf(main.requirements).length;
  const cause =
    main === undefined || main.text === ""
      ? "."
      : `${length === open ? "" : `, ${grouped(length)} of them for one reason`}: ${main.text}`;
  return `Nothing failed. ${grouped(open)} of ${all} ${open === 1 ? "was" : "were"} not judged${cause}`;
}

/** Load runs; of a single one what decided, and what else is needed to read that. */
function loadsSentence(loads: readonly Load[], one: string, many: string): string {
  const [load, ...otherLoads] = loads;
  if (load === undefined || otherLoads.length > 0)
    return `${counted(loads.length, `load run ${one}`, `load runs ${many}`)}: ${listed(loads.map(loadName))}.`;
  const [decisive, ...others] = load.findings;
  // What a failure left without a figure is no failure of its own.
  const more = others.filter((finding) => !isEmptied(finding));
  const seen = load.notes.find(({ code }) => code === "search-seen");
  return [
    `${loadName(load)} ${one}.`,
    decisive?.message,
    load.verdict === "fail" && decisive?.code === "latency-over-limit" ? busyText(load) : undefined,
    load.verdict === "fail" && more.length > 0 ? `${counted(more.length, "more finding")}.` : undefined,
    load.verdict === "invalid" ? seen?.message : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(" ");
}

function passedSentence({ results, notJudged }: RunParts, passed: readonly string[]): string {
  const { requirements, load } = results;
  const waived = requirements.filter(isWaived).length;
  const warned = having("warn", requirements).length - waived;
  const open = openOf(notJudged).length;
  const part = (count: number, one: string, many?: string) => (count > 0 ? [counted(count, one, many)] : []);
  const parts = [
    ...(requirements.length > 0
      ? [`${counted(having("pass", requirements).length, "requirement")} passed`]
      : []),
    ...part(load.length, "load run passed", "load runs passed").map((text) => text + loadsAside(load)),
    ...passed,
    ...part(waived, "requirement waived", "requirements waived"),
    ...part(warned, "warning"),
    ...part(open, "not judged", "not judged"),
    ...part(notJudged.length - open, "excused", "excused"),
  ];
  return `${capitalized(listed(parts))}.`;
}

/** Of probes, searches and loads with open failures: ` (Lookup (breakpoint): within limits up to 90/s)`. */
function loadsAside(load: readonly Load[]): string {
  const found = load.flatMap((one) => {
    const { total = 0, needed = 0, outcome } = one.failures ?? {};
    const open = total < needed ? tooShort : "too close to the limit of failed requests to tell";
    const said = [foundLimit(one), outcome === "open" && open].filter(Boolean).join(", ");
    return said === "" ? [] : [`${loadName(one)}: ${said}`];
  });
  return found.length === 0 ? "" : ` (${found.join("; ")})`;
}

/** What was selected, if that is not everything. */
function partText({ scope }: Results): string[] {
  if (scope === undefined) return [];
  return [`Partial: ${grouped(scope.checks)} of ${counted(scope.ofChecks, "check")} were selected.`];
}
