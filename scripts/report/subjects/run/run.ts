import { requirements } from "../../../../conformance/requirements/all.ts";
import { waiverCovers } from "../../../../conformance/requirements/verdict.ts";
import { type Finding, type Harm, harms } from "../../../../schemas/contracts/finding.ts";
import type { AnyResults, Results } from "../../../../schemas/contracts/results.ts";
import { type AddedCause, type CauseMeaning, causesWith } from "../../../../schemas/contracts/verdicts.ts";
import { counted, grouped } from "../../../../schemas/words/format.ts";
import { wordsOf } from "../../../../schemas/words/index.ts";
import { code } from "../../../../schemas/words/values.ts";
import {
  causeTone,
  emptySuite,
  type Fact,
  type Headline,
  type Item,
  type Report,
  type Suite,
  waivedText,
  waiverFix,
} from "../../model.ts";
import {
  type CauseTable,
  type CauseWords,
  causeInWords,
  causeWords,
  having,
  type RunParts,
} from "./causes.ts";
import { loadCommand, runCommand } from "./commands.ts";
import { discoveredSuite } from "./discovered.ts";
import { loadName, loadSuite } from "./load.ts";
import {
  isWaived,
  type NotJudgedCause,
  notJudgedCauses,
  requirementCounts,
  requirementItems,
  type SaidRequirement,
  sectionsOf,
} from "./requirements.ts";

/** What a capability adds to the report of a run. */
export interface RunAdditions {
  /** The outcome of a run that it judges alone. */
  readonly label?: (results: Results) => string | undefined;
  readonly suites?: (results: Results) => readonly Suite[];
  /** The causes that it adds, each with its words. */
  readonly causes?: Readonly<Record<string, CauseWords & AddedCause>>;
  /** What passed, as a part of a sentence: `the responses are the same`. */
  readonly passed?: (results: Results) => string | undefined;
  /** Commands for an item that did not pass. */
  readonly itemCommands?: (results: Results, run: string, id: string) => Item["commands"];
}

interface RunReportOptions {
  /** Name of the run in commands. Default: latest */
  readonly run?: string | undefined;
  readonly added?: readonly RunAdditions[];
}

/** A run of a target: what failed first, background last. */
export function runReport(results: Results, { run = "latest", added = [] }: RunReportOptions = {}): Report {
  const { requirements, load } = results;
  const failed = worstFirst(requirements.filter(({ verdict }) => verdict === "fail" || verdict === "error"));
  const warned = having("warn", requirements);
  const isExcused = ({ excused }: SaidRequirement) => Number(excused !== undefined);
  const notJudged = having("inconclusive", requirements).toSorted((a, b) => isExcused(a) - isExcused(b));
  const commandsOf = (id: string) =>
    added.flatMap(({ itemCommands }) => itemCommands?.(results, run, id) ?? []);
  const parts = { results, failed, notJudged, notJudgedCauses: notJudgedCauses(notJudged), commandsOf };
  const items = (all: readonly SaidRequirement[]) =>
    requirementItems(all, ({ id, excused }) => [
      // What is excused cannot be judged another time.
      ...(excused === undefined ? commandsOf(id) : []),
      ticketCommand(run, id),
    ]);
  const loads = load.map((one, at) =>
    loadSuite(one, at, (id) => [
      { label: "Repeat", command: loadCommand(results, one) },
      ticketCommand(run, id),
    ]),
  );
  const decided = new Set(loads.filter((_, at) => load[at]?.verdict !== "pass"));
  const { waived = [], warnings = [] } = Object.groupBy(warned, (one) =>
    isWaived(one) ? "waived" : "warnings",
  );
  const suites: Suite[] = [
    { ...emptySuite, id: "failed", title: "Failed", tone: "bad", items: items(failed) },
    ...decided,
    { ...notJudgedSuite(parts.notJudgedCauses), items: items(notJudged) },
    waiversSuite(results),
    acceptSuite(failed, results),
    { ...emptySuite, id: "warnings", title: "Warnings", tone: "notice", items: items(warnings) },
    {
      ...emptySuite,
      id: "waived",
      title: "Waived",
      tone: "notice",
      items: items(waived),
      lines: notJudged.flatMap(waivedLines),
    },
    ...loads.filter((one) => !decided.has(one)),
    ...added.flatMap(({ suites: suitesOf }) => suitesOf?.(results) ?? []),
    ...sectionSuites(requirements, items),
    ...(results.discovered.fixtures.length === 0 ? [] : [discoveredSuite(results.discovered)]),
  ];
  return {
    headline: headlineOf(parts, run, added),
    suites: suites.filter(isFilled),
    about: aboutOf(results),
  };
}

export function isFilled({ items, tables, lines, charts }: Suite): boolean {
  return items.length + tables.length + lines.length + charts.length > 0;
}

