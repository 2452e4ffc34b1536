import type { Cell } from "./cell.ts";
import { type MachinePart, machineCells } from "./machine.ts";
import { type TargetCommand, targetCells } from "./targets.ts";

const commands = [
  "doctor",
  "discover",
  "conformance",
  "replay",
  "load",
  "gate",
] as const satisfies TargetCommand[];

/** A part of the matrix: a command on every bad target, or commands in another broken environment. */
export type SurroundingsPart = TargetCommand | MachinePart;

/** Every part, by its name. */
export const parts: readonly SurroundingsPart[] = [
  ...commands,
  ...(Object.keys(machineCells) as MachinePart[]),
];

/** The cells of a part. */
export function cellsOf(part: SurroundingsPart): readonly Cell[] {
  const command = commands.find((one) => one === part);
  return command === undefined ? machineCells[part as MachinePart] : targetCells(command);
}

/** The cell of this name. @throws Error when there is none. */
export function cellNamed(name: string): Cell {
  const found = parts.flatMap(cellsOf).find((cell) => cell.name === name);
  if (found === undefined) throw new Error(`there is no cell ${name}`);
  return found;
}
