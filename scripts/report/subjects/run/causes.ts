import type { Finding } from "../../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import type { WaiverResult } from "../../../../schemas/contracts/waivers.ts";
import { type Cause, causes } from "../../../../schemas/verdicts.ts";
import {
  capitalized,
  counted,
  duration,
  grouped,
  listed,
  outOf,
  percent,
} from "../../../../schemas/words/format.ts";
import { wordsOf } from "../../../../schemas/words/index.ts";
import { acceptedRate } from "../../../../schemas/words/load.ts";
import { missingFixtureWords } from "../../../../schemas/words/missing-fixtures.ts";
import { exceededText } from "../../../../schemas/words/thresholds.ts";
import { shownChanges } from "../../../earlier/shown-changes.ts";
import {
  twinDifferenceTexts,
  twinFailuresText,
  twinIntervalText,
  twinRequestName,
} from "../../../twin/twin-words.ts";
import { line, type Text } from "../../document.ts";
import {
  acceptCommand,
  loadCommand,
  longerTwinCommand,
  runCommand,
  sameCommand,
  slowerLoadCommand,
  targetCommand,
  waiveCommand,
  wholeCommand,
} from "./commands.ts";
import { nearestFirst } from "./endpoint-rows.ts";
import type { NotJudgedCause, ReportParts } from "./parts.ts";
import type { ShownRequirement } from "./requirements.ts";
import type { ShownLoad } from "./shown-load.ts";

/** A next step, and the command for it. */
export interface Step {
  readonly text: Text;
  readonly command?: string | undefined;
}

export interface TopFinding {
  readonly id: string;
  readonly text: string;
}

/** What is said of a run that a cause decided. Verdict, exit code and label of each cause are in `schemas/verdicts.ts`. */
interface CauseWords {
  /** Number of requirements, load runs, changes or waivers behind it; they are also named if another cause decided. */
  readonly count?: (parts: ReportParts) => number;
  /** The number as a sentence without its full stop. */
  readonly counted?: (count: number, parts: ReportParts) => string;
  /** Why the run has its verdict. Default: the number */
  readonly why?: (parts: ReportParts) => string;
  /** The findings behind it, each in one line. */
  readonly top?: (parts: ReportParts) => TopFinding[];
  /** The command that helps most. */
  readonly next?: (parts: ReportParts, run: string) => string | undefined;
  readonly steps: (parts: ReportParts, run: string, next: string | undefined) => Step[];
}

