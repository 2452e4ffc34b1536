import { dirname, join } from "node:path";
import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import { clip, grouped, statusName } from "../../../schemas/words/format.ts";
import {
  type Headline,
  type Item,
  isFailed,
  isToldOf,
  itemLabels,
  placeOf,
  type Report,
  type ShownPlace,
  type Suite,
  type Table,
  waivedText,
} from "../model.ts";
import { type ConsoleStyle, inTone, prose, wrap } from "../terminal.ts";
import { bodyText, oneLine, repeatText } from "../text.ts";

export interface ConsoleOptions {
  readonly style: ConsoleStyle;
  /** Path of `results.json` from the working directory; undefined if it could not be written. */
  readonly resultsFile?: string | undefined;
  /** Whether the run ended earlier, so that its exit code is not that of the command. Default: false */
  readonly isPast?: boolean;
}

/** A report as text for a terminal: the verdict, what failed with its facts, and last what decided. */
export function writeConsole({ headline, suites }: Report, options: ConsoleOptions): string {
  const said = new Set<string>();
  return joined([
    headLines(headline, options.style),
    ...suites.flatMap((suite) => suiteBlocks(suite, options.style, said)),
    endLines(headline, options),
  ]);
}

/** Items of a report, each with its exchange and the commands for it. */
export function consoleItems(items: readonly Item[], style: ConsoleStyle): string {
  const said = new Set<string>();
  return joined(
    items.map((item) => [
      ...itemLines(item, { style, indent: 0, said, isWhole: true }),
      ...item.commands.map(({ label, command }) => `  ${label}: ${prose(command)}`),
    ]),
  );
}

/** A suite with figures. */
export function consoleSuite(suite: Suite, style: ConsoleStyle): string {
  return joined(suiteBlocks(suite, style, new Set()));
}

