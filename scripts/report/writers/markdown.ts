import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import { between, capitalized, counted, grouped, minute, statusName } from "../../../schemas/words/format.ts";
import {
  type Item,
  type ItemFinding,
  isFailed,
  isToldOf,
  itemLabels,
  placeOf,
  type Report,
  type ShownPlace,
  type Suite,
  saidText,
  shownExchanges,
  waivedText,
  withAlso,
} from "../model.ts";
import { exchangeText, repeatText } from "../text.ts";
import { code, fenced, folded, placeDiff, prose, table } from "./markdown-text.ts";

/** Maximum length of a job summary: it may have 1 MiB, and other steps write into it too. */
const longest = 600_000;
/** Number of failures whose exchange a job summary shows. */
const mostExchanges = 10;

/**
 * A report as a job summary in GitHub Markdown. All text that comes from a target is in code spans or blocks. What is left
 * out is counted.
 */
export function writeMarkdown({ headline, suites }: Report): string {
  const { label, of, why, notes, counts, next, exitCode, startedAt, finishedAt, ranAt = "run at" } = headline;
  const figures = [
    [ranAt, `${minute(startedAt)}, ${between(startedAt, finishedAt)}`],
    ["judged", counts.map((count) => prose(count)).join("; ")],
    ["exit code", `${exitCode}`],
    ["next", next === undefined ? "" : code(next)],
  ].filter(([, value]) => value !== "");
  return bounded([
    `## ${capitalized(label)}: ${prose(of)}`,
    prose(why),
    ...notes.flatMap((note) => note.split("\n")).map((note) => prose(note)),
    table(
      figures.map(([name = ""]) => name),
      [figures.map(([, value = ""]) => value)],
    ),
    ...suites.flatMap(suiteParagraphs),
  ]);
}

/**
 * An item as a ticket for the developer who fixes it: what is expected, what was seen, and how to send it again.
 *
 * @param foundBy The last sentence: the run that found it.
 */
export function markdownItem(item: Item, foundBy: string): string {
  const { id, title, about, also = [], quote, said, waivers = [] } = item;
  const others = also.map((one) => `also ${code(one.id)}`);
  const places = said.map((one) => one.places).find((all) => all.length > 0) ?? [];
  const shown = places.length === 0 ? [{ exchange: 0, lines: [] }] : places;
  const exchanges = shownExchanges(item);
  const curls = new Set(exchanges.map(({ curl }) => curl));
  const [atLimit] = exchanges.flatMap(repeatText);
  const areTogether = atLimit === undefined && curls.size > 1 && areUnderWayTogether(exchanges);
  // A ticket is taken for a failure.
  const outcome = isFailed(item) ? "" : `${capitalized(itemLabels[item.verdict])}: `;
  const repeats = item.commands.filter(({ label }) => label !== "Ticket").map(({ command }) => command);
  return [
    `## ${outcome}${prose((said[0]?.message ?? title).replace(/\.$/, ""))}`,
    `**Expected** ${prose(title)} (${[code(id), ...(about === undefined ? [] : [prose(about)]), ...others].join(", ")})`,
    ...(quote === undefined ? [] : [`> ${prose(quote)}`]),
    ["**Seen**", ...(said.length === 0 ? [`- ${itemLabels[item.verdict]}`] : said.map(saidLines))].join("\n"),
    ...waivers.map((waiver) => prose(waivedText(waiver))),
    ...shown.flatMap((place) => placeParagraphs(place, item)),
    ...(curls.size + repeats.length === 0 ? [] : ["**To send again**"]),
    ...(atLimit === undefined ? [] : [atLimit]),
    ...(areTogether
      ? ["Seen among requests under way together. These lines send them together; it may take several tries:"]
      : []),
    ...(curls.size === 0
      ? []
      : [fenced(areTogether ? `${[...curls].join(" &\n")} &\nwait` : [...curls].join("\n"), "sh")]),
    ...(repeats.length === 0
      ? []
      : [
          "A fault that depends on other requests may show only in a whole run. With the address and the keys of the target as in that run, this tries it again:",
          fenced(repeats.join("\n"), "sh"),
        ]),
    prose(foundBy),
  ].join("\n\n");
}

/** Whether all had begun before the first of them ended: by more than the millisecond to which times are cut. */
function areUnderWayTogether(exchanges: readonly Evidence[]): boolean {
  const starts = exchanges.map(({ startedAt = "" }) => Date.parse(startedAt));
  const ends = exchanges.map(({ response }, at) => (starts[at] ?? Number.NaN) + response.milliseconds);
  return Math.max(...starts) + 1 < Math.min(...ends);
}