const causeWords: Readonly<Record<Cause, CauseWords>> = {
  "requirement-failed": {
    count: ({ failed }) => having("fail", failed).length,
    counted: (count) => `${counted(count, "requirement")} failed`,
    top: ({ failed }) => having("fail", failed).map(topRequirement),
    next: ({ failed }) => having("fail", failed)[0]?.replay,
    steps: ({ failed, results }, run, next) => {
      const [first] = having("fail", failed);
      return [
        ...(first === undefined
          ? []
          : [
              {
                text: "Create a ticket: each finding below has a button.",
                command: runCommand(`explain ${run} ${first.id} --markdown`),
              },
            ]),
        ...again("Repeat the requests once it is fixed.", next),
        waive(results, run),
      ];
    },
  },
  "load-failed": {
    ...ofLoad("fail", (count) => `${counted(count, "load run")} failed`),
    why: ({ load }) => loadFailedSentence(loadRuns("fail", load)),
    next: ({ load, results }) => loadAgain(loadRuns("fail", load)[0], results),
    steps: (parts, run, next) => [
      ...lookAt("fail", parts),
      ...again(
        acceptedRateOf(loadRuns("fail", parts.load)[0]) === undefined
          ? "Measure again."
          : "Measure below the rate limit.",
        next,
      ),
      // Waivers apply to the load of a gate only.
      ...(parts.results.command === "gate" ? [waive(parts.results, run)] : []),
    ],
  },
  "requests-failed": {
    why: ({ results: { requests } }) => {
      const { count = 0, total = 0, limit = 0 } = requests.failures ?? {};
      return `Too many requests of conformance failed with 500 to 599: ${outOf(count, total)}, limit ${percent(limit)}.`;
    },
    next: ({ results }) => sameCommand(results),
    steps: (_parts, _run, next) => [
      { text: "Look for these times in the log of the service." },
      ...again("Run it again once it is fixed.", next),
    ],
  },
  "contract-broken": {
    count: ({ drift }) => drift?.changes.filter(({ rank }) => rank === "breaking").length ?? 0,
    counted: (count) => `${counted(count, "breaking change")} since the baseline`,
    top: ({ drift }) =>
      (drift?.changes ?? [])
        .filter(({ rank }) => rank === "breaking")
        .map(({ subject, text }) => ({ id: subject, text })),
    next: ({ results }, run) => acceptCommand(results, run),
    steps: ({ results }, run) => [
      { text: "Ask the service's team whether the change is intended." },
      { text: "If it is, record it.", command: acceptCommand(results, run) },
    ],
  },
  "responses-differ": {
    count: ({ results }) => differing(results).length,
    counted: (count) => `${counted(count, "difference")} between the old and the new deployment`,
    top: ({ results }) => differing(results),
    steps: () => [{ text: "Ask the service's team whether each difference is intended." }],
  },
  "latency-slower": {
    count: ({ results }) => slowerKinds(results).length,
    counted: (count) =>
      `${counted(count, "kind of request is", "kinds of request are")} slower than at the old deployment`,
    top: ({ results }) =>
      slowerKinds(results).map((one) => ({
        id: twinRequestName(one.request),
        text: `Slower: ${twinIntervalText(one)}, ${counted(one.pairs, "pair")}.`,
      })),
    next: ({ results }) => sameCommand(results),
    steps: (_parts, _run, next) => again("Measure again.", next),
  },
  "waiver-expired": ofWaivers(
    "expired",
    (count) => `${counted(count, "waiver has", "waivers have")} expired`,
  ),
  "waiver-stale": ofWaivers("stale", (count) => `${counted(count, "waiver is", "waivers are")} stale`),
  problem: {
    why: ({ results: { problem } }) =>
      problem === undefined ? "The run did not finish." : `${problem.what}: ${problem.where}.`,
    next: ({ results }) => targetCommand("doctor", results),
    steps: (_parts, _run, next) => again("Find out what prevents the run.", next),
  },
  "nothing-run": {
    why: () => "Nothing was judged.",
    next: ({ results }) => sameCommand(results),
    steps: (_parts, _run, next) => again("Run it again.", next),
  },
  "check-error": {
    count: ({ failed }) => having("error", failed).length,
    counted: (count) => `${counted(count, "requirement")} ended in an error of shelfcheck`,
    top: ({ failed }) => having("error", failed).map(topRequirement),
    steps: () => [{ text: "This is a bug in shelfcheck, not in the target: please report it." }],
  },
  "load-invalid": {
    ...ofLoad("invalid", (count) => `${counted(count, "load run is", "load runs are")} invalid`),
    why: ({ load }) => {
      const [first, ...others] = loadRuns("invalid", load);
      const names = namesOf(loadRuns("invalid", load));
      const count = counted(others.length + 1, "load run is", "load runs are");
      if (first?.reasons[0] === undefined || others.length > 0) return `${count} invalid: ${names}.`;
      // What was missing, and why.
      const [missing] = first.result.findings;
      const isOfTarget = missing?.code === "no-products-to-load" || missing?.code === "no-batch-field";
      const shown = isOfTarget && missing.details?.explained === true ? 2 : 1;
      return `${names} is invalid. ${first.reasons.slice(0, shown).join(" ")}`;
    },
    // The same run would most likely end in the same way: what to change is the advice of the finding.
    next: ({ load, results }) =>
      loadRuns("invalid", load).some(({ result }) =>
        result.findings.some(({ code }) => code === "no-products-to-load"),
      )
        ? targetCommand("discover", results)
        : undefined,
    steps: () => [
      {
        text: "The load was not generated as planned, so the run says nothing about the target. Change what the finding names, then repeat the run.",
      },
    ],
  },
  interrupted: {
    why: () => "The run was interrupted.",
    next: ({ results }) => sameCommand(results),
    steps: (_parts, _run, next) => again("Run it again.", next),
  },
  "not-judged": {
    count: ({ notJudged, excused }) => notJudged.length - excused.length,
    counted: notJudgedText,
    why: notJudgedSentence,
    top: topNotJudged,
    next: toJudge,
    steps: getMissing,
  },
  "twin-not-judged": {
    why: ({ results: { twin } }) =>
      twin?.responses.outcome === "inconclusive"
        ? "Nothing differs so far, but the time ended before all responses were compared."
        : latencyNotJudgedText(twin),
    top: ({ results: { twin } }) =>
      undecided(twin).map((one) => ({
        id: twinRequestName(one.request),
        text: `${twinIntervalText(one)}, ${counted(one.pairs, "pair")}.`,
      })),
    next: ({ results }) => longerTwinCommand(results),
    steps: (_parts, _run, next) => again("Compare for longer.", next),
  },
  "nothing-judged": {
    why: () => "None of the selected requirements could be judged.",
    top: topNotJudged,
    next: ({ notJudged }) => firstCommand(runCommand("explain"), notJudged),
    steps: getMissing,
  },
  "load-not-sent": {
    why: () => "Nothing failed, but no load was sent: no usable products were found.",
    next: ({ results }) => targetCommand("discover", results),
    steps: getMissing,
  },
  partial: {
    why: partialSentence,
    next: ({ results }) => wholeCommand(results),
    steps: () => [{ text: "For a verdict on the whole spec, run without --only and --skip." }],
  },
  none: {
    why: passedSentence,
    steps: ({ results }, run) => {
      if (results.target.builtIn === true)
        return [{ text: "Judge your own service.", command: runCommand("gate --base-url https://…/v1") }];
      // Load alone has no contract to record.
      if (results.drift?.changes.length === 0 || results.requirements.length === 0) return [];
      const text =
        results.drift === undefined
          ? "Record the current behaviour of the service, so that the next run shows what changed."
          : "If the changes since the baseline are intended, record them.";
      return [{ text, command: acceptCommand(results, run) }];
    },
  },
};

