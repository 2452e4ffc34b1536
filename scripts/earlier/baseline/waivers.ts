import { readFile } from "node:fs/promises";
import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import type { Waiver, Waivers } from "../../../schemas/types.ts";
import { UsageError } from "../../errors.ts";
import type { BaselineFile } from "./place.ts";
import { contentMistakes, type Known, shapeMistakes, type WaiverMistake } from "./waiver-mistakes.ts";

/** A waiver and where it stands, for messages: `shelfcheck-baseline/waivers.yaml, line 4`. */
export interface ListedWaiver {
  readonly waiver: Waiver;
  readonly where: string;
}

/**
 * The waivers of a file; none when there is no such file.
 * @throws UsageError as parseWaivers.
 */
export async function readWaivers(file: BaselineFile, known: Known): Promise<ListedWaiver[]> {
  const text = await readText(file);
  return text === undefined ? [] : parseWaivers(text, file.shown, known);
}

/** The text of a file of the baseline, or undefined when there is none. @throws UsageError when it cannot be read. */
export async function readText({ path, shown }: BaselineFile): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new UsageError(
      {
        what: "A file of the baseline cannot be read",
        where: shown,
        mend: error instanceof Error ? error.message : String(error),
      },
      { cause: error },
    );
  }
}

/**
 * The waivers in a text.
 * @throws UsageError that names, for every mistake, file, line, key and mend: no YAML, another shape than
 *   `schemas/waivers.schema.json`, an unknown id or target, an impossible day, something waived twice.
 */
export function parseWaivers(text: string, shown: string, known: Known): ListedWaiver[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const line = broken.linePos?.[0].line ?? lines.linePos(broken.pos[0]).line;
    throw noYaml(`${shown}, line ${line}`, broken);
  }
  const value = contentOf(document, shown);
  const shape = shapeMistakes(value);
  const mistakes = shape.length > 0 ? shape : contentMistakes((value as Waivers).waivers, known);
  if (mistakes.length > 0) throw usageError(mistakes, { document, lines, shown });
  return (value as Waivers).waivers.map((waiver, index) => ({
    waiver,
    where: `${shown}, line ${lineAt(["waivers", index], { document, lines })}`,
  }));
}

function noYaml(where: string, { message }: Error): UsageError {
  return new UsageError({ what: "The waivers are no YAML", where, mend: message.split("\n")[0] ?? "" });
}

// A file whose entries are all taken out, or commented out, has none.
function contentOf(document: Document, shown: string): unknown {
  const value = plainOf(document, shown);
  if (value === null) return { waivers: [] };
  if (typeof value === "object" && "waivers" in value && value.waivers === null) {
    return { ...value, waivers: [] };
  }
  return value;
}

// Only here are aliases followed: to an anchor that is not there, or to far too many.
function plainOf(document: Document, shown: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw noYaml(shown, error instanceof Error ? error : new Error(String(error)));
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
  const placed = mistakes.map(({ at, what, mend }) => ({
    what,
    where: `${shown}, line ${lineAt(at, source)}${keyOf(at)}`,
    mend,
  }));
  const [first] = placed;
  if (first !== undefined && placed.length === 1) return new UsageError(first);
  return new UsageError({
    what: `${placed.length} mistakes in the waivers`,
    where: shown,
    mend: ["Mend each:", ...placed.map(({ what, where, mend }) => `  ${where}: ${what}. ${mend}`)].join("\n"),
  });
}

function keyOf(at: WaiverMistake["at"]): string {
  const keys = at.filter((part) => typeof part === "string" && part !== "waivers");
  return keys.length === 0 ? "" : `, ${keys.join(".")}`;
}

// Of what is missing, the line of what it is missing in.
function lineAt(at: WaiverMistake["at"], { document, lines }: Source): number {
  for (let depth = at.length; depth > 0; depth--) {
    const node: unknown = document.getIn(at.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