function saidLines(finding: ItemFinding): string {
  return [`- ${prose(saidText(finding))}`, ...asides(finding)].join("\n  - ");
}

/** The lines around a place as a diff; without one, the exchange. */
function placeParagraphs(place: ShownPlace, { evidence }: Item): string[] {
  const exchange = evidence[place.exchange];
  if (exchange === undefined) return [];
  const diff = placeDiff(place);
  const { request, response } = exchange;
  const line = code(`${request.method} ${request.url} → ${statusName(response.status)}`);
  const { heading = diff === "" ? undefined : "Shown by" } = place;
  return [
    ...(heading === undefined ? [] : [`${heading} ${line}:`]),
    diff === "" ? fenced(exchangeText(exchange)) : fenced(diff, "diff"),
  ];
}

function suiteParagraphs(suite: Suite): string[] {
  const { title, summary, tone, tables, lines } = suite;
  const items = suite.items.filter(isToldOf);
  if (tone === "plain" || items.length + tables.length + lines.length === 0) return [];
  const shown = items.filter((item) => isFailed(item) && item.evidence.length > 0);
  return [
    `### ${prose(title)}${items.length === 0 ? "" : ` (${grouped(items.flatMap(withAlso).length)})`}`,
    ...(summary === "" ? [] : [prose(summary)]),
    // Two columns, because a job page is narrow and findings are sentences.
    ...(items.length === 0
      ? []
      : [
          table(
            ["what", "seen"],
            items.map((item) => [itemPlace(item), itemText(item)]),
          ),
        ]),
    ...shown.slice(0, mostExchanges).flatMap(shownExchange),
    ...(shown.length > mostExchanges
      ? [
          `Requests are shown for ${mostExchanges} of ${counted(shown.length, "failure")}: see \`report.html\`.`,
        ]
      : []),
    ...tables.map(({ title: caption, head, rows }) =>
      [
        ...(tables.length === 1 ? [] : [prose(caption), ""]),
        table(
          head.map((one) => prose(one)),
          rows.map(({ cells, tone: mark }) =>
            cells.map((cell, at) => (mark === "bad" && at === 0 ? `**${prose(cell)}**` : prose(cell))),
          ),
        ),
      ].join("\n"),
    ),
    ...(lines.length === 0 ? [] : [lines.map((line) => `- ${prose(line)}`).join("\n")]),
  ];
}

function itemPlace(item: Item): string {
  const { id, about, also = [] } = item;
  return [
    `**${itemLabels[item.verdict]}**`,
    code(id),
    ...(about === undefined ? [] : [prose(about)]),
    ...also.map((other) => `also ${code(other.id)}`),
  ].join("<br>");
}

function itemText({ about, title, said, waivers = [] }: Item): string {
  const [first, ...others] = said;
  return [
    ...(first === undefined ? [] : [`**${prose(first.message)}**`, ...asides(first)]),
    ...(about === undefined && first !== undefined ? [] : [prose(title)]),
    ...others.flatMap((one) => [prose(saidText(one)), ...asides(one)]),
    ...waivers.map((waiver) => prose(waivedText(waiver))),
  ].join("<br>");
}

function asides({ where, fix }: ItemFinding): string[] {
  return [...where.map(capitalized), ...(fix === undefined ? [] : [fix])].map((line) => prose(line));
}

/** The lines around the place, the command that can be copied, and the exchange. */
function shownExchange(item: Item): string[] {
  const { id, evidence } = item;
  const place = placeOf(item);
  const exchange = evidence[place?.exchange ?? 0];
  if (exchange === undefined) return [];
  const diff = place === undefined ? "" : placeDiff(place);
  return [
    `${code(id)} ${code(`${exchange.request.method} ${exchange.request.url}`)} → ${statusName(exchange.response.status)}`,
    ...(diff === "" ? [] : [fenced(diff, "diff")]),
    folded(
      "curl, request, response",
      ...repeatText(exchange),
      fenced(exchange.curl, "sh"),
      fenced(exchangeText(exchange)),
    ),
  ];
}

/** Cuts between paragraphs: half a table or an open fence would swallow the output of the next step. */
function bounded(blocks: readonly string[]): string {
  let length = 0;
  const fits = blocks.findIndex((block) => {
    length += block.length + 2;
    return length > longest;
  });
  if (fits < 0) return `${blocks.join("\n\n")}\n`;
  const rest = `${grouped(fits)} of ${counted(blocks.length, "paragraph")} shown to fit into a job summary. For the rest see \`report.html\`.`;
  return `${[...blocks.slice(0, fits), rest].join("\n\n")}\n`;
}