function ticketCommand(run: string, id: string) {
  return { label: "Ticket", command: runCommand(`explain ${run} ${id} --markdown`) };
}

/** Why requirements were not judged, by their causes, since a cause is what can be fixed. */
export function notJudgedSuite(causes: readonly NotJudgedCause[]): Suite {
  return {
    ...emptySuite,
    id: "not-judged",
    title: "Not judged",
    tone: "unsure",
    lines: causes.map(({ text, fix, requirements }) => {
      const ids = requirements.map(({ id }) => `\`${id}\``).join(", ");
      const cause = [text, fix].filter(Boolean).join(" ");
      return `${counted(requirements.length, "requirement")}: ${cause === "" ? "" : `${cause} `}(${ids})`;
    }),
  };
}

/** What is waived of a requirement of which something else was not judged. */
function waivedLines({ checks }: SaidRequirement): string[] {
  return checks.flatMap(({ id, waiver, findings: [first] }) =>
    waiver === undefined ? [] : `${code(id)}: ${first?.message ?? ""} ${waivedText(waiver)}`,
  );
}

/** Requirements that passed or do not apply, by the sections of the spec. */
export function sectionSuites(
  requirements: readonly SaidRequirement[],
  items: (all: readonly SaidRequirement[]) => Item[],
): Suite[] {
  return sectionsOf(requirements).map(({ name, requirements: all, text }, at) => ({
    ...emptySuite,
    id: `section-${at}`,
    title: name,
    // A sign of success would contradict the counts of one in which something failed.
    tone: all.every(({ verdict }) => verdict === "pass" || verdict === "notApplicable") ? "good" : "plain",
    summary: text,
    items: items(all.filter(({ verdict }) => verdict === "pass" || verdict === "notApplicable")),
  }));
}

/** Waivers that are expired, stale or unused; an active one stands at what it waives. */
function waiversSuite({ waivers = [] }: Results): Suite {
  const shown = (["expired", "stale", "unused"] as const).flatMap((state) =>
    waivers.filter((one) => one.state === state),
  );
  const items = shown.map((one): Item => {
    const { waiver, state } = one;
    const message = waiverFix(one) ?? "This run did not show whether it is still needed.";
    return {
      id: `waiver.${waiver.id}`,
      title: `Waiver of ${waiver.id}`,
      verdict: state === "unused" ? "notApplicable" : "fail",
      tone: state === "unused" ? "plain" : "unsure",
      said: [{ message, where: [], places: [] }],
      evidence: [],
      commands: [],
      waivers: [waiver],
    };
  });
  return { ...emptySuite, id: "waivers", title: "Waivers", tone: "unsure", items };
}

/** The waivers that would cover what failed, as entries of the config; none beside one that has expired. */
function acceptSuite(failed: readonly SaidRequirement[], { waivers = [] }: Results): Suite {
  const title = "To accept a failure, add to waivers in the config";
  const lines = having("fail", failed).flatMap(({ id: requirement, checks }) => {
    const failing = having("fail", checks).map(({ id }) => id);
    // No check may have two waivers.
    const isPartlyWaived = waivers.some(({ waiver }) => waiverCovers(requirement, waiver.id));
    const ids = failing.length === 1 || isPartlyWaived ? failing : [requirement];
    const isCovered = (id: string) => waivers.some(({ waiver }) => waiverCovers(waiver.id, id));
    return ids.filter((id) => !isCovered(id)).map((id) => `\`${waiverEntry(id)}\``);
  });
  return { ...emptySuite, id: "accept", title, tone: "notice", lines };
}

/** The entry of the config that waives an id. Whoever pastes it fills it in. */
export function waiverEntry(id: string): string {
  return `{ id: ${JSON.stringify(id)}, reason: "", owner: "", ticket: "", expires: "" },`;
}

