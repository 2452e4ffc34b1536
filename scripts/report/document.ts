import type { Evidence } from "../../schemas/contracts/evidence.ts";
import type { Tone } from "./tones.ts";

// A report as blocks. A subject (a run, a comparison) is one function from data to a document; a writer turns
// any document into a face and knows no subject.

/** The forms in which people read a report. Each has a writer in `writers/`. */
export type Face = "console" | "markdown" | "html";

/** What people read in a report, from the headline to the last line. */
export interface Document {
  /** The file or command that has what a face omits. */
  readonly page: string;
  readonly tone: Tone;
  /** The verdict in a word or two. */
  readonly label: string;
  /** What was judged: ``gate of `staging` ``. */
  readonly about: Text;
  /** The verdict as a sentence. */
  readonly summary: Text;
  /** The head, under the verdict. */
  readonly head: Blocks;
  readonly blocks: Blocks;
}

/** A document that is also a page. */
export interface PageDocument extends Document {
  /** Name of the link that skips the head of the page. */
  readonly skip: string;
  /** Name of the file that has everything. */
  readonly whole: string;
  /** Lets the reader of a page search its items, and choose some by verdict and section. */
  readonly filter?: PageFilter | undefined;
}

export interface PageFilter {
  readonly verdicts: readonly { readonly id: string; readonly label: string }[];
  readonly sections: readonly string[];
}

/** Parts of a line; a string is a sentence of `schemas/words/`, in which backticks enclose names and values. */
export type Text = TextPart | readonly (TextPart | undefined)[];

export type TextPart =
  | string
  /** Figures and marks of our own, shown as they are. */
  | { readonly own: string }
  | { readonly code: string }
  /** A command line. It is copied, so it is never broken. */
  | { readonly command: string }
  | { readonly strong: Text }
  | { readonly faint: Text }
  /** A label with its colour. */
  | { readonly tone: Tone; readonly label: string }
  /** `to` is a place of the page (`#id`), or the path of a file beside it. */
  | { readonly link: Text; readonly to: string }
  /** An address from elsewhere: only http and https become links. */
  | { readonly address: string }
  /** The time as `2026-11-21 08:00 UTC`. */
  | { readonly time: string }
  /** Lines below each other in one cell. */
  | { readonly lines: readonly Text[] }
  | { readonly only: readonly Face[]; readonly text: Text };

/** Undefined blocks are left out, and so are empty lists, tables and sections. */
export type Blocks = readonly (Block | undefined | false | "")[];

export type Block =
  | SectionBlock
  | ParagraphBlock
  | ListBlock
  | TableBlock
  | FactsBlock
  | CardsBlock
  | RowsBlock
  | FoldBlock
  | ExchangeBlock
  | PlaceBlock
  | ChartBlock
  | ColumnsBlock;

interface Common {
  /** Default: every face */
  readonly only?: readonly Face[] | undefined;
}

/** Blocks under a heading; without one, blocks that belong together. On a page, its place in the contents. */
export interface SectionBlock extends Common {
  readonly kind: "section";
  /** A face for which it has no part shows no heading. */
  readonly title?: Text;
  readonly id?: string;
  /** Number of its items. */
  readonly count?: number;
  readonly blocks: Blocks;
}

export interface ParagraphBlock extends Common {
  readonly kind: "paragraph";
  readonly text: Text;
}

export interface ListBlock extends Common {
  readonly kind: "list";
  readonly ordered?: true;
  readonly items: readonly (Text | ListItem)[];
  readonly most?: Most;
}

/** An item with lines below it. */
export interface ListItem {
  readonly text: Text;
  readonly below: readonly Text[];
}

/** How many rows or items the Markdown shows, and what they are called when the rest is counted. */
export interface Most {
  readonly shown: number;
  readonly one: string;
  readonly many?: string;
}

export interface TableBlock extends Common {
  readonly kind: "table";
  /** For a page. */
  readonly caption: string;
  readonly columns: readonly (string | TableColumn)[];
  readonly rows: readonly BlockRow[];
  readonly most?: Most;
  /** A console shows the sentences of the rows, at any width. Default: where the table does not fit */
  readonly inLines?: true;
}

export interface TableColumn extends Common {
  readonly head: Text;
  /** Aligned right. */
  readonly figure?: true;
}

