import type { RequirementResult, Results } from "../../schemas/types.ts";
import { renderBroken, renderUnjudged } from "./console-findings.ts";
import { renderLoad } from "./console-load.ts";
import { renderSections } from "./console-sections.ts";
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
    ...renderUnjudged(results.requirements, style),
    renderSections(results.requirements, style),
    [`Results: ${resultsFile}`, exitLine(results)],
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
  const names = {
    fail: "failed",
    error: "could not be run",
    warn: "worth a look",
    inconclusive: "could not be judged",
    pass: "passed",
    notApplicable: "not applicable",
  } as const satisfies Record<RequirementResult["verdict"], string>;
  const parts = Object.entries(names).flatMap(([verdict, name]) => {
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

function exitLine({ exitCode }: Results): string {
  const meanings = {
    0: "conformant, all thresholds held",
    1: "the target violates a requirement, or a load threshold was crossed",
    2: "wrong usage or configuration",
    3: "the run could not be made",
    4: "incomplete: nothing failed, but a MUST could not be judged",
    130: "interrupted; what was learned is written",
  } as const satisfies Record<Results["exitCode"], string>;
  return `Exit ${exitCode}: ${meanings[exitCode]}.`;
}
