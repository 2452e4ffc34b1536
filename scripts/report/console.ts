import { dirname, join } from "node:path";
import type { Discovered } from "../../schemas/contracts/discovered.ts";
import type { Evidence, Excerpt } from "../../schemas/contracts/evidence.ts";
import { isCrossed, verdictLabels } from "../../schemas/verdicts.ts";
import { coverageLines } from "../../schemas/words/coverage.ts";
import type { WordsContext } from "../../schemas/words/finding-words.ts";
import { clip, counted, duration, minute } from "../../schemas/words/format.ts";
import { type EndpointRow, latencyText, limitText, shownPercentiles } from "./endpoint-rows.ts";
import { formats } from "./formats.ts";
import type { Report } from "./model.ts";
import type { ShownChange, ShownWaiver } from "./report-parts.ts";
import type { ShownComparison, ShownLoad } from "./shown-load.ts";
import { type ShownCheck, type ShownRequirement, textOf } from "./shown-requirements.ts";
import { type ConsoleStyle, inTone, printable, prose, wrap } from "./terminal.ts";
import { bodyText, plainProse } from "./text.ts";
import { comparisonTones, driftTones, verdictTones, waiverTones } from "./tones.ts";

/** Facts that the console needs beside the report. */
export interface ConsoleOptions {
  /** Path of `results.json` from the working directory; undefined if it could not be written. */
  readonly resultsFile: string | undefined;
  readonly style: ConsoleStyle;
  /** Whether the run ended earlier, so that its exit code is not that of the command. Default: false */
  readonly isPast?: boolean;
}

/** The report as text for a terminal: verdict, failures, requirements that were not judged, the rest. */
export function renderConsole(
  report: Report,
  { resultsFile, style, isPast = false }: ConsoleOptions,
): string {
  const blocks = [
    head(report, style),
    problem(report, style),
    ...[...report.failed, ...report.warned, ...report.waived].map((one) => requirement(one, style)),
    load(report, style),
    drift(report, style),
    notJudged(report, style),
    waivers(report, style),
    sections(report, style),
    resultsFile === undefined
      ? []
      : [`Results: ${resultsFile}`, `Report: ${join(dirname(resultsFile), formats.html.fileName)}`],
    ending(report, style, isPast),
  ];
  const text = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `\n${text.join("\n\n")}\n`;
}

function head(
  { results, label, tone, counts, lost, notice, warnings }: Report,
  style: ConsoleStyle,
): string[] {
  const { command, target, requirements, requests } = results;
  const verdict = inTone(tone, style)(style.strong(label.toUpperCase()));
  const of = printable(`${command} of ${target.name} at ${target.baseUrl}`);
  return [
    ...wrap(`${verdict}: ${of}`, style),
    ...(requirements.length === 0
      ? []
      : wrap(`${counts}; ${counted(requests.total, "request")}`, style).map(style.faint)),
    ...(lost === undefined ? [] : wrap(style.unsure(prose(lost)), style)),
    ...(notice === undefined ? [] : wrap(style.strong(prose(notice)), style)),
    ...warnings.flatMap((text) => wrap(style.unsure(`Warning: ${prose(text)}`), style)),
  ];
}

function problem({ results }: Report, style: ConsoleStyle): string[] {
  if (results.problem === undefined) return [];
  const { what, where, fix } = results.problem;
  return [
    ...wrap(style.bad(prose(`${what}: ${where}`)), style),
    ...fix.split("\n").flatMap((line) => wrap(prose(line), style)),
  ];
}

