import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import { clip, minute, statusName } from "../../../schemas/words/format.ts";
import {
  type Block,
  type BlockRow,
  type Blocks,
  blocksFor,
  type Card,
  type CardFinding,
  type CardsBlock,
  columnsFor,
  type Document,
  type LabelledRow,
  type ListBlock,
  type PlaceExcerpt,
  partsFor,
  type TableBlock,
  type Text,
  titleFor,
} from "../document.ts";
import { type ConsoleStyle, inTone, printable, prose, wrap } from "../terminal.ts";
import { bodyText } from "../text.ts";

/** A document as text for a terminal. Blocks without their own heading follow each other without a blank line. */
export function writeConsole(
  { head, blocks }: Pick<Document, "head" | "blocks">,
  style: ConsoleStyle,
): string {
  const groups = groupsOf([...head, ...blocks], style).filter((lines) => lines.length > 0);
  return `${groups.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function groupsOf(blocks: Blocks, style: ConsoleStyle): string[][] {
  return blocksFor("console", blocks).flatMap((block) => {
    if (block.kind === "cards") return cardsLines(block, 0, style);
    if (block.kind !== "section") return [linesOf([block], 0, style)];
    const title = titleFor("console", block);
    if (title !== undefined)
      return [[...wrap(style.strong(inline(title, style)), style), ...linesOf(block.blocks, 2, style)]];
    const isApart = blocksFor("console", block.blocks).some(
      ({ kind }) => kind === "cards" || kind === "section",
    );
    return isApart ? groupsOf(block.blocks, style) : [linesOf(block.blocks, 0, style)];
  });
}

function linesOf(blocks: Blocks, indent: number, style: ConsoleStyle): string[] {
  return blocksFor("console", blocks).flatMap((block) => blockLines(block, indent, style));
}

function blockLines(block: Block, indent: number, style: ConsoleStyle): string[] {
  switch (block.kind) {
    case "section":
    case "fold": {
      const title = block.kind === "fold" ? block.title : titleFor("console", block);
      return title === undefined
        ? linesOf(block.blocks, indent, style)
        : [...textLines(title, indent, style), ...linesOf(block.blocks, indent + 2, style)];
    }
    case "paragraph":
      return textLines(block.text, indent, style);
    case "list":
      return listLines(block, indent, style);
    case "table":
      return tableLines(block, indent, style);
    case "facts":
      return factLines(
        block.facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
        indent,
        style,
      );
    case "cards":
      return cardsLines(block, indent, style).flat();
    case "rows":
      return block.rows.flatMap((row) => rowLines(row, indent, style));
    case "exchange":
      return block.exchanges
        .slice(0, 1)
        .flatMap((exchange) => exchangeLines(exchange, { indent: indent + 2, style }));
    // For a page.
    case "place":
    case "chart":
    case "columns":
      return [];
    default:
      return block satisfies never;
  }
}

/** A text in one line, with colours. */
function inline(text: Text, style: ConsoleStyle): string {
  return partsFor("console", text)
    .map((part) => {
      if (typeof part === "string") return prose(part);
      if ("own" in part) return printable(part.own);
      if ("code" in part) return printable(part.code);
      if ("command" in part) return prose(part.command);
      if ("strong" in part) return style.strong(inline(part.strong, style));
      if ("faint" in part) return style.faint(inline(part.faint, style));
      if ("tone" in part) return inTone(part.tone, style)(printable(part.label));
      if ("link" in part) return inline(part.link, style);
      if ("address" in part) return printable(part.address);
      if ("time" in part) return minute(part.time);
      if ("lines" in part) return part.lines.map((line) => inline(line, style)).join(", ");
      return "";
    })
    .join("");
}

function textLines(text: Text, indent: number, style: ConsoleStyle): string[] {
  const line = inline(text, style);
  const isCopied = partsFor("console", text).some((part) => typeof part === "object" && "command" in part);
  return isCopied
    ? [" ".repeat(indent) + line]
    : wrap(line, { width: style.width, indent: " ".repeat(indent) });
}

function listLines({ items }: ListBlock, indent: number, style: ConsoleStyle): string[] {
  return items.flatMap((item) => {
    if (typeof item !== "object" || !("below" in item)) return textLines(item, indent, style);
    const below = item.below.flatMap((line) => textLines(line, indent + 2, style));
    return [...textLines(item.text, indent, style), ...below];
  });
}

function rowLines(
  { tone, label, text, blocks = [] }: LabelledRow,
  indent: number,
  style: ConsoleStyle,
): string[] {
  const labelled: Text = tone === undefined || label === undefined ? [] : [{ tone, label }, { own: " " }];
  return [
    ...textLines([...partsFor("console", labelled), ...partsFor("console", text)], indent, style),
    ...linesOf(blocks, indent + 2, style),
  ];
}

const gap = 2;
/** Narrowest column of figures. */
const figureWidth = 8;

/** A table; where it does not fit, the sentences of its rows, or as many columns as fit. */
function tableLines(table: TableBlock, indent: number, style: ConsoleStyle): string[] {
  const { rows, inLines } = table;
  const painted = (tone: BlockRow["tone"]) => (tone === undefined ? same : inTone(tone, style));
  const below = ({ below: lines = [] }: BlockRow) =>
    lines.flatMap((one) => textLines(one, indent + 2, style));
  const sentences = rows.flatMap((row) => {
    const { sentence, tone } = row;
    if (sentence === undefined) return [];
    return [...textLines(sentence, indent, style).map(painted(tone)), ...below(row)];
  });
  if (inLines) return sentences;
  const shown = columnsFor("console", table).map(({ head, figure = false, at }) => {
    const cells = [head, ...rows.map(({ cells: texts }) => texts[at] ?? "")].map((text) => ({
      plain: inline(text, plain(style)) || "·",
      painted: inline(text, style) || "·",
    }));
    const widest = Math.max(...cells.map((cell) => cell.plain.length));
    return { cells, figure, width: figure ? Math.max(figureWidth, widest) : widest };
  });
  const room = style.width - indent;
  const ends = shown.map((_, place) =>
    shown.slice(0, place + 1).reduce((sum, { width }) => sum + width + gap, -gap),
  );
  const fitting = ends.filter((end) => end <= room).length;
  if (fitting < shown.length && sentences.length > 0) return sentences;
  const line = (row: number) =>
    shown
      .slice(0, fitting)
      .map(({ cells, figure, width }) => {
        const { plain: text, painted } = cells[row] ?? { plain: "", painted: "" };
        const pad = " ".repeat(width - text.length);
        return figure ? pad + painted : painted + pad;
      })
      .join(" ".repeat(gap))
      .trimEnd();
  const start = " ".repeat(indent);
  return [
    style.faint(start + line(0)),
    ...rows.flatMap((row, place) => [painted(row.tone)(start + line(place + 1)), ...below(row)]),
  ];
}

/** The style without colours, to measure a text. */
function plain({ width }: ConsoleStyle): ConsoleStyle {
  return { width, good: same, bad: same, unsure: same, strong: same, faint: same };
}

function same(text: string): string {
  return text;
}

/** Values beside their names, or below them where there is no room. */
function factLines(
  facts: readonly (readonly [name: string, value: Text])[],
  indent: number,
  style: ConsoleStyle,
): string[] {
  const room = Math.max(...facts.map(([name]) => printable(name).length));
  if (room + 2 * gap > style.width / 2)
    return facts.flatMap(([name, value]) => [
      ...textLines(name, indent, style),
      ...textLines(value, indent + 2, style),
    ]);
  return facts.flatMap(([name, value]) => {
    const line = `${printable(name).padEnd(room)}${" ".repeat(gap)}${inline(value, style)}`;
    return wrap(line, { width: style.width, indent: " ".repeat(indent) });
  });
}

function cardsLines(
  { cards, exchanges = cards.length }: CardsBlock,
  indent: number,
  style: ConsoleStyle,
): string[][] {
  return cards.map((card, at) => cardLines(card, { indent, style, isShown: at < exchanges }));
}

function cardLines(
  { tone, label, id, about, title, findings }: Card,
  { indent, style, isShown }: { indent: number; style: ConsoleStyle; isShown: boolean },
): string[] {
  const paint = inTone(tone, style);
  const verdict = paint(style.strong(label.toUpperCase()));
  const rule = textLines({ faint: title }, indent + 2, style);
  return [
    ...wrapAt(
      indent,
      `${verdict} ${[printable(id), inline(about, style)].filter((part) => part !== "").join(": ")}`,
      style,
    ),
    ...(findings.length === 0 ? rule : []),
    ...findings.flatMap((finding, at) =>
      findingLines(finding, {
        indent: indent + 2,
        style,
        rule: at === 0 ? rule : [],
        tone,
        isShown: isShown && at === 0,
      }),
    ),
  ];
}

interface FindingStyle {
  readonly indent: number;
  readonly style: ConsoleStyle;
  /** What the spec demands, below the fact. */
  readonly rule: readonly string[];
  readonly tone: Card["tone"];
  /** Whether it shows an exchange: the first finding of a card does. */
  readonly isShown: boolean;
}

function findingLines(
  { title, facts, remarks = [], also = [], exchanges, places }: CardFinding,
  { indent, style, rule, tone, isShown }: FindingStyle,
): string[] {
  const paint = tone === "bad" ? (text: string) => style.bad(style.strong(text)) : style.strong;
  const aside = remarks
    .map((text) => inline(text, style))
    .filter((text) => text !== "")
    .map((text) => ` ${text}`)
    .join("");
  const texts = facts.map(({ text }) => inline(text, style));
  const [main = "", ...others] = texts;
  const [place] = places === undefined ? [] : blocksFor("console", places());
  const excerpt = place?.kind === "place" ? place.excerpt : undefined;
  return [
    ...wrapAt(indent, `${main === "" ? "" : paint(main)}${others.length === 0 ? aside : ""}`, style),
    ...others.flatMap((text, at) => wrapAt(indent, `${text}${at === others.length - 1 ? aside : ""}`, style)),
    ...rule,
    ...(title === undefined ? [] : wrapAt(indent, style.faint(prose(title)), style)),
    ...also.flatMap((one) => wrapAt(indent, style.faint(`Also found by: ${prose(one.title)}`), style)),
    ...exchanges
      .slice(0, isShown ? 1 : 0)
      .flatMap((exchange) => exchangeLines(exchange, { indent: indent + 2, style, excerpt })),
  ];
}

function wrapAt(indent: number, line: string, { width }: ConsoleStyle): string[] {
  return wrap(line, { width, indent: " ".repeat(indent) });
}

const longestBody = 300;
const mostExcerptLines = 30;

/** One exchange: the request, the response, and the command that sends the request again. */
function exchangeLines(
  { request, response, curl }: Evidence,
  { indent, style, excerpt }: { indent: number; style: ConsoleStyle; excerpt?: PlaceExcerpt | undefined },
): string[] {
  const type = response.headers["content-type"] ?? "no content type";
  const body = request.body === undefined ? "" : ` ${clip(request.body, longestBody)}`;
  const [plainExcerpt] = response.excerpts ?? [];
  const around = plainExcerpt === undefined ? undefined : (excerpt ?? plainExcerpt);
  const shown = around === undefined ? ` ${bodyText(response, longestBody)}` : "";
  const { location } = response.headers;
  const leadsTo = location === undefined ? "" : ` location: ${clip(location, longestBody)}`;
  const lines = [
    `> ${request.method} ${request.url}${body}`,
    `< ${statusName(response.status)} ${type}${leadsTo}${shown}`,
  ];
  const start = " ".repeat(indent);
  return [
    ...lines.flatMap((line) => wrap(printable(line), { width: style.width, indent: start })).map(style.faint),
    ...(around === undefined ? [] : excerptLines(around, start, style)),
    // In one line: a wrapped command cannot be copied.
    start + printable(curl),
  ];
}

/** The body around the place of a finding, with what is expected there; the lines around it dimmed. */
function excerptLines({ lines }: Pick<PlaceExcerpt, "lines">, start: string, style: ConsoleStyle): string[] {
  return lines.slice(0, mostExcerptLines).flatMap(({ text, mark, expected }) => {
    const content = text.trimStart();
    const painted = printable(content);
    const deep = " ".repeat(Math.min(24, text.length - content.length));
    const isPlace = mark === "place";
    const wanted =
      expected === undefined
        ? []
        : wrap(style.good(prose(expected)), { width: style.width, indent: `${start}+ ${deep}` });
    return [
      ...wrap(isPlace ? style.bad(painted) : style.faint(painted), {
        width: style.width,
        indent: `${start}${isPlace ? ">" : " "} ${deep}`,
      }),
      ...wanted,
    ];
  });
}
