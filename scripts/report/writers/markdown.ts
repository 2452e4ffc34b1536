import { capitalized, clip, counted, grouped, minute, statusName } from "../../../schemas/words/format.ts";
import {
  type Block,
  type Blocks,
  blocksFor,
  type Card,
  type CardFinding,
  type CardsBlock,
  columnsFor,
  type Document,
  type ListBlock,
  type Most,
  partsFor,
  type SectionBlock,
  type TableBlock,
  type Text,
  titleFor,
} from "../document.ts";
import { exchangeText } from "../text.ts";
import { code, fenced, folded, placeDiff, prose, table } from "./markdown-text.ts";

/** Maximum length. A job summary may have 1 MiB, and other steps write into it too. */
const longest = 600_000;
const mostRows = 50;
const mostFindings = 5;
const exchangeLength = 6000;

/**
 * A document as a job summary in GitHub Markdown. All text that comes from a target is in code spans or blocks. What is
 * left out is counted, with the page that has it.
 */
export function writeMarkdown({ label, about, head, blocks, page }: Document): string {
  return bounded(
    [`## ${capitalized(label)}: ${inline(about)}`, ...paragraphs([...head, ...blocks], 3, page)],
    page,
  );
}

/** Markdown paragraphs. `level` is that of the next heading. */
function paragraphs(blocks: Blocks, level: number, page: string): string[] {
  return blocksFor("markdown", blocks).flatMap((block) => blockParagraphs(block, level, page));
}

function blockParagraphs(block: Block, level: number, page: string): string[] {
  switch (block.kind) {
    case "section":
      return sectionParagraphs(block, level, page);
    case "fold":
      return [folded(inline(block.title), ...paragraphs(block.blocks, level, page))];
    case "paragraph":
      return [inline(block.text)];
    case "list":
      return listParagraphs(block, page);
    case "table":
      return tableParagraphs(block, page);
    case "facts": {
      const known = block.facts.filter(([, value]) => value !== undefined);
      // Lines: a list would be one with a list above it.
      return [known.map(([name, value = ""]) => `${name}: ${inline(value)}`).join("<br>\n")];
    }
    case "cards":
      return cardParagraphs(block, page);
    case "exchange":
      return block.exchanges
        .slice(0, 1)
        .map((exchange) => fenced(clip(exchangeText(exchange), exchangeLength)));
    // For a page.
    case "rows":
    case "place":
    case "chart":
    case "columns":
      return [];
    default:
      return block satisfies never;
  }
}

function sectionParagraphs(section: SectionBlock, level: number, page: string): string[] {
  const title = titleFor("markdown", section);
  const inner = paragraphs(section.blocks, title === undefined ? level : level + 1, page);
  return title === undefined || inner.length === 0
    ? inner
    : [
        `${"#".repeat(level)} ${inline(title)}${section.count ? ` (${grouped(section.count)})` : ""}`,
        ...inner,
      ];
}

/** A text in one line, also in a table cell. Text of a strong part is not made strong again. */
function inline(text: Text, isStrong = false): string {
  const strong = (inner: string) => (isStrong ? inner : `**${inner.trim()}**`);
  return partsFor("markdown", text)
    .map((part) => {
      if (typeof part === "string") return prose(part);
      if ("own" in part) return part.own;
      if ("code" in part) return code(part.code);
      if ("command" in part) return code(part.command);
      if ("strong" in part) return strong(inline(part.strong, true));
      if ("faint" in part) return inline(part.faint, isStrong);
      if ("tone" in part) return part.tone === "bad" ? strong(part.label) : part.label;
      if ("link" in part) return inline(part.link, isStrong);
      if ("address" in part) return code(part.address);
      if ("time" in part) return minute(part.time);
      if ("lines" in part)
        return part.lines
          .map((line) => inline(line, isStrong))
          .filter((line) => line !== "")
          .join("<br>");
      return "";
    })
    .join("");
}

function listParagraphs({ items, most, ordered }: ListBlock, page: string): string[] {
  const shown = items.slice(0, most?.shown ?? mostRows).map((item) => {
    const mark = ordered ? "1." : "-";
    if (typeof item !== "object" || !("below" in item)) return `${mark} ${inline(item)}`;
    return `${mark} ${[item.text, ...item.below].map((line) => inline(line)).join("<br>")}`;
  });
  return [shown.join("\n"), ...rest(items.length, most, page)];
}