/** What else than requirements and load runs failed or changed, whatever decided. */
export function foundBesides(parts: ReportParts): (TopFinding & { readonly outcome: string })[] {
  const besides = ["contract-broken", "responses-differ", "latency-slower", "waiver-expired", "waiver-stale"];
  return (Object.keys(causes) as Cause[])
    .filter((cause) => besides.includes(cause))
    .flatMap((cause) =>
      (causeWords[cause].top?.(parts) ?? []).map((one) => ({ ...one, outcome: causes[cause].label })),
    );
}

/** What the cause of a run means, in words: why, what else, the first findings, what to do. */
export function causeInWords(parts: ReportParts, run: string) {
  const { cause } = parts;
  const of: CauseWords = causeWords[cause];
  const next = of.next?.(parts, run);
  const why = of.why?.(parts) ?? `${of.counted?.(of.count?.(parts) ?? 0, parts)}.`;
  const besides = [...asides(parts), ...failureSentences(parts)];
  return {
    why: [why, ...besides].join(" "),
    besides,
    others: othersOf(parts),
    top: (of.top?.(parts) ?? []).slice(0, 3),
    next,
    steps: of.steps(parts, run, next),
  };
}

/** That the run was interrupted, or judged a part only, where its cause does not say so. */
function asides({ results: { exitCode, scope }, cause }: ReportParts): string[] {
  return [
    ...(exitCode === 130 && cause !== "interrupted" ? ["The run was interrupted."] : []),
    ...(scope === undefined || cause === "partial" ? [] : [`Partial: ${selectedText(scope)} selected.`]),
  ];
}