export interface BlockRow {
  /** A cell for each column, also for columns that a face leaves out. */
  readonly cells: readonly Text[];
  /** The row as a sentence, for a console. */
  readonly sentence?: Text;
  /** Lines below the row, for a console. */
  readonly below?: readonly Text[];
  /** Colour of the row on a console. */
  readonly tone?: Tone | undefined;
}

/** Names and their values; those without a value are left out. */
export interface FactsBlock extends Common {
  readonly kind: "facts";
  readonly facts: readonly (readonly [name: string, value: Text | undefined])[];
}

/** Things that were judged, each with its findings. */
export interface CardsBlock extends Common {
  readonly kind: "cards";
  readonly cards: readonly Card[];
  /** Head of the column that says what was seen, for Markdown. */
  readonly seen: string;
  /** What a card and a finding are called where the rest is counted. */
  readonly nouns: { readonly card: string; readonly finding: string };
  /** Number of cards that show an exchange. Default: all on a console, none in Markdown */
  readonly exchanges?: number | undefined;
}

export const requirementNouns = { card: "requirement", finding: "check" } as const;

export interface Card {
  readonly tone: Tone;
  readonly label: string;
  readonly id: string;
  /** `MUST, Errors`. */
  readonly about: Text;
  readonly title: Text;
  readonly quote?: string | undefined;
  readonly keys?: FilterKeys;
  readonly findings: readonly CardFinding[];
}

/** What the filter of a page looks at. */
export interface FilterKeys {
  readonly verdict: string;
  readonly section: string;
}

export interface CardFinding {
  readonly id?: string;
  /** What was tried, where the card does not say it. */
  readonly title?: string | undefined;
  readonly facts: readonly Fact[];
  /** Follows the facts: how often it was seen, that it is waived. */
  readonly remarks?: readonly Text[];
  /** Further checks that found the same. */
  readonly also?: readonly { readonly id: string; readonly title: string }[];
  /** The places that show it, for a page. Made only when they are shown. */
  readonly places?: () => Blocks;
  readonly exchanges: readonly Evidence[];
  /** The command that repeats it. */
  readonly command?: string;
  /** The finding as a ticket in Markdown, for a button of the page. Made only when it is shown. */
  readonly ticket?: (() => string | undefined) | undefined;
}

export interface Fact {
  readonly text: Text;
  /** How often and where it was seen, for a page. */
  readonly where?: readonly string[];
}

/** Lines with a label: each leads to a place of the page, or opens to more. */
export interface RowsBlock extends Common {
  readonly kind: "rows";
  readonly rows: readonly LabelledRow[];
}

export interface LabelledRow {
  readonly tone?: Tone | undefined;
  readonly label?: string;
  readonly text: Text;
  readonly id?: string;
  readonly to?: string;
  readonly keys?: FilterKeys;
  readonly blocks?: Blocks;
}

export interface FoldBlock extends Common {
  readonly kind: "fold";
  readonly title: Text;
  readonly tone?: Tone | undefined;
  /** At the end of the title. */
  readonly aside?: Text;
  readonly open?: boolean;
  /** Its rows are items of the filter. */
  readonly filtered?: true;
  readonly blocks: Blocks;
}

/** Requests with their responses; console and Markdown show the first. */
export interface ExchangeBlock extends Common {
  readonly kind: "exchange";
  readonly exchanges: readonly Evidence[];
}

/** The place of an exchange that shows a finding, for a page. */
export interface PlaceBlock extends Common {
  readonly kind: "place";
  readonly heading?: string | undefined;
  readonly exchange: Evidence;
  /** Undefined without a body to show. */
  readonly excerpt: PlaceExcerpt | undefined;
  /** Beside the place that it is compared with. */
  readonly beside?: PlaceBlock;
}

export interface PlaceExcerpt {
  /** `Body around /price`, for screen readers. */
  readonly name: string;
  readonly lines: readonly PlaceLine[];
  /** The place is right, and shown for comparison. */
  readonly isReference?: boolean;
}

export interface PlaceLine {
  readonly text: string;
  readonly mark?: "place" | "left-out" | undefined;
  /** What should stand there, as a sentence. */
  readonly expected?: string | undefined;
}