/** Selected requirements and load runs of a run. */
export function renderFound(
  {
    requirements,
    load: runs,
  }: { readonly requirements: readonly ShownRequirement[]; readonly load: readonly ShownLoad[] },
  style: ConsoleStyle,
): string {
  const blocks = [
    ...requirements.map((one) => requirement(one, style)),
    ...runs.map((run) => loadRun(run, style)),
  ];
  return `${blocks.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function requirement(shown: ShownRequirement, style: ConsoleStyle): string[] {
  const { id, section, level, verdict, statement, text, reported } = shown;
  const label = inTone(verdictTones[verdict], style)(style.strong(verdictLabels[verdict].toUpperCase()));
  const deciding = reported.filter((check) => check.verdict === verdict);
  return [
    ...wrap(`${label} ${printable(`${id}: ${section}, ${level.toUpperCase()}`)}`, style),
    ...indented(statement, 2, style),
    ...(deciding.length === 0 ? indented(text, 2, style) : deciding.flatMap((one) => check(one, style))),
  ];
}

function check(
  { title, parts, remarks, evidence: [first], waiver }: ShownCheck,
  style: ConsoleStyle,
): string[] {
  const waived = waiver === undefined ? "" : ` (waived until ${waiver.expires}, ${waiver.ticket})`;
  return [
    ...(parts.length > 1
      ? [
          ...indented(`${title}:${remarks}${waived}`, 2, style),
          ...parts.flatMap((part) => indented(part, 4, style)),
        ]
      : indented(`${title}: ${parts[0] ?? ""}${remarks}${waived}`, 2, style)),
    ...(first === undefined ? [] : exchange(first, style)),
  ];
}

const longestBody = 300;
const mostExcerptLines = 30;

/** One exchange: the request, the response, and the command that sends the request again. */
function exchange({ request, response, curl }: Evidence, style: ConsoleStyle): string[] {
  const type = response.headers["content-type"] ?? "no content type";
  const body = request.body === undefined ? "" : ` ${clip(request.body, longestBody)}`;
  const { excerpts: [excerpt] = [] } = response;
  const shown = excerpt === undefined ? ` ${bodyText(response, longestBody)}` : "";
  const lines = [`> ${request.method} ${request.url}${body}`, `< ${response.status} ${type}${shown}`];
  return [
    ...lines
      .flatMap((line) => wrap(printable(line), { width: style.width, indent: "    " }))
      .map(style.faint),
    ...(excerpt === undefined ? [] : excerptLines(excerpt, style)),
    // In one line: a wrapped command cannot be copied.
    `    ${printable(curl)}`,
  ];
}

/** The body around the place of a finding; the place in full colour, the lines around it dimmed. */
function excerptLines({ lines }: Excerpt, style: ConsoleStyle): string[] {
  return lines.slice(0, mostExcerptLines).flatMap(({ text, mark }) => {
    const content = text.trimStart();
    const painted = printable(content);
    return wrap(mark === "place" ? style.bad(painted) : style.faint(painted), {
      width: style.width,
      indent: `    ${mark === "place" ? ">" : " "} ${" ".repeat(Math.min(24, text.length - content.length))}`,
    });
  });
}

function load({ load: runs }: Report, style: ConsoleStyle): string[] {
  return runs.length === 0 ? [] : [style.strong("Load"), ...runs.flatMap((run) => loadRun(run, style))];
}

function loadRun(
  { result, name, label, tone, reasons, notes, figures, endpoints, invalid, comparison }: ShownLoad,
  style: ConsoleStyle,
) {
  const { sent, rate, median, p95, p99, failed, limit, refused, checked } = figures;
  const measured = [
    `${sent}${result.seconds === undefined ? "" : ` in ${duration(result.seconds)}`}`,
    rate,
    median === undefined ? undefined : `p50 ${median}`,
    p95 === undefined ? undefined : `p95 ${p95}`,
    p99 === undefined ? undefined : `p99 ${p99}`,
    failed === undefined ? undefined : `${failed} failed`,
    limit,
    refused === "none" ? "no 429" : `429: ${refused}`,
    checked,
  ].filter((part) => part !== undefined);
  const [first] = invalid;
  return [
    `  ${inTone(tone, style)(label.padEnd(7))} ${printable(name)}`,
    ...indented(measured.join(", "), 10, style),
    ...reasons.flatMap((reason) => indented(reason, 10, style)),
    ...endpointLines(endpoints, style),
    ...notes.flatMap((note) => indented(note, 10, style)),
    ...(comparison === undefined ? [] : compared(comparison, style)),
    ...(first === undefined ? [] : [...indented(first.text, 10, style), ...exchange(first.exchange, style)]),
  ];
}

/** A table of the endpoints, worst first; one line each on a narrow terminal. */
function endpointLines(endpoints: readonly EndpointRow[], style: ConsoleStyle): string[] {
  if (endpoints.length === 0) return [];
  const rows = endpoints.map((row) => {
    const [limit] = row.limits;
    return {
      name: printable(row.name),
      cells: shownPercentiles.map((percentile) => latencyText(row, percentile)),
      limit: limit === undefined ? "" : limitText(limit),
      paint: limit !== undefined && isCrossed(limit.threshold) ? style.bad : (text: string) => text,
    };
  });
  const names = Math.max(8, ...rows.map(({ name }) => name.length));
  const widest = 10 + names + 3 * 10 + 3 + Math.max(...rows.map(({ limit }) => limit.length));
  if (widest > style.width) {
    return rows.flatMap(({ name, cells, limit, paint }) => {
      const figures = cells.map((cell, place) => `p${shownPercentiles[place]} ${cell}`).join(", ");
      return indented(`${name}: ${figures}${limit === "" ? "" : `; limit: ${limit}`}`, 10, style).map(paint);
    });
  }
  const line = (name: string, cells: readonly string[], limit: string) =>
    `          ${name.padEnd(names)}${cells.map((cell) => cell.padStart(10)).join("")}   ${limit}`.trimEnd();
  const heads = shownPercentiles.map((percentile) => `p${percentile}`);
  return [
    style.faint(line("endpoint", heads, "limit")),
    ...rows.map(({ name, cells, limit, paint }) => paint(line(name, cells, limit))),
  ];
}

function compared({ answer, label, text, runs, rows }: ShownComparison, style: ConsoleStyle): string[] {
  const verdict = inTone(comparisonTones[answer], style)(label);
  const before = `Latency against ${counted(runs.before, "earlier run")}: `;
  return [
    ...wrap(`${before}${verdict}. ${prose(text)}`, { width: style.width, indent: " ".repeat(10) }),
    ...rows.filter((row) => row.answer !== "same").flatMap((row) => indented(row.text, 12, style)),
  ];
}

/** Breaking changes first; harmless changes are counted. */
function drift({ drift: shown }: Report, style: ConsoleStyle): string[] {
  if (shown === undefined) return [];
  const harmless = shown.changes.filter(({ rank }) => rank === "harmless").length;
  const listed = shown.changes.filter(({ rank }) => rank !== "harmless");
  const lines = [
    ...listed.flatMap((one) => changed(one, style)),
    ...(harmless === 0 ? [] : [style.faint(`  ${counted(harmless, "harmless change")}`)]),
  ];
  return [
    ...wrap(style.strong(`Contract changes since ${minute(shown.since)}`), style),
    ...(lines.length === 0 ? ["  none"] : lines),
  ];
}

function changed({ rank, label, text, rule }: ShownChange, style: ConsoleStyle): string[] {
  const painted = inTone(driftTones[rank], style)(label);
  return wrap(`${painted}: ${prose(`${text} (${rule})`)}`, { width: style.width, indent: "  " });
}

/** Grouped by cause, since a cause is what can be fixed. */
function notJudged({ notJudgedCauses }: Report, style: ConsoleStyle): string[] {
  if (notJudgedCauses.length === 0) return [];
  const blocks = notJudgedCauses.flatMap(({ cause, requirements, also }) => {
    const group = [...requirements, ...also];
    return [
      ...indented(`${counted(group.length, "requirement")}: ${cause}`, 2, style),
      ...indented(group.map(({ id }) => id).join(", "), 4, style).map(style.faint),
    ];
  });
  return [style.unsure(style.strong("Not judged")), ...blocks];
}

function waivers({ waivers: all }: Report, style: ConsoleStyle): string[] {
  return all.length === 0 ? [] : [style.strong("Waivers"), ...all.flatMap((one) => waiver(one, style))];
}

function waiver(
  { waiver: { id, expires, owner, ticket, reason }, state, label, fix }: ShownWaiver,
  style: ConsoleStyle,
) {
  const painted = inTone(waiverTones[state], style)(label);
  const about = printable(`${id}, until ${expires}, ${owner}, ${ticket}: ${reason}`);
  return [
    ...wrap(`${painted}: ${about}`, { width: style.width, indent: "  " }),
    ...(fix === undefined ? [] : indented(fix, 4, style)),
  ];
}

function sections({ sections: all }: Report, style: ConsoleStyle): string[] {
  if (all.length === 0) return [];
  const room = Math.max(...all.map(({ name }) => printable(name).length));
  const beside = room + 4 <= style.width / 2;
  const lines = all.flatMap(({ name, text }) =>
    beside
      ? wrap(`${printable(name).padEnd(room)}  ${text}`, { width: style.width, indent: "  " })
      : [...indented(name, 2, style), ...indented(text, 4, style)],
  );
  return [style.strong("Requirements by section"), ...lines];
}

/** The first findings, the next command, what else went wrong, and in the last line the exit code with its cause. */
function ending({ results, why, others, top, next }: Report, style: ConsoleStyle, isPast: boolean): string[] {
  const exit = `${isPast ? "The run ended with exit code" : "Exit"} ${results.exitCode}`;
  return [
    ...(top.length === 0 ? [] : [style.strong("First findings")]),
    ...top.flatMap(({ id, text }) => indented(`${id}: ${clip(plainProse(text), 200)}`, 2, style)),
    ...(next === undefined ? [] : [`Next: ${prose(next)}`]),
    ...(others === undefined ? [] : wrap(prose(others), style)),
    ...wrap(prose(`${exit}: ${why}`), style),
  ];
}

/** Discovery as text for a terminal: retailers, field names, fields, then each fixture, with the fix if it is missing. */
export function renderDiscovered(discovered: Discovered, words: WordsContext, style: ConsoleStyle): string {
  const { retailers, dialect, fields, rateLimit, fixtures, coverage = [] } = discovered;
  const lines = [
    style.strong("Retailers"),
    ...indented(retailers.join(", ") || "none", 2, style),
    style.strong("Field names"),
    ...Object.entries(dialect).flatMap(([name, value]) =>
      indented(`${name}: ${value || "(the body itself)"}`, 2, style),
    ),
    style.strong("Fields seen on products"),
    ...indented(
      Object.entries(fields)
        .map(([path, count]) => `${path} (${count})`)
        .join(", ") || "none",
      2,
      style,
    ),
    style.strong("Fixtures"),
    ...fixtures.flatMap(({ name, value = "", missing, doubt }) =>
      missing === undefined
        ? indented(
            `${name}: ${value || "found"}${doubt === undefined ? "" : `. ${textOf([doubt], words)}`}`,
            2,
            style,
          )
        : indented(`missing: ${name}. ${textOf([missing], words)}`, 2, style).map(style.unsure),
    ),
    style.strong("Identifiers"),
    ...coverageLines(coverage).flatMap(({ name, text }) => indented(`${name}: ${text}`, 2, style)),
    ...(rateLimit.refused === 0 ? [] : [`${counted(rateLimit.refused, "429 response")} along the way`]),
  ];
  return `${lines.join("\n")}\n`;
}

function indented(sentence: string, columns: number, { width }: ConsoleStyle): string[] {
  return wrap(prose(sentence), { width, indent: " ".repeat(columns) });
}
