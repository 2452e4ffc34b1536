import picocolors from "picocolors";
import type { Io } from "../io.ts";

type Paint = (text: string) => string;

/** How the console report looks: its width in columns, and colours that may all be off. */
export interface ConsoleStyle {
  readonly width: number;
  readonly good: Paint;
  readonly bad: Paint;
  readonly unsure: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

const widest = 100;
const narrowest = 40;

/** Without colour: for files, pipes and tests. */
export function plainStyle(width: number = widest): ConsoleStyle {
  return styleOf(false, width);
}

/** Colour only on a terminal and unless NO_COLOR is set (any value, as no-color.org says); never wider than 100. */
export function consoleStyle({ stdout, env }: Pick<Io, "stdout" | "env">): ConsoleStyle {
  const colour = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
  return styleOf(colour, Math.max(narrowest, Math.min(widest, stdout.columns ?? widest)));
}

function styleOf(colour: boolean, width: number): ConsoleStyle {
  const { green, red, yellow, bold, dim } = picocolors.createColors(colour);
  return { width, good: green, bad: red, unsure: yellow, strong: bold, faint: dim };
}
