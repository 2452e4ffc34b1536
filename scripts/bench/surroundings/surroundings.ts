import { performance } from "node:perf_hooks";
import type { Bench } from "../bench.ts";
import { type Cell, type CellOutcome, canaryKey, firstLine, mistakesIn, openPlace } from "./cell.ts";
import { type MachinePart, machineCells } from "./machine.ts";
import { targetCells } from "./targets.ts";

const ofTargets = ["doctor", "discover", "conformance", "replay", "load", "gate"] as const;
const parts = [...ofTargets, ...(Object.keys(machineCells) as MachinePart[])] as const;
const atOnce = 3;

/**
 * Real bad targets and broken surroundings for every command that meets them: a line for each try with exit code, seconds,
 * most memory of all its processes, and the line that tells a person what happened. Ends with 1 when one is wrong.
 */
export const surroundingsBench: Bench = {
  summary: "bad targets and broken surroundings for each command: is it told as that",
  parts,
  run: async (io, words) => {
    const wanted = parts.filter((part) => words.length === 0 || words.includes(part));
    const started = performance.now();
    let wrong = 0;
    let count = 0;
    for (const part of wanted) {
      const begun = performance.now();
      io.stdout.write(`\n${part}\n  exit  seconds    MB  \n`);
      const cells = isOfTargets(part) ? targetCells([part]) : machineCells[part];
      await sideBySide(cells, async (cell) => {
        if (io.signal.aborted) return;
        const { mistakes, line } = await tried(cell, io.signal);
        io.stdout.write(line);
        count++;
        if (mistakes > 0) wrong++;
      });
      io.stdout.write(`  ${part}: ${minutesSince(begun)} min\n`);
    }
    io.stdout.write(`\n${count - wrong} of ${count} right, in ${minutesSince(started)} min\n`);
    return wrong > 0 || io.signal.aborted ? 1 : 0;
  },
};

/** Runs a cell in a place of its own and tells what came of it in a line, with what is wrong below. */
export async function tried(cell: Cell, signal: AbortSignal): Promise<{ mistakes: number; line: string }> {
  const keys = { primary: canaryKey(48), sameOrg: canaryKey(40), otherOrg: canaryKey(64), ...cell.keys };
  await using place = await openPlace(keys, signal);
  const outcome = await cell.run(place);
  const mistakes = mistakesIn(outcome, cell.expect);
  return { mistakes: mistakes.length, line: lineOf(cell, outcome, mistakes) };
}

function lineOf({ name }: Cell, outcome: CellOutcome, mistakes: readonly string[]): string {
  const figures = [
    String(outcome.exit).padStart(6),
    outcome.seconds.toFixed(1).padStart(8),
    outcome.megabytes.toFixed(0).padStart(6),
  ].join(" ");
  const mark = mistakes.length === 0 ? "  " : "! ";
  const wrong = mistakes.map((mistake) => `         wrong: ${mistake}\n`).join("");
  return `${mark}${figures}  ${name}\n${" ".repeat(25)}${firstLine(outcome).slice(0, 160)}\n${wrong}`;
}

function minutesSince(start: number): string {
  return ((performance.now() - start) / 60_000).toFixed(1);
}

function isOfTargets(part: (typeof parts)[number]): part is (typeof ofTargets)[number] {
  return ofTargets.some((one) => one === part);
}

async function sideBySide(cells: readonly Cell[], run: (cell: Cell) => Promise<void>): Promise<void> {
  const waiting = cells.values();
  const work = async () => {
    for (const cell of waiting) await run(cell);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