/** Every share of failures above zero, and every load that was too short to judge them: no verdict hides them. */
function failureSentences({ cause, results, load }: ReportParts): string[] {
  const { failed, lost } = results.requests;
  return [
    ...(failed === undefined || cause === "requests-failed" ? [] : [`In conformance ${failedText(failed)}.`]),
    ...(lost === undefined || (cause === "problem" && isEvery(lost))
      ? []
      : [`In conformance ${lost.message}`]),
    ...load.flatMap((one) => {
      const { failures, verdict } = one.result;
      if (verdict === "invalid") return [];
      const besides = [...unsuccessfulSentences(one), ...unsurePercentiles(one)];
      if (failures === undefined) return besides;
      const { count, total, limit, needed, outcome } = failures;
      const open =
        total < needed
          ? `too short to judge failed requests: ${grouped(total)} sent, ${grouped(needed)} needed for the limit of ${percent(limit)}`
          : `too close to the limit of ${percent(limit)} to tell`;
      if (count === 0) return [...(outcome === "open" ? [`${capitalized(open)}.`] : []), ...besides];
      return [`Under load ${failedText(failures)}${outcome === "open" ? `; ${open}` : ""}.`, ...besides];
    }),
  ];
}

/** The requests of a load run that neither succeeded nor count as failed. Where they decided its verdict, that says so. */
function unsuccessfulSentences({ result }: ShownLoad): string[] {
  const { verdict, retryAfter, rateLimit, notes, metrics } = result;
  const isExpected = rateLimit !== undefined || notes.some(({ code }) => code === "rate-limit-reached");
  const refused = verdict === "pass" && !isExpected ? retryAfter.refused : 0;
  return [
    ...(refused === 0
      ? []
      : [`Under load ${outOf(refused, metrics.http_reqs?.count ?? 0, "request")} got a 429 response.`]),
    ...notes.flatMap(({ code, seen: { count = 0, total = 0 } = {} }) =>
      code === "lost-on-the-way"
        ? [`Under load ${outOf(count, total, "request")} ended on the way to the service.`]
        : [],
    ),
  ];
}

/** How many limits of latency a run passed with too few responses to say so. */
function unsurePercentiles({ thresholds, result: { verdict } }: ShownLoad): string[] {
  if (verdict !== "pass") return [];
  const limits = thresholds.filter(({ threshold: { crossing } }) => crossing === "latency-over-limit");
  const unsure = limits.filter(({ isUnsure }) => isUnsure).length;
  return unsure === 0
    ? []
    : [`Too few responses for ${unsure} of ${counted(limits.length, "latency limit")}.`];
}

/** Whether no request got a response: the problem of the run says so. */
function isEvery({ seen }: Finding): boolean {
  return seen?.count === seen?.total;
}

function failedText({ count, total }: { readonly count: number; readonly total: number }): string {
  return `${outOf(count, total, "request")} failed`;
}

/** Counts what else went wrong besides the cause of the verdict; undefined if nothing did. */
function othersOf(parts: ReportParts): string | undefined {
  const others = (Object.keys(causes) as Cause[])
    .filter((cause) => cause !== parts.cause)
    .map((cause) => causeWords[cause])
    .flatMap(({ count, counted: inWords }) => {
      const number = count?.(parts) ?? 0;
      return number === 0 || inWords === undefined ? [] : [inWords(number, parts)];
    });
  return others.length === 0 ? undefined : `Also: ${listed(others)}.`;
}

/** The causes that load runs of a verdict are. */
function ofLoad(
  verdict: LoadResult["verdict"],
  inWords: (count: number) => string,
): Omit<CauseWords, "steps"> {
  const runsOf = ({ load }: ReportParts) => loadRuns(verdict, load);
  return {
    count: (parts) => runsOf(parts).length,
    counted: inWords,
    why: (parts) => `${inWords(runsOf(parts).length)}: ${namesOf(runsOf(parts))}.`,
    top: (parts) => topLoad(runsOf(parts)),
    next: (parts) => {
      const [first] = runsOf(parts);
      return first && loadCommand(parts.results, first.result);
    },
  };
}

