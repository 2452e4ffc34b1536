import type { Results } from "../../schemas/contracts/results.ts";
import { type Verdict, verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { requestLabel, scenarioLabel } from "../../schemas/scenarios.ts";
import { capitalized, change, counted, listed, milliseconds, minute } from "../../schemas/words/format.ts";
import { exceededText } from "../../schemas/words/thresholds.ts";
import { code } from "../../schemas/words/values.ts";
import { emptySuite, type Item, type Report, type Suite, type Table } from "../report/model.ts";
import { isFilled } from "../report/subjects/run/run.ts";
import type { Comparison, LoadChange, RunsToCompare } from "./comparison.ts";
import { breakingText, contractSuite } from "./contract-items.ts";
import { changeKinds, changeLines, type VerdictChange } from "./verdict-changes.ts";

const tones = { worse: "bad", same: "good", "not judged": "unsure" } as const;

/** What changed between two runs, worst first. */
export function comparisonReport(comparison: Comparison, { before, after }: RunsToCompare): Report {
  const { verdict, exitCode, requirements, differences, load } = comparison;
  const { startedAt, finishedAt, target } = after.results;
  const contract =
    differences === undefined
      ? "Not compared: one of the runs did not finish, or judged nothing of the contract."
      : `${capitalized(breakingText(differences))}.`;
  const isNone = requirements.length === 0;
  const suites: Suite[] = [
    {
      ...emptySuite,
      id: "requirements",
      title: "Requirements",
      tone: isNone ? "good" : tones[verdict],
      items: requirements.filter(({ kind }) => changeKinds[kind].verdict !== "pass").map(changeItem),
      lines: isNone
        ? ["No requirement changed its verdict."]
        : changeLines(requirements, ["fixed", "newly-judged"]),
    },
    contractSuite(differences ?? [], { title: "Contract", lines: [contract] }),
    ...load.map(loadSuite),
  ];
  return {
    headline: {
      tone: tones[verdict],
      label: verdict,
      of: `comparison of ${[...new Set([before.results.target.name, target.name])].map(code).join(" and ")}`,
      why: whyOf(comparison),
      counts: [],
      notes: [`Before: ${runText(before)}`, `After: ${runText(after)}`],
      ...{ exitCode, startedAt, finishedAt, files: [] },
    },
    suites: suites.filter(isFilled),
    about: [],
  };
}

/** What the verdict means. Latency is part of none. */
function whyOf({ verdict, requirements, differences = [], load }: Comparison): string {
  if (verdict === "same") return "No requirement, limit or part of the contract got worse.";
  if (verdict === "not judged") return "Nothing is known to be worse, but not everything could be compared.";
  const failing = requirements.filter(({ kind }) => kind === "newly-failing").length;
  const exceeded = load.flatMap((one) => one.exceeded.filter(({ weight }) => weight === "worse")).length;
  return `${capitalized(
    listed([
      ...(failing > 0 ? [`${counted(failing, "requirement")} newly failing`] : []),
      ...(differences.some(({ breaking }) => breaking) ? [breakingText(differences)] : []),
      ...(exceeded > 0 ? [`${counted(exceeded, "limit")} newly exceeded`] : []),
    ]),
  )}.`;
}

const commitLength = 7;

/** A run with what distinguishes it: its time, what it lacks, commit, target, machine. */
function runText({ name, results }: RunsToCompare["before"]): string {
  const { startedAt, environment, target } = results;
  const about = [environment?.commit?.slice(0, commitLength), environment?.branch, target.name];
  const named = [...about, target.baseUrl, environment?.host].flatMap((one) => (one ? [code(one)] : []));
  return [code(name), minute(startedAt), ...partOf(results), ...named].join(", ");
}

/** Why the run cannot be compared with whole runs; nothing for a whole run. */
function partOf({ scope, exitCode, verdict, problem }: Results): string[] {
  if (exitCode === 130) return ["interrupted"];
  if (verdict === "error") return [`ended in an error${problem === undefined ? "" : ` (${problem.what})`}`];
  return scope === undefined ? [] : [`${scope.requirements} of ${scope.of} requirements`];
}

function changeItem({ kind, id, level, statement, before, after, findings }: VerdictChange): Item {
  const { label, verdict, tone } = changeKinds[kind];
  const name = (one: Verdict | undefined) => (one === undefined ? "not there" : verdictLabels[one]);
  return {
    ...{ id, title: statement, verdict, tone, evidence: [], commands: [] },
    about: `${level.toUpperCase()}, ${label}: ${name(before)} before, ${name(after)} after`,
    said: findings.map(({ message, fix }) => ({ message, fix, where: [], places: [] })),
  };
}

function loadSuite(one: LoadChange, at: number): Suite {
  const { scenario, profile, measured, exceeded, differing, latency } = one;
  const limits = exceeded.map(({ threshold, weight }) => {
    const how = weight === "worse" ? "newly exceeded" : "exceeded, which is no proven change of the service";
    return `Limit ${how}: ${exceededText(threshold)}.`;
  });
  const differ = `The runs differ in ${listed(differing)}, so their latency and limits can differ for that reason.`;
  const trend =
    "Latency is shown, not judged: whether a release is slower is judged while both run, with twin.";
  const without = {
    before: ["No longer measured."],
    after: ["Not compared: the earlier run did not measure it."],
    both: [],
  };
  return {
    ...emptySuite,
    id: `load-${at}`,
    title: `Load: ${scenarioLabel(scenario)} (${profile})`,
    tone: exceeded.some(({ weight }) => weight === "worse") ? "bad" : measured === "both" ? "good" : "unsure",
    tables: latency.length === 0 ? [] : [latencyTable(latency)],
    lines: [
      ...without[measured],
      ...limits,
      ...(differing.length > 0 ? [differ] : []),
      ...(latency.length > 0 ? [trend] : []),
    ],
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
