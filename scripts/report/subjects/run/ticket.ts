import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import { verdictLabels } from "../../../../schemas/verdicts.ts";
import { capitalized, clip, minute, statusName } from "../../../../schemas/words/format.ts";
import type { PlaceBlock } from "../../document.ts";
import { exchangeText } from "../../text.ts";
import { code, fenced, placeDiff, prose } from "../../writers/markdown-text.ts";
import { loadCommand } from "./commands.ts";
import { placesOf } from "./places.ts";
import type { ShownCheck, ShownFinding, ShownRequirement } from "./requirements.ts";
import type { Report } from "./run-report.ts";
import type { ShownLoad } from "./shown-load.ts";

/** A ticket has this many findings and checks, and of a place this many lines; the rest is counted. */
const mostFindings = 10;
const mostChecks = 5;
const mostLines = 16;
const longestExchange = 6000;

/**
 * A finding as a ticket in Markdown for the developer who fixes it: the requirement with its text in the spec, what was
 * seen, how often and where, the evidence, and how to reproduce it.
 *
 * @param id A requirement, a check, or a load run such as `load.lookup.smoke`.
 * @returns Undefined if the run has nothing of this name.
 */
export function renderTicket(report: Report, id: string): string | undefined {
  const load = report.load.find((run) => run.id === id);
  if (load !== undefined) return joined(loadTicket(report, load));
  const requirement = report.results.requirements.length === 0 ? undefined : requirementOf(report, id);
  if (requirement === undefined) return undefined;
  const checks = requirement.checks.filter((check) => check.id === id);
  return joined(requirementTicket(report, requirement, checks.length > 0 ? checks : requirement.reported));
}

function requirementOf({ sections }: Report, id: string): ShownRequirement | undefined {
  const all = sections.flatMap(({ requirements }) => requirements);
  return all.find((one) => one.id === id || one.checks.some((check) => check.id === id));
}

function joined(blocks: readonly (string | undefined)[]): string {
  return `${blocks.filter((block) => block !== undefined).join("\n\n")}\n`;
}

function requirementTicket(
  report: Report,
  { id, section, level, statement, quote, text, replay }: ShownRequirement,
  checks: readonly ShownCheck[],
): (string | undefined)[] {
  const [first] = checks.flatMap(({ found }) => found);
  const title = headline(first?.text ?? statement);
  const left = checks.length - mostChecks;
  return [
    `## ${prose(title, 200)}`,
    "**Expected**",
    `${prose(statement, 600)}${quote === undefined ? "" : `\n\n> ${prose(quote, 600)}`}\n\n${code(id)}, ${level.toUpperCase()}; specification, “${prose(section)}”.`,
    "**Seen**",
    ...(checks.length === 0 ? [prose(text, 600)] : checks.slice(0, mostChecks).flatMap(checkBlocks)),
    left > 0 ? `${left} more checks of this requirement failed: see \`report.html\`.` : undefined,
    ...placeBlocks(checks),
    "**How to reproduce**",
    ...curlLines(checks),
    "This repeats the check, and says whether it is fixed:",
    fenced(replay, "sh"),
    frame(report),
  ];
}

const longestTitle = 160;

/** The text without its full stop; its first sentence, if it is long. Values in it may have full stops, so code stays whole. */
function headline(text: string): string {
  const sentences = text.split(/(?<=\.) (?=[A-Z])/);
  const isWhole = (sentences[0] ?? "").split("`").length % 2 === 1;
  const [shown = text] = text.length > longestTitle && isWhole ? sentences : [text];
  return shown.replace(/\.$/, "");
}

function checkBlocks({ title, verdict, found, remarks, waiver }: ShownCheck): string[] {
  const lines = found.slice(0, mostFindings).flatMap(findingLines);
  const left = found.length - mostFindings;
  return [
    `${capitalized(verdictLabels[verdict])} check: ${prose(title)}${remarks}`,
    [...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join("\n"),
    ...(waiver === undefined
      ? []
      : [
          `Waived until ${waiver.expires} by ${prose(waiver.owner)}, ${code(waiver.ticket)}: ${prose(waiver.reason)}`,
        ]),
  ];
}

function findingLines({ text, fix, often, pattern }: ShownFinding): string[] {
  const more = [
    ...(often === undefined ? [] : [capitalized(often)]),
    ...pattern,
    ...(fix === undefined ? [] : [fix]),
  ];
  return [`- ${prose(text, 600)}`, ...more.map((line) => `  - ${prose(line, 600)}`)];
}

/** The place of the first finding as a diff, beside the one that it was compared with; without places, the exchange. */
function placeBlocks(checks: readonly ShownCheck[]): string[] {
  const shown = firstPlaces(checks);
  const diffs = shown.flatMap(({ heading = "Shown by", exchange, excerpt }) => {
    const diff = clip(placeDiff(excerpt, Math.floor(mostLines / shown.length)), longestExchange);
    return diff === "" ? [] : [`${heading} ${code(requestLine(exchange), 400)}:`, fenced(diff, "diff")];
  });
  if (diffs.length > 0) return diffs;
  return shown.slice(0, 1).map(({ exchange }) => fenced(clip(exchangeText(exchange), longestExchange)));
}

function firstPlaces(checks: readonly ShownCheck[]): PlaceBlock[] {
  const [place] = checks.flatMap(placesOf);
  return [place?.beside, place].filter((one) => one !== undefined);
}

function curlLines(checks: readonly ShownCheck[]): string[] {
  const lines = [...new Set(firstPlaces(checks).map(({ exchange }) => exchange.curl))];
  return lines.length === 0 ? [] : [fenced(lines.join("\n"), "sh")];
}

function requestLine({ request, response }: Evidence): string {
  return `${request.method} ${request.url} → ${statusName(response.status)}`;
}

function loadTicket(
  report: Report,
  { name, result, reasons, thresholds, invalid, figures }: ShownLoad,
): string[] {
  const crossed = thresholds.filter(({ verdict }) => verdict === "failed");
  const [first] = invalid;
  const limits = crossed.map(({ name: limited, limit }) => `- ${prose(limited)}: ${limit}`);
  return [
    `## Load: ${prose(name)}: ${prose((reasons[0] ?? "").replace(/\.$/, ""), 200)}`,
    "**Expected**",
    limits.length === 0 ? "The limits that the profile sets." : limits.join("\n"),
    "**Seen**",
    reasons.map((reason) => `- ${prose(reason, 600)}`).join("\n"),
    `${figures.sent}${figures.rate === undefined ? "" : ` at ${figures.rate}`}, ${figures.checked}.`,
    ...(first === undefined
      ? []
      : [
          `First invalid response: ${prose(first.text, 600)}`,
          fenced(clip(exchangeText(first.exchange), longestExchange)),
        ]),
    "**How to reproduce**",
    fenced(loadCommand(report.results, result), "sh"),
    frame(report),
  ];
}

function frame({ results, run }: Report): string {
  const { tool, target, startedAt, command } = results;
  return `Found by ${tool.name} ${tool.version}, ${command} of ${code(target.name)} at ${code(target.baseUrl)}, ${minute(startedAt)}, run ${code(run)}.`;
}
