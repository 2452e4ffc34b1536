import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { Cause } from "../../schemas/verdicts.ts";
import type { WordsContext } from "../../schemas/words/finding-words.ts";
import { capitalized, counted, grouped, listed } from "../../schemas/words/format.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import type { NotJudgedCause, ReportParts } from "./report-parts.ts";
import type { ShownLoad } from "./shown-load.ts";

/** One or two sentences on why the run has its verdict. */
export function whyOf(parts: ReportParts, words: WordsContext): string {
  const { results, cause, waived, excused, load } = parts;
  const cut = results.exitCode === 130 && cause !== "interrupted" ? " The run was interrupted." : "";
  const { scope } = results;
  const part = scope === undefined || cause === "partial" ? "" : ` Partial: ${selectedText(scope)} selected.`;
  return `${sentence()}${cut}${part}`;

  function sentence(): string {
    const { requirements, problem } = results;
    const count = countOf(cause, parts);
    switch (cause) {
      case "requirement-failed":
      case "contract-broken":
      case "waiver-expired":
      case "waiver-stale":
      case "check-error":
        return `${countedWords[cause](count)}.`;
      case "load-failed":
        return loadFailedSentence(runsOf("fail", load), words);
      case "latency-slower":
        return `${countedWords[cause](count)}: ${namesOfRuns(runsOf("slower", load))}.`;
      case "load-invalid":
        return `${countedWords[cause](count)}: ${namesOfRuns(runsOf("invalid", load))}.`;
      case "problem":
        return problem === undefined ? "The run did not finish." : `${problem.what}: ${problem.where}.`;
      case "nothing-run":
        return "Nothing was judged.";
      case "interrupted":
        return "The run was interrupted.";
      case "not-judged":
        return `Nothing failed, but ${countedWords[cause](count)}${mainCause(parts)}`;
      case "nothing-judged":
        return "None of the selected requirements could be judged.";
      case "load-not-sent":
        return "Nothing failed, but no load was sent: no products were found.";
      case "partial": {
        const judged = requirements.filter(
          ({ verdict }) => verdict !== "inconclusive" && verdict !== "notApplicable",
        ).length;
        const aside = [
          ...(waived.length === 0 ? [] : [`${grouped(waived.length)} waived`]),
          ...(excused.length === 0 ? [] : [`${grouped(excused.length)} excused`]),
        ];
        const by = scope !== undefined && scope.requirements === scope.of ? ` by ${checksText(scope)}` : "";
        return `${grouped(judged)} of ${counted(scope?.of ?? judged, "requirement")} judged${by}, none failed${aside.length === 0 ? "" : ` (${aside.join(", ")})`}${load.length === 0 ? "" : `; ${counted(load.length, "load run")} passed`}.`;
      }
      case "none":
        return passedSentence(parts);
      default:
        return cause satisfies never;
    }
  }
}

/** Number of requirements, load runs, changes or waivers behind a cause. */
function countOf(cause: Cause, { failed, load, drift, waivers, notJudged, excused }: ReportParts): number {
  const loadRuns = (verdict: LoadResult["verdict"]) => runsOf(verdict, load).length;
  switch (cause) {
    case "requirement-failed":
      return failed.filter(({ verdict }) => verdict === "fail").length;
    case "check-error":
      return failed.filter(({ verdict }) => verdict === "error").length;
    case "load-failed":
      return loadRuns("fail");
    case "latency-slower":
      return loadRuns("slower");
    case "load-invalid":
      return loadRuns("invalid");
    case "contract-broken":
      return drift?.changes.filter(({ rank }) => rank === "breaking").length ?? 0;
    case "waiver-expired":
      return waivers.filter(({ state }) => state === "expired").length;
    case "waiver-stale":
      return waivers.filter(({ state }) => state === "stale").length;
    case "not-judged":
      return notJudged.length - excused.length;
    case "problem":
    case "nothing-run":
    case "interrupted":
    case "nothing-judged":
    case "load-not-sent":
    case "partial":
    case "none":
      return 0;
    default:
      return cause satisfies never;
  }
}

/** Counts as sentences without their full stop. */
const countedWords = {
  "requirement-failed": (count: number) => `${counted(count, "requirement")} failed`,
  "load-failed": (count: number) => `${counted(count, "load run")} failed`,
  "contract-broken": (count: number) => `${counted(count, "breaking change")} since the baseline`,
  "latency-slower": (count: number) =>
    `${counted(count, "load run was", "load runs were")} slower than before`,
  "waiver-expired": (count: number) => `${counted(count, "waiver has", "waivers have")} expired`,
  "waiver-stale": (count: number) => `${counted(count, "waiver is", "waivers are")} stale`,
  "check-error": (count: number) => `${counted(count, "requirement")} ended in an error of shelfcheck`,
  "load-invalid": (count: number) => `${counted(count, "load run is", "load runs are")} invalid`,
  "not-judged": (count: number) => `${counted(count, "requirement was", "requirements were")} not judged`,
} as const satisfies Partial<Record<Cause, (count: number) => string>>;

function runsOf(verdict: LoadResult["verdict"], load: readonly ShownLoad[]): ShownLoad[] {
  return load.filter(({ result }) => result.verdict === verdict);
}