function tableParagraphs(block: TableBlock, page: string): string[] {
  const { rows, most } = block;
  const columns = columnsFor("markdown", block);
  const shown = rows
    .slice(0, most?.shown ?? mostRows)
    .map(({ cells }) => columns.map(({ at }) => inline(cells[at] ?? "")));
  const heads = columns.map(({ head }) => inline(head));
  return [table(heads, shown), ...rest(rows.length, most, page)];
}

/** If not all of a list is shown: how much is, and which page beside this file has the rest. */
function rest(all: number, most: Most | undefined, page: string): string[] {
  const { shown = mostRows, one = "row", many = `${one}s` } = most ?? {};
  return all > shown ? [`${grouped(shown)} of ${counted(all, one, many)} shown: see \`${page}\`.`] : [];
}

// Two columns, because a job page is narrow and findings are sentences.
function cardParagraphs({ cards, seen, nouns, exchanges = 0 }: CardsBlock, page: string): string[] {
  const rows = cards.slice(0, mostRows).map((card) => [cardPlace(card), cardText(card, nouns.finding)]);
  const shown = cards.flatMap(({ id, findings }) => {
    const finding = findings.find((one) => one.exchanges.length > 0);
    return finding === undefined ? [] : [{ id, finding }];
  });
  return [
    table([nouns.card, seen], rows),
    ...rest(cards.length, { shown: mostRows, one: nouns.card }, page),
    ...shown.slice(0, exchanges).flatMap(({ id, finding }) => shownFinding(id, finding)),
    ...(exchanges === 0 ? [] : rest(shown.length, { ...requests, shown: exchanges }, page)),
  ];
}

const mostDiffLines = 8;

/** The lines around the place, the command that can be copied, and the exchange. */
function shownFinding(id: string, { exchanges: [exchange], places }: CardFinding): string[] {
  if (exchange === undefined) return [];
  const [place] = places === undefined ? [] : blocksFor("markdown", places());
  const diff = place?.kind === "place" ? placeDiff(place.excerpt, mostDiffLines) : "";
  return [
    `${code(id)} ${code(`${exchange.request.method} ${exchange.request.url}`, 300)} → ${statusName(exchange.response.status)}`,
    ...(diff === "" ? [] : [fenced(diff, "diff")]),
    folded(
      "curl, request, response",
      fenced(clip(exchange.curl, exchangeLength), "sh"),
      fenced(clip(exchangeText(exchange), exchangeLength)),
    ),
  ];
}

const requests = { one: "request with its response", many: "requests with their responses" };

function cardPlace({ label, id, about }: Card): string {
  return [`**${label}**`, code(id), inline(about)].filter((part) => part !== "").join("<br>");
}

function cardText({ title, findings }: Card, noun: string): string {
  const shown = findings
    .slice(0, mostFindings)
    .map(findingText)
    .filter((line) => line !== "");
  const all = findings.length;
  const [first, ...others] = shown;
  return [
    ...(first === undefined ? [] : [first]),
    inline(title),
    ...others,
    ...(all > mostFindings ? [`${mostFindings} of ${counted(all, noun)} shown`] : []),
  ].join("<br>");
}

function findingText({ title, facts, remarks = [], also = [] }: CardFinding): string {
  const [main, ...others] = facts.map((fact) => inline(fact.text));
  const named = title === undefined ? "" : ` ${prose(title).trim()}:`;
  const more = others.length === 0 ? "" : `${named} ${others.join(" ")}`;
  const found = also.length === 0 ? "" : ` Found by ${also.length + 1} checks.`;
  const aside = remarks
    .map((remark) => inline(remark))
    .filter((text) => text !== "")
    .map((text) => ` ${text}`)
    .join("");
  return main === undefined ? aside.trim() : `${strong(main)}${more}${aside}${found}`;
}

/** Bold. Text that ends in a code span keeps it. */
function strong(text: string): string {
  return `**${text.trim()}**`;
}

/** Cuts between paragraphs: half a table or an open fence would swallow the output of the next step. */
function bounded(blocks: readonly string[], page: string): string {
  let length = 0;
  const fits = blocks.findIndex((block) => {
    length += block.length + 2;
    return length > longest;
  });
  if (fits < 0) return `${blocks.join("\n\n")}\n`;
  const headings = blocks
    .slice(fits)
    .flatMap((block) => (block.startsWith("### ") ? [block.slice(4).split(":", 1)[0] ?? ""] : []));
  const others = headings.length === 0 ? "" : `, and all of these parts: ${headings.join(", ")}`;
  const kept = blocks.slice(0, fits);
  return `${kept.join("\n\n")}\n\n${grouped(kept.length)} of ${counted(blocks.length, "paragraph")} shown to fit into a job summary. Omitted: the rest of this part${others}. See \`${page}\`.\n`;
}
