import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CommandOutcome } from "./place.ts";

// blamed.snapshot.txt: how each row ended and what failed in it. A row that ends otherwise fails, until `npm run blamed`
// has written its line anew. It reads and writes the file at one go, so that rows that run at the same time share it.

/** How a row ended: an exit code, and what failed. In a line, what has the mark `~` comes and goes. */
export type RowEnd = readonly string[];

const file = fileURLToPath(new URL("blamed.snapshot.txt", import.meta.url));
const unknown = "not recorded";
/**
 * `update`: a line that does not fit is replaced. `also`: what differs is marked. `off`: a row is judged by what it expects
 * alone, for which of two instances a request meets is chance, and one run in CI decides. Otherwise, lines are compared.
 */
const mode = process.env.BLAMED ?? "compare";

export function endingOf({ exit, failed }: Pick<CommandOutcome, "exit" | "failed">): RowEnd {
  return [`exit ${exit}`, ...[...new Set(failed)].toSorted()];
}

/** Gives each row of a table a line. @throws Error when rows and lines differ and are only compared */
export function mustHaveLines(table: string, rows: readonly string[]): void {
  const lines = readLines();
  const wanted = new Set(rows.map((row) => nameOf(table, row)));
  const gone = [...lines.keys()].filter((name) => name.startsWith(nameOf(table, "")) && !wanted.has(name));
  const fresh = [...wanted].filter((name) => !lines.has(name));
  if (gone.length + fresh.length === 0) return;
  if (mode === "compare" || mode === "off") {
    const difference = [...fresh, ...gone.map((name) => `no more: ${name}`)].join("\n");
    throw new Error(`blamed.snapshot.txt has other rows, so run npm run blamed:\n${difference}`);
  }
  for (const name of gone) lines.delete(name);
  for (const name of fresh) lines.set(name, [unknown]);
  writeLines(lines);
}

/** Compares the ending of a row with its line, or writes it there. @throws Error when it is another one */
export function mustBeBlamedAsBefore(table: string, row: string, now: RowEnd): void {
  const lines = readLines();
  const name = nameOf(table, row);
  const before = lines.get(name) ?? [unknown];
  const isKnown = !before.includes(unknown);
  if (mode === "off" || (isKnown ? fits(before, now) : mode === "compare")) return;
  if (mode === "compare")
    throw new Error(`${name}\nblamed before: ${textOf(before)}\nblamed now: ${textOf(now)}`);
  lines.set(name, mode === "also" && isKnown ? withMarks(before, now) : now);
  writeLines(lines);
}

/** Whether a line allows an ending. */
export function fits(line: RowEnd, now: RowEnd): boolean {
  const known = line.map(withoutMark);
  return (
    now.every((part) => known.includes(part)) && line.every((part) => isMarked(part) || now.includes(part))
  );
}

/** The line that allows this ending, too. */
export function withMarks(line: RowEnd, now: RowEnd): RowEnd {
  return [...new Set([...line.map(withoutMark), ...now])].map((part) =>
    line.includes(part) && now.includes(part) ? part : `~${part}`,
  );
}

const isMarked = (part: string) => part.startsWith("~");
const withoutMark = (part: string) => part.replace(/^~/, "");
const nameOf = (table: string, row: string) => `${table} | ${row}`;
const textOf = (ending: RowEnd) => ending.join(", ");

function readLines(): Map<string, RowEnd> {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").filter(Boolean);
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" → ");
      return [line.slice(0, at), line.slice(at + 3).split(", ")];
    }),
  );
}

function writeLines(lines: ReadonlyMap<string, RowEnd>): void {
  const sorted = [...lines].map(([name, ending]) => `${name} → ${textOf(ending)}`);
  // Whoever reads meanwhile gets the whole file, as it was before or after.
  writeFileSync(`${file}.${process.pid}`, `${sorted.toSorted().join("\n")}\n`);
  renameSync(`${file}.${process.pid}`, file);
}
