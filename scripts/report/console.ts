import { dirname, join } from "node:path";
import type { RequirementResult, Results } from "../../schemas/types.ts";
import { verdictLabels } from "../../schemas/verdicts.ts";
import { renderDrift, renderWaivers } from "./console-contract.ts";
import { renderBroken, renderUnjudged } from "./console-findings.ts";
import { renderLoad } from "./console-load.ts";
import { renderSections } from "./console-sections.ts";
import { formats } from "./formats.ts";
import { exitWords } from "./html/words.ts";
import { printable, wrap } from "./lines.ts";
import type { ConsoleStyle } from "./style.ts";

/** What the report says beside the results. */
export interface ConsoleOptions {
  /** Where `results.json` is, as the user would write it. */
  readonly resultsFile: string;
  readonly style: ConsoleStyle;
}

/** The report for a person at a terminal: the verdict first, then what broke, what could not be judged, the rest. */
export function renderConsole(results: Results, { resultsFile, style }: ConsoleOptions): string {
  const blocks = [
    renderVerdict(results, style),
    renderProblem(results, style),
    ...renderBroken(results.requirements, style),
    ...renderLoad(results.load, style),
    renderDrift(results.drift, style),
    ...renderUnjudged(results.requirements, style),
    renderWaivers(results.waivers, style),
    renderSections(results.requirements, style),
    [
      `Results: ${resultsFile}`,
      `Report: ${join(dirname(resultsFile), formats.html.fileName)}`,
      ...wrap(`Exit ${results.exitCode}: ${exitWords[results.exitCode]}.`, style),
    ],
  ];
  const text = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `\n${text.join("\n\n")}\n`;
}

function renderVerdict(results: Results, style: ConsoleStyle): string[] {
  const { command, target, verdict, requirements, requests } = results;
  const paint = { conformant: style.good, violations: style.bad, incomplete: style.unsure, error: style.bad }[
    verdict
  ];
  const label = verdict.toUpperCase();
  const [first = "", ...rest] = wrap(`${label}: ${command} of ${target.name} at ${target.baseUrl}`, style);
  const head = [first.replace(label, paint(style.strong(label))), ...rest];
  if (requirements.length === 0) return head;
  return [...head, ...wrap(`${counts(requirements)}; ${requests.total} requests`, style).map(style.faint)];
}

function counts(requirements: readonly RequirementResult[]): string {
  const parts = Object.entries(verdictLabels).flatMap(([verdict, name]) => {
    const count = requirements.filter((requirement) => requirement.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${name}`];
  });
  return `${requirements.length} requirements: ${parts.join(", ")}`;
}

function renderProblem({ problem }: Results, { width, bad }: ConsoleStyle): string[] {
  if (problem === undefined) return [];
  const [first = "", ...rest] = wrap(printable(`${problem.what}: ${problem.where}`), { width });
  return [bad(first), ...rest, ...problem.mend.split("\n").flatMap((line) => wrap(line, { width }))];
}