function ofWaivers(state: WaiverResult["state"], inWords: (count: number) => string): CauseWords {
  const waiversOf = ({ waivers }: ReportParts) => waivers.filter((one) => one.state === state);
  return {
    count: (parts) => waiversOf(parts).length,
    counted: inWords,
    top: (parts) =>
      waiversOf(parts).map(({ waiver, fix }) => ({ id: waiver.id, text: fix ?? waiver.reason })),
    // Until the file is edited, every command ends in the same way.
    steps: () => [{ text: line`Edit the ${{ link: "waivers below", to: "#waivers" }}, then run again.` }],
  };
}

/** What differs between two deployments: responses, failures, breaking changes of the contract. */
function differing({ twin }: Results): TopFinding[] {
  if (twin === undefined) return [];
  const { responses, contract = [] } = twin;
  const breaking = shownChanges(contract.filter(({ rank }) => rank === "breaking"));
  return [
    ...breaking.map(({ subject, text }) => ({ id: subject, text })),
    ...twinDifferenceTexts(responses.differences).map(({ text, example }) => ({
      id: example.path === "" ? "body" : example.path,
      text,
    })),
    ...(responses.failures.outcome === "different"
      ? [{ id: "Failures", text: twinFailuresText(responses.failures) }]
      : []),
  ];
}

function slowerKinds({ twin }: Results) {
  return (twin?.latency ?? []).filter(({ outcome }) => outcome === "slower");
}

function undecided(twin: Results["twin"]) {
  return (twin?.latency ?? []).filter(({ outcome }) => outcome === "inconclusive");
}

function having<Judged extends { readonly verdict: string }>(
  verdict: Judged["verdict"],
  all: readonly Judged[],
): Judged[] {
  return all.filter((one) => one.verdict === verdict);
}

function loadRuns(verdict: LoadResult["verdict"], load: readonly ShownLoad[]): ShownLoad[] {
  return load.filter(({ result }) => result.verdict === verdict);
}

function firstCommand(command: string, [first]: readonly ShownRequirement[]): string | undefined {
  return first === undefined ? undefined : `${command} ${first.id}`;
}

function again(text: string, next: string | undefined): Step[] {
  return next === undefined ? [] : [{ text, command: next }];
}

function waive(results: Results, run: string): Step {
  return {
    text: "Or waive it (fill in NAME, TICKET, REASON):",
    command: waiveCommand(results, run),
  };
}

