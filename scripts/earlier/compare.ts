import { requestLabel } from "../../schemas/scenarios.ts";
import { capitalized, change, counted, listed, milliseconds, minute } from "../../schemas/words/format.ts";
import { exceededText } from "../../schemas/words/thresholds.ts";
import { code } from "../../schemas/words/values.ts";
import { type CommandDefinition, print } from "../cli/commands/command.ts";
import { type EarlierRunFlags, runNames, withEarlierRuns } from "../cli/commands/flags.ts";
import { emptySuite, type Report, type Suite } from "../report/model.ts";
import { loadName } from "../report/subjects/run/load.ts";
import { isFilled } from "../report/subjects/run/run.ts";
import { consoleStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { writeMarkdown } from "../report/writers/markdown.ts";
import { type EarlierRun, readRun } from "../runs/read-run.ts";
import { breakingText, changesSuite } from "./changes.ts";
import { type Comparison, compareRuns, type LoadChange, verdicts, whyNotWhole } from "./comparison.ts";

/** `compare BEFORE AFTER` shows what changed between two runs. */
export const compare: CommandDefinition<EarlierRunFlags & { readonly markdown?: boolean }> = {
  flags: (command) =>
    withEarlierRuns(command)
      .argument("<before>", runNames)
      .argument("<after>", "the run to compare with it")
      .option("--markdown", "print Markdown, for a job summary"),
  run: async ({ json, markdown = false, ...flags }, io, operands) => {
    const [before = "", after = ""] = operands;
    const runs = [await readRun(before, flags, io), await readRun(after, flags, io)] as const;
    const comparison = compareRuns(...runs);
    const report = comparisonReport(comparison, ...runs);
    const text = () => (markdown ? writeMarkdown(report) : writeConsole(report, { style: consoleStyle(io) }));
    print(io, json, { value: comparison, text });
    return comparison.exitCode;
  },
};

/** What changed between two runs, worst first. */
export function comparisonReport(comparison: Comparison, before: EarlierRun, after: EarlierRun): Report {
  const { verdict, exitCode, requirements = [], differences = [], load } = comparison;
  const { startedAt, finishedAt } = after.results;
  const runs = [before, after];
  const names = new Set(runs.map(({ results }) => code(results.target.name)));
  const areLoads = runs.every(({ results }) => results.command === "load") && differences.length === 0;
  const haveLatency = load.some(({ latency }) => latency.length > 0);
  const suite = changesSuite(
    { differences, verdicts: requirements },
    { title: "Requirements and contract", lines: comparedLines(comparison) },
  );
  return {
    headline: {
      tone: verdicts[verdict].tone,
      label: verdict,
      of: `comparison of ${[...names].join(" and ")}`,
      why: whyOf(comparison),
      counts: [],
      notes: [
        `Before: ${runText(before)}`,
        `After: ${runText(after)}`,
        ...(haveLatency
          ? ["Latency is shown, not judged: whether a release is slower is judged while both run."]
          : []),
      ],
      ...{ exitCode, startedAt, finishedAt, ranAt: "“after” ran at", files: [] },
    },
    suites: [...(areLoads ? [] : [suite]), ...load.map(loadSuite)].filter(isFilled),
    about: [],
  };
}

function comparedLines({ requirements, differences }: Comparison): string[] {
  return [
    ...(requirements === undefined ? ["Requirements not compared: not both runs judged any."] : []),
    ...(requirements?.length === 0
      ? ["No requirement is newly failing, and none that failed passes now."]
      : []),
    differences === undefined
      ? "Contract not compared: not both runs are whole and judged some of it."
      : `Contract: ${breakingText(differences)}.`,
  ];
}

/** What the verdict means. Latency is part of none. */
function whyOf({ verdict, requirements = [], differences = [], load }: Comparison): string {
  if (verdict === "same") return "Nothing got worse that decides a comparison.";
  if (verdict === "not judged") return "Nothing is known to be worse, but not everything could be compared.";
  const failing = requirements.filter(({ kind }) => kind === "newly-failing").length;
  const exceeded = load.flatMap((one) => one.exceeded.filter(({ weight }) => weight === "worse")).length;
  const worse = [
    failing > 0 && `${counted(failing, "requirement")} newly failing`,
    differences.some(({ breaking }) => breaking) && breakingText(differences),
    exceeded > 0 && `${counted(exceeded, "limit")} newly exceeded`,
  ];
  return `${capitalized(listed(worse.filter((text) => text !== false)))}.`;
}

const commitLength = 7;

/** A run with what distinguishes it: its time, what it lacks, commit, target, machine. */
function runText({ name, results }: EarlierRun): string {
  const { startedAt, environment, target } = results;
  const about = [environment?.commit?.slice(0, commitLength), environment?.branch, target.name];
  const named = [...about, target.baseUrl, environment?.host].flatMap((one) => (one ? [code(one)] : []));
  const part = whyNotWhole(results) ?? [];
  return [code(name), minute(startedAt), part, named].flat().join(", ");
}

function loadSuite(one: LoadChange, at: number): Suite {
  const { measured, exceeded, differing, latency } = one;
  const isWorse = exceeded.some(({ weight }) => weight === "worse");
  const table = {
    title: "Latency of successful responses",
    head: ["endpoint", "statistic", "before", "after", "change"],
    figures: [2, 3, 4],
    rows: latency.map(({ endpoint, statistic, before, after, ...by }) => {
      const values = [milliseconds(before), milliseconds(after), change(by.change)];
      return { cells: [capitalized(requestLabel(endpoint)), statistic, ...values] };
    }),
  };
  const lines = [
    measured === "before" && "No longer measured.",
    measured === "after" && "Not compared: the earlier run did not measure it.",
    ...exceeded.map(({ threshold, weight }) => {
      const how =
        weight === "worse" ? "newly exceeded" : "exceeded, which is no proven change of the service";
      return `Limit ${how}: ${exceededText(threshold)}.`;
    }),
    differing.length > 0 &&
      `The runs differ in ${listed(differing)}, so their latency and limits can differ for that reason.`,
  ];
  return {
    ...emptySuite,
    id: `load-${at}`,
    title: `Load: ${loadName(one)}`,
    tone: isWorse ? "bad" : measured === "both" ? "good" : "unsure",
    tables: latency.length === 0 ? [] : [table],
    lines: lines.filter((line) => line !== false),
  };
}