function joined(blocks: readonly (readonly string[])[]): string {
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function headLines({ tone, label, of, counts, notes }: Headline, style: ConsoleStyle): string[] {
  const verdict = inTone(tone, style)(style.strong(label.toUpperCase()));
  return [
    ...wrap(`${verdict}: ${prose(of)}`, style),
    ...(counts.length === 0 ? [] : wrap(prose(counts.join("; ")), style).map(style.faint)),
    ...notes.flatMap((note) => note.split("\n").flatMap((line) => wrap(prose(line), style))),
  ];
}

/** What to look at next, and in the last line the exit code with what decided it. */
function endLines(
  { why, next, exitCode }: Headline,
  { style, resultsFile, isPast = false }: ConsoleOptions,
): string[] {
  return [
    ...(resultsFile === undefined
      ? []
      : [`Results: ${resultsFile}`, `Report: ${join(dirname(resultsFile), "report.html")}`]),
    // In one line: a wrapped command cannot be copied.
    ...(next === undefined ? [] : [`Next: ${prose(next)}`]),
    ...wrap(`${isPast ? "The run ended with exit code" : "Exit"} ${exitCode}: ${prose(why)}`, style),
  ];
}

/** Each item that did not pass is a block; those with figures beside them stand under one heading. */
function suiteBlocks(suite: Suite, style: ConsoleStyle, said: Set<string>): string[][] {
  if (suite.tone === "plain") return [];
  const { title, tone, summary, tables, lines } = suite;
  const items = suite.items.filter(isToldOf);
  if (tables.length + lines.length === 0)
    return items.map((item) => itemLines(item, { style, indent: 0, said }));
  return [
    [
      ...wrap(inTone(tone, style)(style.strong(oneLine(title))), style),
      ...wrap(prose(summary), { width: style.width, indent: "  " }),
      ...items.flatMap((item) => itemLines(item, { style, indent: 2, said })),
      ...tables.flatMap((table) => tableLines(table, style)),
      ...lines.flatMap((line) => wrap(prose(line), { width: style.width, indent: "  " })),
    ],
  ];
}

interface ItemStyle {
  readonly style: ConsoleStyle;
  readonly indent: number;
  /** Fixes and bodies that the items before have shown: each is said once. */
  readonly said: Set<string>;
  /** Shows an exchange whatever the verdict. Default: of what failed */
  readonly isWhole?: boolean;
}

function itemLines(item: Item, { style, indent, said, isWhole = false }: ItemStyle): string[] {
  const { id, tone, verdict, about, also = [], waivers = [], title, evidence } = item;
  const label = inTone(tone, style)(style.strong(itemLabels[verdict].toUpperCase()));
  const ids = [about, ...also.map((other) => `also ${other.id}`)].filter((part) => part !== undefined);
  const fact = tone === "bad" ? (text: string) => style.bad(style.strong(text)) : style.strong;
  const line = (text: string, deeper = 2) =>
    wrap(text, { width: style.width, indent: " ".repeat(indent + deeper) });
  const place = placeOf(item);
  const exchange =
    isWhole || isFailed(item)
      ? exchangeLines(evidence[place?.exchange ?? 0], { indent: indent + 4, style, said, place })
      : [];
  // The exchange is directly below the finding that it shows.
  const shown = Math.max(
    0,
    item.said.findIndex(({ places }) => places.length > 0),
  );
  return [
    ...line(`${label} ${oneLine([id, ...(ids.length === 0 ? [] : [ids.join(", ")])].join(": "))}`, 0),
    ...(about === undefined && item.said.length > 0 ? [] : line(style.faint(prose(title)))),
    ...item.said.flatMap(({ check, message, fix, where }, at) => {
      const often = where.map(prose);
      const isNew = fix !== undefined && !said.has(fix);
      if (isNew) said.add(fix);
      return [
        ...(check === undefined ? [] : line(style.faint(prose(check)))),
        ...line(`${fact(prose(message))}${often.length === 0 ? "" : ` (${often.join("; ")})`}`),
        ...(isNew ? line(prose(fix)) : []),
        ...(at === shown ? exchange : []),
      ];
    }),
    ...(item.said.length === 0 ? exchange : []),
    ...waivers.flatMap((waiver) => line(prose(waivedText(waiver)))),
  ];
}

const longestBody = 300;
const longestCommand = 1000;

/** One exchange: the request, the response around the place, and the command that sends the request again. */
function exchangeLines(
  exchange: Evidence | undefined,
  { indent, style, said, place }: ItemStyle & { readonly place: ShownPlace | undefined },
): string[] {
  if (exchange === undefined) return [];
  const { request, response, curl } = exchange;
  const type = response.headers["content-type"] ?? "no content type";
  const around = response.excerpts === undefined ? undefined : place;
  const hasHead = around?.hasHead === true;
  const body = request.body === undefined || hasHead ? "" : ` ${clip(request.body, longestBody)}`;
  const text = around === undefined ? bodyText(response, longestBody) : "";
  const shown = text !== "" && said.has(text) ? "(body as above)" : text;
  said.add(text);
  const { location } = response.headers;
  const leadsTo = location === undefined ? "" : ` location: ${clip(location, longestBody)}`;
  const start = " ".repeat(indent);
  const lines = [
    `> ${request.method} ${clip(request.url, longestCommand)}${body}`,
    // Lines that begin with the head of the response say it.
    ...(hasHead ? [] : [`< ${statusName(response.status)} ${type}${leadsTo} ${shown}`.trimEnd()]),
  ];
  return [
    ...lines.flatMap((line) => wrap(oneLine(line), { width: style.width, indent: start })).map(style.faint),
    ...(around === undefined ? [] : placeLines(around, start, style)),
    ...repeatText(exchange).flatMap((text) => wrap(text, { width: style.width, indent: start })),
    // In one line: a wrapped command cannot be copied, nor can a cut one.
    start +
      (curl.length > longestCommand
        ? `The curl line has ${grouped(curl.length)} characters: see report.html.`
        : oneLine(curl)),
  ];
}

/** The lines of a place with what is expected there; the lines around it dimmed. */
function placeLines({ lines }: ShownPlace, start: string, style: ConsoleStyle): string[] {
  return lines.flatMap(({ text, mark, expected }) => {
    const content = text.trimStart();
    const deep = " ".repeat(Math.min(24, text.length - content.length));
    const isPlace = mark === "place";
    const painted = isPlace ? style.bad(oneLine(content)) : style.faint(oneLine(content));
    return [
      ...wrap(painted, { width: style.width, indent: `${start}${isPlace ? ">" : " "} ${deep}` }),
      ...(expected === undefined
        ? []
        : wrap(style.good(prose(expected)), { width: style.width, indent: `${start}+ ${deep}` })),
    ];
  });
}

const gap = "  ";

/** A table; where it does not fit, a line for each row. */
function tableLines({ head, figures = [], rows }: Table, style: ConsoleStyle): string[] {
  if (rows.length === 0) return [];
  const all = [head, ...rows.map(({ cells }) => cells)].map((cells) => cells.map((cell) => prose(cell)));
  const widths = head.map((_, at) => Math.max(...all.map((cells) => (cells[at] ?? "").length)));
  const isWide = widths.reduce((sum, width) => sum + width + gap.length, 0) > style.width;
  const [heads = [], ...texts] = all;
  const painted = rows.map(({ tone }) => (tone === undefined ? (text: string) => text : inTone(tone, style)));
  if (isWide)
    return texts.flatMap(([name = "", ...cells], row) =>
      wrap(
        `${name}: ${cells.flatMap((cell, at) => (cell === "" ? [] : [`${heads[at + 1]} ${cell}`])).join(", ")}`,
        {
          width: style.width,
          indent: gap,
        },
      ).map((line) => painted[row]?.(line) ?? line),
    );
  const lines = all.map((cells) =>
    `${gap}${widths
      .map((width, at) =>
        figures.includes(at) ? (cells[at] ?? "").padStart(width) : (cells[at] ?? "").padEnd(width),
      )
      .join(gap)}`.trimEnd(),
  );
  return lines.map((line, at) => (at === 0 ? style.faint(line) : (painted[at - 1]?.(line) ?? line)));
}