/** Lines over the time of a run, for a page, with a text alternative. */
export interface ChartBlock extends Common {
  readonly kind: "chart";
  readonly title: string;
  readonly summary: string;
  readonly unit: string;
  /** An axis by factors of ten: small and large values are readable. */
  readonly isLogarithmic: boolean;
  /** Seconds after the start. */
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
  /** Lines across the chart, such as `p95 limit 500 ms`. */
  readonly limits: readonly { readonly at: number; readonly label: string }[];
}

export interface ChartLine {
  readonly name: string;
  readonly tone: Tone;
  /** A value for each place of the x axis; null where nothing was measured. */
  readonly values: readonly (number | null)[];
}

/** Blocks beside each other where there is room, for a page. */
export interface ColumnsBlock extends Common {
  readonly kind: "columns";
  readonly columns: readonly { readonly title: string; readonly blocks: Blocks }[];
}

export function paragraph(text: Text, ...only: readonly Face[]): ParagraphBlock {
  return { kind: "paragraph", text, only: only.length === 0 ? undefined : only };
}

/** The blocks for some faces. */
export function only(faces: readonly Face[], ...blocks: Blocks): SectionBlock {
  return { kind: "section", only: faces, blocks };
}

/** Blocks that belong together: on a console, lines without a blank one between them. */
export function group(...blocks: Blocks): SectionBlock {
  return { kind: "section", blocks };
}

/** A line of our own words and figures with other parts between them. */
export function line(words: TemplateStringsArray, ...parts: readonly (Text | undefined)[]): TextPart[] {
  return words.flatMap((own, at): TextPart[] => {
    const part = at === 0 ? undefined : parts[at - 1];
    return [...(part === undefined ? [] : [part].flat()), { own }].filter((one) => one !== undefined);
  });
}

/** Names with commas between them. */
export function names(all: readonly string[], separator = ", "): TextPart[] {
  return all.flatMap((code, at) => (at === 0 ? [{ code }] : [{ own: separator }, { code }]));
}

/** A text for some faces. */
export function onlyText(faces: readonly Face[], text: Text): TextPart {
  return { only: faces, text };
}

/** The blocks that a face shows, without empty ones. */
export function blocksFor(face: Face, blocks: Blocks): Block[] {
  return blocks.flatMap((block) => (block && isShown(block) && !isEmpty(block) ? [block] : []));

  function isShown({ only: faces }: Common): boolean {
    return faces === undefined || faces.includes(face);
  }

  function isEmpty(block: Block): boolean {
    switch (block.kind) {
      case "section":
      case "fold":
        return blocksFor(face, block.blocks).length === 0;
      case "list":
        return block.items.length === 0;
      case "table":
      case "rows":
        return block.rows.length === 0;
      case "facts":
        return block.facts.every(([, value]) => value === undefined);
      case "cards":
        return block.cards.length === 0;
      case "exchange":
        return block.exchanges.length === 0;
      case "columns":
        return block.columns.every((column) => blocksFor(face, column.blocks).length === 0);
      case "paragraph":
      case "place":
      case "chart":
        return false;
      default:
        return block satisfies never;
    }
  }
}

/** The parts that a face shows. */
export function partsFor(face: Face, text: Text): Exclude<TextPart, { readonly only: readonly Face[] }>[] {
  const parts: readonly (TextPart | undefined)[] = isParts(text) ? text : [text];
  return parts.flatMap((part) => {
    if (part === undefined) return [];
    if (typeof part === "string" || !("only" in part)) return [part];
    return part.only.includes(face) ? partsFor(face, part.text) : [];
  });
}

function isParts(text: Text): text is readonly (TextPart | undefined)[] {
  return Array.isArray(text);
}

/** The heading for a face; undefined if it has none. */
export function titleFor(face: Face, { title = [] }: SectionBlock): Text | undefined {
  return partsFor(face, title).length === 0 ? undefined : title;
}

/** The columns of a table that a face shows, with their places. */
export function columnsFor(face: Face, { columns }: TableBlock): (TableColumn & { readonly at: number })[] {
  return columns.flatMap((column, at) => {
    const { only: faces, ...shown }: TableColumn = typeof column === "string" ? { head: column } : column;
    return faces === undefined || faces.includes(face) ? [{ ...shown, at }] : [];
  });
}
