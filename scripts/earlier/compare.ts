import { join } from "node:path";
import { type Verdict, verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { requestLabel, scenarioLabel } from "../../schemas/scenarios.ts";
import { capitalized, change, counted, listed, milliseconds, minute } from "../../schemas/words/format.ts";
import { exceededText } from "../../schemas/words/thresholds.ts";
import { code } from "../../schemas/words/values.ts";
import { type CommandDefinition, print } from "../cli/commands/command.ts";
import {
  type EarlierRunFlags,
  runNames,
  settingsWithoutTarget,
  withEarlierRuns,
} from "../cli/commands/earlier-runs.ts";
import { writeWhole } from "../files.ts";
import { emptySuite, type Item, type Report, type Suite, type Table } from "../report/model.ts";
import { isFilled } from "../report/subjects/run/run.ts";
import { consoleStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { writeMarkdown } from "../report/writers/markdown.ts";
import { readRun } from "../runs/read-run.ts";
import {
  type Comparison,
  compareRuns,
  type LoadChange,
  type RunsToCompare,
  whyNotWhole,
} from "./comparison.ts";
import { breakingText, contractSuite } from "./contract-items.ts";
import { changeKinds, changeLines, type VerdictChange } from "./verdict-changes.ts";

/** `compare BEFORE AFTER` shows what changed between two runs. */
export const compare: CommandDefinition<EarlierRunFlags & { readonly markdown?: boolean }> = {
  flags: (command) =>
    withEarlierRuns(command)
      .argument("<before>", runNames)
      .argument("<after>", "the run to compare with it")
      .option("--markdown", "write compare.md into the reports folder, for a job summary"),
  run: async ({ json, markdown = false, ...flags }, io, [before = "", after = ""]) => {
    const { out, outShown, redaction } = await settingsWithoutTarget(flags, io);
    const places = { out, cwd: io.cwd };
    const runs = { before: await readRun(places, before), after: await readRun(places, after) };
    const comparison = compareRuns(runs);
    const report = comparisonReport(comparison, runs);
    print(io, json, { value: comparison, text: () => writeConsole(report, { style: consoleStyle(io) }) });
    if (markdown) {
      await writeWhole(join(out, "compare.md"), redaction.redact(writeMarkdown(report)));
      if (json !== true) io.stdout.write(`Written: ${join(outShown, "compare.md")}\n`);
    }
    return comparison.exitCode;
  },
};

const tones = { worse: "bad", same: "good", "not judged": "unsure" } as const;

/** What changed between two runs, worst first. */
export function comparisonReport(comparison: Comparison, { before, after }: RunsToCompare): Report {
  const { verdict, exitCode, requirements, differences, load } = comparison;
  const { startedAt, finishedAt, target } = after.results;
  const contract =
    differences === undefined
      ? "Not compared: one of the runs is not whole, or judged nothing of the contract."
      : `${capitalized(breakingText(differences))}.`;
  const isNone = requirements.length === 0;
  const haveVerdicts = [before, after].every(({ results }) => results.requirements.length > 0);
  const none = haveVerdicts
    ? "No requirement changed its verdict."
    : "Not compared: one of the runs judged no requirement.";
  const [fixed, others] = [true, false].map((isFixed) =>
    requirements.filter(({ kind }) => (kind === "fixed") === isFixed),
  ) as [VerdictChange[], VerdictChange[]];
  const ofConformance: Suite[] = [
    {
      ...emptySuite,
      id: "requirements",
      title: "Requirements",
      tone: !haveVerdicts ? "unsure" : isNone ? "good" : tones[verdict],
      items: others.map(changeItem),
      lines: isNone ? [none] : changeLines(fixed),
    },
    contractSuite(differences ?? [], { title: "Contract", lines: [contract] }),
  ];
  const latency = load.some((one) => one.latency.length > 0)
    ? ["Latency is shown, not judged: whether a release is slower is judged while both run."]
    : [];
  const areLoads = [before, after].every(({ results }) => results.command === "load");
  const suites = [...(areLoads ? [] : ofConformance), ...load.map(loadSuite)];
  return {
    headline: {
      tone: tones[verdict],
      label: verdict,
      of: `comparison of ${[...new Set([before.results.target.name, target.name])].map(code).join(" and ")}`,
      why: whyOf(comparison),
      counts: [],
      notes: [`Before: ${runText(before)}`, `After: ${runText(after)}`, ...latency],
      ...{ exitCode, startedAt, finishedAt, ranAt: "“after” ran at", files: [] },
    },
    suites: suites.filter(isFilled),
    about: [],
  };
}

/** What the verdict means. Latency is part of none. */
function whyOf({ verdict, requirements, differences = [], load }: Comparison): string {
  if (verdict === "same") return "Nothing that was compared got worse.";
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
function runText({ name, results }: RunsToCompare["before"]): string {
  const { startedAt, environment, target } = results;
  const about = [environment?.commit?.slice(0, commitLength), environment?.branch, target.name];
  const named = [...about, target.baseUrl, environment?.host].flatMap((one) => (one ? [code(one)] : []));
  const part = whyNotWhole(results) ?? [];
  return [code(name), minute(startedAt), part, named].flat().join(", ");
}

function changeItem({ kind, id, level, statement, before, after, findings }: VerdictChange): Item {
  const { label, tone } = changeKinds[kind];
  const isWaived = kind === "waived";
  const verdict = isWaived ? "waived" : after === "fail" ? "fail" : "warn";
  const name = (one: Verdict | undefined) => (one === undefined ? "not there" : verdictLabels[one]);
  return {
    ...{ id, title: statement, verdict, tone, evidence: [], commands: [] },
    about: `${level.toUpperCase()}, ${label}: ${name(before)} before, ${isWaived ? label : name(after)} after`,
    said: findings.map(({ message, fix }) => ({ message, fix, where: [], places: [] })),
  };
}

function loadSuite(one: LoadChange, at: number): Suite {
  const { scenario, profile, measured, exceeded, differing, latency } = one;
  const isWorse = exceeded.some(({ weight }) => weight === "worse");
  const limits = exceeded.map(({ threshold, weight }) => {
    const how = weight === "worse" ? "newly exceeded" : "exceeded, which is no proven change of the service";
    return `Limit ${how}: ${exceededText(threshold)}.`;
  });
  const lines = [
    measured === "before" && "No longer measured.",
    measured === "after" && "Not compared: the earlier run did not measure it.",
    ...limits,
    differing.length > 0 &&
      `The runs differ in ${listed(differing)}, so their latency and limits can differ for that reason.`,
  ];
  return {
    ...emptySuite,
    id: `load-${at}`,
    title: `Load: ${scenarioLabel(scenario)} (${profile})`,
    tone: isWorse ? "bad" : measured === "both" ? "good" : "unsure",
    tables: latency.length === 0 ? [] : [latencyTable(latency)],
    lines: lines.filter((line) => line !== false),
  };
}

function latencyTable(latency: LoadChange["latency"]): Table {
  return {
    title: "Latency of successful responses",
    head: ["endpoint", "statistic", "before", "after", "change"],
    figures: [2, 3, 4],
    rows: latency.map(({ endpoint, statistic, before, after, ...one }) => {
      const values = [milliseconds(before), milliseconds(after), change(one.change)];
      return { cells: [capitalized(requestLabel(endpoint)), statistic, ...values] };
    }),
  };
}