function headlineOf(parts: RunParts, run: string, added: readonly RunAdditions[]): Headline {
  const { results } = parts;
  const { command, target, scope, requirements, requests, problem, cause } = results;
  const { exitCode, startedAt, finishedAt, exchangesLeftOut } = results;
  const order = causesWith(added.map(({ causes }) => causes));
  const meaning = new Map(order).get(cause);
  if (meaning === undefined) throw new Error(`no capability has the cause ${cause}`);
  const table: CauseTable = Object.assign({}, causeWords, ...added.map(({ causes }) => causes));
  const passed = added.flatMap(({ passed: text }) => text?.(results) ?? []);
  const { why, next, besides } = causeInWords(parts, run, { order, table, passed });
  const { total, burst = 0 } = requests;
  const part = results.load.length === 0 ? "" : " of conformance";
  const sent = `${counted(total, "request")}${part}${burst === 0 ? "" : `, ${grouped(burst)} of them to exceed the rate limit`}`;
  return {
    tone: causeTone(meaning),
    label: added.flatMap(({ label }) => label?.(results) ?? [])[0] ?? labelOf(meaning, command),
    of: `${command} of \`${target.name}\` at \`${target.baseUrl}\``,
    why,
    counts: requirements.length === 0 ? [] : [requirementCounts(requirements, scope?.of), sent],
    notes: [
      ...(target.builtIn === true
        ? ["This run judged the reference service built into shelfcheck. Your own service was not tested."]
        : []),
      // Of a load, discovery alone sends requests that notices count.
      ...warningsOf(parts).map((text) => `Warning${command === "load" ? " before the load" : ""}: ${text}`),
      ...(problem === undefined || cause === "problem" ? [] : [`${problem.what}: \`${problem.where}\`.`]),
      ...(problem === undefined ? [] : [problem.fix]),
      ...besides,
      ...(exchangesLeftOut === undefined
        ? []
        : [`Left out: ${counted(exchangesLeftOut, "exchange")} of findings.`]),
    ],
    next,
    exitCode,
    startedAt,
    finishedAt,
    files: filesOf(results),
  };
}

function labelOf({ label, loadLabel = label }: CauseMeaning, command: string): string {
  return command === "load" ? loadLabel : label;
}

/** Files that every run writes, and those of its load. */
function filesOf({ load }: Results): Headline["files"] {
  return [
    ...["results.json", "summary.md", "junit.xml"].map((name) => ({ name, path: name })),
    ...load.flatMap((one) => {
      const folder = `load/${one.scenario}`;
      // Pods leave none, nor does a load that was not sent; of a k6 that was killed there is only the log.
      if (one.conditions?.k6 === undefined) return [];
      const whole = { dashboard: "dashboard.html", summary: "summary.json" };
      const kept = { ...(one.thresholds.length > 0 ? whole : {}), log: "k6.log" };
      return Object.entries(kept).map(([what, file]) => ({
        name: `k6's ${what} of ${loadName(one)}`,
        path: `${folder}/${file}`,
      }));
    }),
  ];
}

/** Each notice in words; not one that what was not judged has as its cause, or that no requirement needs. */
function warningsOf({ results, notJudgedCauses: causes }: RunParts): string[] {
  return (results.notices ?? []).flatMap(({ code, message, fix }) => {
    const isSaid = code === "no-category" || causes.some(({ finding }) => finding.code === code);
    return isSaid ? [] : [[message, fix].filter(Boolean).join(" ")];
  });
}

/** How a run of any kind was made. */
export function aboutOf(results: AnyResults): Fact[] {
  const { environment, tool, cause } = results;
  const [load, target] = "load" in results ? [results.load, results.target] : [[]];
  const { commandLine, commit, branch, host, node } = environment ?? {};
  const versions = [`${tool.name} ${tool.version}`, node && `Node ${node}`, "specification /v1"];
  const facts: (readonly [string, string | undefined])[] = [
    ["Command", commandLine && `\`${commandLine}\``],
    ["Commit", commit && `\`${commit}\`${branch === undefined ? "" : ` on \`${branch}\``}`],
    ["Cause", cause],
    ["Versions", versions.filter(Boolean).join(", ")],
    ["Machine", host],
    ["Key fingerprint", target && `\`${target.keyFingerprint}\``],
    ...load.map((one): [string, string] => {
      const words = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      const conditions = Object.entries(one.conditions ?? {}).map(
        ([name, value]) => `${words(name)} ${value}`,
      );
      return [`Conditions of ${loadName(one)}`, conditions.join(", ")];
    }),
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}

const harmOf: ReadonlyMap<string, Harm | undefined> = new Map(requirements.map(({ id, harm }) => [id, harm]));

/** Failed requirements, worst first: by what they harm, then by the share of responses. */
function worstFirst(failed: readonly SaidRequirement[]): SaidRequirement[] {
  return failed.toSorted((one, other) => harmRank(one) - harmRank(other) || shareOf(other) - shareOf(one));
}

function findingsOf({ checks, verdict }: SaidRequirement): Finding[] {
  return checks.filter((check) => check.verdict === verdict).flatMap(({ findings }) => findings);
}

function harmRank(requirement: SaidRequirement): number {
  const ofFindings = findingsOf(requirement).map((one) => wordsOf(one).harm);
  const harmed = [harmOf.get(requirement.id), ...ofFindings].filter((harm) => harm !== undefined);
  return Math.min(harms.length, ...harmed.map((harm) => harms.indexOf(harm)));
}

function shareOf(requirement: SaidRequirement): number {
  const shares = findingsOf(requirement).map(({ seen }) => (seen?.total ? seen.count / seen.total : 0));
  return Math.max(0, ...shares);
}
