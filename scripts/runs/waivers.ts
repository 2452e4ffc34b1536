import { type Document, isNode, isSeq, LineCounter, parseDocument, stringify } from "yaml";
import type { Waiver, Waivers } from "../../schemas/types.ts";
import { UsageError } from "../errors.ts";
import { contentMistakes, type Known, shapeMistakes, type WaiverMistake } from "./waiver-mistakes.ts";
import type { ListedWaiver } from "./waiver-states.ts";

/**
 * Parses waivers.
 * @param shown Name of the file in messages.
 * @throws UsageError with file, line, key and fix for every mistake: invalid YAML, a structure that does not fit
 *   `schemas/waivers.schema.json`, an unknown id or target, an impossible date, a duplicate.
 */
export function parseWaivers(text: string, shown: string, known: Known): ListedWaiver[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line ?? lines.linePos(error.pos[0]).line;
    throw notYaml(`${shown}, line ${line}`, error);
  }
  const value = contentOf(document, shown);
  const shape = shapeMistakes(value);
  if (shape.length > 0) throw usageError(shape, { document, lines, shown });
  const { waivers } = value as Waivers;
  const mistakes = contentMistakes(waivers, known);
  if (mistakes.length > 0) throw usageError(mistakes, { document, lines, shown });
  return waivers.map((waiver, index) => ({
    waiver,
    where: `${shown}, line ${lineAt(["waivers", index], { document, lines })}`,
  }));
}

function notYaml(where: string, { message }: Error): UsageError {
  return new UsageError({
    what: "The waivers are not valid YAML",
    where,
    // The parser's message ends in a colon, before an excerpt of the file.
    fix: message.split("\n")[0]?.replace(/:$/, ".") ?? "",
  });
}

// All entries may have been removed or commented out.
function contentOf(document: Document, shown: string): unknown {
  const value = plainOf(document, shown);
  if (value === null) return { waivers: [] };
  if (typeof value === "object" && "waivers" in value && value.waivers === null) {
    return { ...value, waivers: [] };
  }
  return value;
}

// Aliases are resolved here. This fails for a missing anchor, and for excessive expansion.
function plainOf(document: Document, shown: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw notYaml(shown, error instanceof Error ? error : new Error(String(error)));
  }
}

interface Source {
  readonly document: Document;
  readonly lines: LineCounter;
}

function usageError(
  mistakes: readonly WaiverMistake[],
  { shown, ...source }: Source & { readonly shown: string },
): UsageError {
  const placed = mistakes.map(({ at, what, fix }) => ({
    what,
    where: `${shown}, line ${lineAt(at, source)}${keyOf(at)}`,
    fix,
  }));
  const [first] = placed;
  if (first !== undefined && placed.length === 1) return new UsageError(first);
  return new UsageError({
    what: `${placed.length} mistakes in the waivers`,
    where: shown,
    fix: ["Fix each:", ...placed.map(({ what, where, fix }) => `  ${where}: ${what}. ${fix}`)].join("\n"),
  });
}

function keyOf(at: WaiverMistake["at"]): string {
  const keys = at.filter((part) => typeof part === "string" && part !== "waivers");
  return keys.length === 0 ? "" : `, ${keys.join(".")}`;
}

// A missing key has the line of its parent.
function lineAt(at: WaiverMistake["at"], { document, lines }: Source): number {
  for (let depth = at.length; depth > 0; depth--) {
    const node: unknown = document.getIn(at.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

const beginning = `# Known failures that the team has accepted temporarily. Each entry: id (a requirement, a check, or a threshold of
# load), reason, owner, ticket, expires (its last day, in UTC) and, if it is for some targets only, targets. A run fails when an entry
# has expired, and when what it waives passes: then remove it.
waivers:
`;

/**
 * Adds waivers at the end of waivers.yaml. The rest of the text stays as it is, including comments.
 * @param text Text of the file, which must be valid (see `parseWaivers`), or undefined when there is none.
 */
export function addWaivers(text: string | undefined, added: readonly Waiver[]): string {
  if (text === undefined) return beginning + entriesOf(added, 2);
  const document = parseDocument(text);
  const list = document.get("waivers");
  if (!isSeq(list) || list.flow === true || !list.range || list.items.length === 0) {
    return rebuilt(text, added);
  }
  const [start, end] = list.range;
  const column = start - (text.lastIndexOf("\n", start - 1) + 1);
  const before = text.slice(0, end);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const entries = entriesOf(added, column).replaceAll("\n", lineEnd);
  return before + (before.endsWith("\n") ? "" : lineEnd) + entries + text.slice(end);
}

function entriesOf(waivers: readonly Waiver[], column: number): string {
  return stringify(waivers, { lineWidth: 0 }).replaceAll(/^(?=.)/gm, " ".repeat(column));
}

// Without a list of waivers, only comments have to be kept.
function rebuilt(text: string, added: readonly Waiver[]): string {
  const document = parseDocument(text);
  const root: unknown = document.toJS();
  if (root === null) {
    const comments = text.trimEnd();
    return `${comments}${comments === "" ? "" : "\n"}waivers:\n${entriesOf(added, 2)}`;
  }
  const there = document.get("waivers");
  const list = isSeq(there) ? there : document.createNode([]);
  if (list !== there) document.set("waivers", list);
  list.flow = false;
  for (const waiver of added) list.add(document.createNode(waiver));
  return document.toString({ lineWidth: 0 });
}
