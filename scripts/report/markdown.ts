import type { RequirementResult, Results } from "../../schemas/types.ts";
import { sortRequirements } from "./html/sort-requirements.ts";
import { answer } from "./html/verdict.ts";
import { between, counted, exitWords, grouped, minute, runWords } from "./html/words.ts";
import { renderDrift, renderWaivers } from "./markdown-contract.ts";
import { renderBroken, renderUnjudged, renderWorthALook } from "./markdown-findings.ts";
import { renderLoad } from "./markdown-load.ts";
import { code, folded, prose, table } from "./markdown-text.ts";

/** Most characters of the whole: a job's summary may have 1 MiB, and other steps write into it too. */
const longest = 600_000;

/**
 * Markdown for the summary of a job (GitHub's dialect): the verdict, what broke, what could not be judged, load,
 * drift and waivers. All text that a target may have a hand in stands in code.
 */
export function renderMarkdown(results: Results): string {
  const sorted = sortRequirements(results);
  const blocks = [
    ...renderVerdict(results, answer(results, sorted)),
    ...renderBroken(sorted.broken),
    ...renderLoad(results.load),
    ...renderDrift(results.drift),
    ...renderUnjudged(sorted.unjudged),
    ...renderWaivers(results.waivers),
    ...renderWorthALook([...sorted.worthALook, ...sorted.waived]),
    ...renderSections(results.requirements),
  ];
  return bounded(blocks);
}

function renderVerdict(results: Results, told: string): string[] {
  const { command, target, verdict, exitCode, problem, startedAt, finishedAt, requests } = results;
  const asked = requests.total === 0 ? "" : `, ${counted(requests.total, "request")}`;
  return [
    `## ${runWords[verdict]}: ${command} of ${code(target.name)}`,
    told,
    ...(problem === undefined
      ? []
      : [`**${prose(problem.what)}**: ${code(problem.where, 1000)}`, prose(problem.mend, 1000)]),
    [
      `- Target: ${code(target.baseUrl)}`,
      `- When: ${minute(startedAt)}, ${between(startedAt, finishedAt)}${asked}`,
      `- Exit code ${exitCode}: ${exitWords[exitCode]}`,
    ].join("\n"),
  ];
}

const columns = {
  pass: "passed",
  fail: "violated",
  warn: "worth a look",
  inconclusive: "not judged",
  notApplicable: "not applicable",
  error: "not run",
} as const satisfies Record<RequirementResult["verdict"], string>;

function renderSections(requirements: readonly RequirementResult[]): string[] {
  if (requirements.length === 0) return [];
  const verdicts = (Object.keys(columns) as RequirementResult["verdict"][]).filter((verdict) =>
    requirements.some((one) => one.verdict === verdict),
  );
  const sections = [...Map.groupBy(requirements, ({ section }) => section)];
  const rows = sections
    .slice(0, 100)
    .map(([section, group]) => [
      prose(section),
      ...verdicts.map((verdict) => grouped(group.filter((one) => one.verdict === verdict).length)),
    ]);
  const heads = ["section", ...verdicts.map((verdict) => columns[verdict])];
  return [folded(`${counted(requirements.length, "requirement")} by section`, table(heads, rows))];
}

/** Whole blocks only: half a table or an open fence would swallow what another step writes after it. */
function bounded(blocks: readonly string[]): string {
  const kept: string[] = [];
  let length = 0;
  for (const block of blocks) {
    length += block.length + 2;
    if (length > longest) {
      kept.push("The rest is left off here: see `report.html`.");
      break;
    }
    kept.push(block);
  }
  return `${kept.join("\n\n")}\n`;
}