function namesOfRuns(runs: readonly ShownLoad[]): string {
  return listed(runs.map(({ name }) => name));
}

/** The load runs that failed. Of a single one: what decided it, or a threshold that it missed. */
function loadFailedSentence(failed: readonly ShownLoad[], words: WordsContext): string {
  const missed = failed.map(({ crossed }) => crossed.flatMap(({ limits }) => limits));
  const [run] = failed;
  const [decisive] = run?.result.findings ?? [];
  if (run !== undefined && failed.length === 1 && decisive !== undefined) {
    const isLimit = run.crossed.some(({ code }) => code === decisive.code);
    if (!isLimit) return `${run.name}: ${findingText(decisive, words)}`;
  }
  const [[first, ...others] = []] = missed;
  if (run !== undefined && failed.length === 1 && first !== undefined) {
    return others.length === 0
      ? `${run.name} missed a threshold: ${first.name}.`
      : `${run.name} missed ${counted(others.length + 1, "threshold")}, among them ${first.name}.`;
  }
  const how = missed.every(({ length }) => length > 0) ? "missed their thresholds" : "failed";
  return `${counted(failed.length, "load run")} ${how}: ${namesOfRuns(failed)}.`;
}

type Scope = NonNullable<Results["scope"]>;

/** How many requirements were selected; or how many checks, if all requirements were selected in part. */
function selectedText(scope: Scope): string {
  return scope.requirements === scope.of
    ? `${checksText(scope)} were`
    : `${grouped(scope.requirements)} of ${counted(scope.of, "requirement")} ${scope.requirements === 1 ? "was" : "were"}`;
}

function checksText({ checks, ofChecks }: Scope): string {
  return checks === undefined || ofChecks === undefined
    ? "some of the checks"
    : `${grouped(checks)} of ${counted(ofChecks, "check")}`;
}

/** The most frequent cause of requirements that were not judged, as the end of a sentence. */
function mainCause({ notJudgedCauses: causes, notJudged, excused }: ReportParts): string {
  const counting = ({ requirements, also }: NotJudgedCause) =>
    [...requirements, ...also].filter((requirement) => !excused.includes(requirement)).length;
  const [main] = causes.toSorted((a, b) => counting(b) - counting(a));
  if (main === undefined || main.text === "") return ".";
  const length = counting(main);
  const share =
    length === notJudged.length - excused.length ? "" : `, ${grouped(length)} of them for the same reason`;
  return `${share}: ${main.text}`;
}

function passedSentence({ results, load, waived, warned, excused }: ReportParts): string {
  const passed = results.requirements.filter(({ verdict }) => verdict === "pass").length;
  const thresholds = load
    .flatMap(({ result }) => result.notes)
    .filter(({ code }) => code === "threshold-waived");
  const parts = [
    results.requirements.length > 0 ? `${counted(passed, "requirement")} passed` : undefined,
    load.length > 0 ? `${counted(load.length, "load run")} passed` : undefined,
    waived.length > 0 ? `${counted(waived.length, "requirement")} waived` : undefined,
    thresholds.length > 0 ? `${counted(thresholds.length, "load threshold")} waived` : undefined,
    warned.length > 0 ? counted(warned.length, "warning") : undefined,
    excused.length > 0 ? `${grouped(excused.length)} excused` : undefined,
  ].filter((part) => part !== undefined);
  return `${capitalized(listed(parts))}.`;
}

/** A sentence that counts what else went wrong besides the cause of the verdict; undefined if nothing did. */
export function alsoOf(parts: ReportParts): string | undefined {
  const others = (Object.keys(countedWords) as (keyof typeof countedWords)[])
    .filter((cause) => cause !== parts.cause)
    .map((cause) => [cause, countOf(cause, parts)] as const)
    .filter(([, count]) => count > 0)
    .map(([cause, count]) => countedWords[cause](count));
  if (others.length === 0) return undefined;
  const isLast = parts.cause !== "not-judged" && countOf("not-judged", parts) > 0;
  return `Also: ${listed(others)}${isLast ? mainCause(parts) : "."}`;
}

/** Each notice in words, with the number of requirements that were not judged because of it. */
export function warningsOf({ results, notJudgedCauses: causes }: ReportParts, words: WordsContext): string[] {
  return (results.notices ?? []).flatMap((notice) => {
    const { length } = causes
      .filter(({ finding }) => costs(notice, finding))
      .flatMap(({ requirements, also }) => [...requirements, ...also]);
    // Without requirements that need a category, its absence does not matter.
    if (notice.code === "no-category" && length === 0) return [];
    const cost =
      length === 0
        ? []
        : [
            `As a result, ${grouped(length)} of ${counted(results.requirements.length, "requirement")} ${length === 1 ? "was" : "were"} not judged.`,
          ];
    return [[findingText(notice, words), ...cost, findingFix(notice, words)].filter(Boolean).join(" ")];
  });
}

/** Whether requirements were not judged because of what the notice reports. */
function costs({ code, seen }: Finding, { code: reason, subject }: Finding): boolean {
  if (code === "no-category") return reason === "no-category";
  const isAll = code === "category-shows-nothing" && seen?.count === seen?.total;
  return isAll && ((reason === "no-product" && subject === undefined) || reason === "category-not-browsable");
}