function lookAt(verdict: LoadResult["verdict"], { load }: ReportParts): Step[] {
  const at = load.findIndex(({ result }) => result.verdict === verdict);
  const run = load[at];
  return run === undefined ? [] : [{ text: line`See ${{ link: run.name, to: `#load-${at}` }}.` }];
}

/** The rate below the limit that refused a load run; undefined if no limit explains it. */
function acceptedRateOf(run: ShownLoad | undefined): number | undefined {
  const limit = run?.result.findings.find(({ code }) => code === "rate-limit-reached");
  if (typeof limit?.actual !== "number" || typeof limit.expected !== "number") return undefined;
  return limit.actual > 0 && limit.actual < limit.expected ? acceptedRate(limit.actual) : undefined;
}

function loadAgain(run: ShownLoad | undefined, results: Results): string | undefined {
  if (run === undefined) return undefined;
  const rate = acceptedRateOf(run);
  return rate === undefined ? loadCommand(results, run.result) : slowerLoadCommand(results, run.result, rate);
}

/** What gets the requirements judged that were not, by the most frequent cause. */
function toJudge(parts: ReportParts): string | undefined {
  const { results, notJudged } = parts;
  const finding = mainCauseOf(parts)?.finding;
  if (finding === undefined) return targetCommand("doctor", results);
  if (finding.code === "no-response-exercised") {
    const { provokedBy } = finding.details ?? {};
    const hasRun = results.requirements.some(({ id }) => id === provokedBy);
    if (provokedBy !== undefined && !hasRun && results.scope !== undefined)
      return `${sameCommand(results)} --only ${provokedBy}`;
  }
  if (Object.hasOwn(missingFixtureWords, finding.code)) return targetCommand("discover", results);
  return wordsOf(finding).isPassing ? sameCommand(results) : firstCommand(runCommand("explain"), notJudged);
}

function getMissing(parts: ReportParts, _run: string, next: string | undefined): Step[] {
  const same = sameCommand(parts.results);
  if (next === same) return again("Run it again.", next);
  if (next?.startsWith(`${same} --only`))
    return again("Run it with the check that gets such responses.", next);
  return [
    ...again("See what is missing, and how to get it.", next),
    { text: "Then run again.", command: same },
  ];
}

function topRequirement({ id, verdict, text, reported }: ShownRequirement): TopFinding {
  const [first] = reported.filter((check) => check.verdict === verdict);
  if (first === undefined) return { id, text };
  const [part = "", ...others] = first.parts;
  return { id, text: withAside(part, `${moreFindings(others.length)}${first.remarks}`) };
}

function topNotJudged({ notJudgedCauses }: ReportParts): TopFinding[] {
  return notJudgedCauses.map(({ cause, requirements, also }) => {
    const [first, ...others] = [...requirements, ...also].map(({ id }) => id);
    return { id: others.length === 0 ? `${first}` : `${first} and ${others.length} more`, text: cause };
  });
}

function topLoad(runs: readonly ShownLoad[]): TopFinding[] {
  const [only, ...others] = runs;
  if (only !== undefined && others.length === 0 && only.found.length > 0)
    return only.found.map(({ text }) => ({ id: only.name, text }));
  return runs.map(({ name, found: [first, ...more] }) => ({
    id: name,
    text: withAside(first?.text ?? "", moreFindings(more.length)),
  }));
}

/** A sentence with an aside before its full stop. */
function withAside(sentence: string, aside: string): string {
  return aside === "" ? sentence : `${sentence.replace(/\.$/, "")}${aside}.`;
}

function moreFindings(count: number): string {
  return count === 0 ? "" : ` (and ${grouped(count)} more)`;
}

function namesOf(runs: readonly ShownLoad[]): string {
  return listed(runs.map(({ name }) => name));
}

function notJudgedText(count: number, parts: ReportParts): string {
  return `${counted(count, "requirement was", "requirements were")} not ${isCutShort(parts) ? "reached" : "judged"}`;
}

/** Whether most requirements were not judged because the run ended before. */
function isCutShort(parts: ReportParts): boolean {
  return mainCauseOf(parts)?.finding.code === "not-reached";
}

/** The load runs that failed. Of a single one: what decided it, or the limit that it exceeded by most. */
function loadFailedSentence(failed: readonly ShownLoad[]): string {
  const [run] = failed;
  const exceeded = failed.flatMap((one) => one.exceeded);
  const [worst] = exceeded.toSorted(nearestFirst);
  const [decisive] = run?.result.findings ?? [];
  const only = failed.length === 1 ? run : undefined;
  if (
    only !== undefined &&
    decisive !== undefined &&
    only.exceeded.every(({ threshold }) => threshold.crossing !== decisive.code)
  )
    return `${only.name}: ${decisive.message}`;
  const count = counted(failed.length, "load run");
  if (worst === undefined) return `${count} failed: ${namesOf(failed)}.`;
  const limit = exceededText(worst.threshold);
  if (failed.some((one) => one.exceeded.length === 0))
    return `${count} failed: ${namesOf(failed)}. Worst limit: ${limit}.`;
  const which = only?.name ?? count;
  return exceeded.length === 1
    ? `${which} exceeded a limit: ${limit}.`
    : `${which} exceeded ${exceeded.length} limits. Worst: ${limit}.`;
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

/** The most frequent cause of requirements that were not judged. */
function mainCauseOf(parts: ReportParts): NotJudgedCause | undefined {
  return parts.notJudgedCauses.toSorted((a, b) => unexcused(b, parts) - unexcused(a, parts))[0];
}

function unexcused({ requirements, also }: NotJudgedCause, { excused }: ReportParts): number {
  return [...requirements, ...also].filter((requirement) => !excused.includes(requirement)).length;
}

function notJudgedSentence(parts: ReportParts): string {
  const { notJudged, excused, results } = parts;
  const open = notJudged.length - excused.length;
  const all = counted(results.requirements.length, "requirement");
  return `Nothing failed. ${grouped(open)} of ${all} ${open === 1 ? "was" : "were"} not judged${mainCause(parts)}`;
}

/** That cause as the end of a sentence. */
function mainCause(parts: ReportParts): string {
  const main = mainCauseOf(parts);
  if (main === undefined || main.text === "") return ".";
  const length = unexcused(main, parts);
  const isAll = length === parts.notJudged.length - parts.excused.length;
  return `${isAll ? "" : `, ${grouped(length)} of them for one reason`}: ${main.text}`;
}

function passedSentence({ results, load, waived, warned, excused }: ReportParts): string {
  const passed = results.requirements.filter(({ verdict }) => verdict === "pass").length;
  const thresholds = load
    .flatMap(({ result }) => result.notes)
    .filter(({ code }) => code === "threshold-waived");
  const parts = [
    results.requirements.length > 0 ? `${counted(passed, "requirement")} passed` : undefined,
    load.length > 0 ? `${counted(load.length, "load run")} passed${foundLimits(load)}` : undefined,
    results.twin === undefined ? undefined : twinText(results.twin),
    waived.length > 0 ? `${counted(waived.length, "requirement")} waived` : undefined,
    thresholds.length > 0 ? `${counted(thresholds.length, "load limit")} waived` : undefined,
    warned.length > 0 ? counted(warned.length, "warning") : undefined,
    excused.length > 0 ? `${grouped(excused.length)} excused` : undefined,
  ].filter((part) => part !== undefined);
  return `${capitalized(listed(parts))}.`;
}

/** What probes and searches found: ` (Rate limit (probe): rate limit 25/s (24 to 26))`. */
function foundLimits(load: readonly ShownLoad[]): string {
  const found = load.flatMap(({ name, figures: { limit } }) =>
    limit === undefined ? [] : [`${name}: ${limit}`],
  );
  return found.length === 0 ? "" : ` (${found.join("; ")})`;
}

/** What is known where latency alone was not judged, and of which kinds of request it was not. */
function latencyNotJudgedText(twin: Results["twin"]): string {
  const { contract = [], seconds = 0 } = twin ?? {};
  const same =
    contract.length === 0
      ? "Responses and contract are the same."
      : "Responses are the same, and the contract has no breaking change.";
  const kinds = listed(undecided(twin).map(({ request }) => twinRequestName(request)));
  return `${same} Latency was not judged in ${duration(seconds)}: ${kinds}.`;
}

/** What nothing different means: how much was compared, and what is faster. */
function twinText({ responses, latency }: NonNullable<Results["twin"]>): string {
  const faster = latency.filter(({ outcome }) => outcome === "faster");
  const same = `the responses to ${counted(responses.requests, "request")} are the same at both deployments`;
  if (faster.length === 0) return latency.length === 0 ? same : `${same}, and so is latency`;
  return `${same}, and the target is faster (${listed(faster.map(({ request }) => twinRequestName(request)))})`;
}

function partialSentence({ results, waived, excused, load }: ReportParts): string {
  const { requirements, scope } = results;
  const judged = requirements.filter(
    ({ verdict }) => verdict !== "inconclusive" && verdict !== "notApplicable",
  ).length;
  const asides = [
    ...(waived.length === 0 ? [] : [`${grouped(waived.length)} waived`]),
    ...(excused.length === 0 ? [] : [`${grouped(excused.length)} excused`]),
  ];
  const by = scope !== undefined && scope.requirements === scope.of ? ` by ${checksText(scope)}` : "";
  const aside = asides.length === 0 ? "" : ` (${asides.join(", ")})`;
  const loads = load.length === 0 ? "" : `; ${counted(load.length, "load run")} passed`;
  return `${grouped(judged)} of ${counted(scope?.of ?? judged, "requirement")} judged${by}, none failed${aside}${loads}.`;
}
