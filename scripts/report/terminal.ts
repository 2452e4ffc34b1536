import { wrapAnsi } from "fast-wrap-ansi";
import picocolors from "picocolors";
import type { Io } from "../io.ts";
import type { Tone } from "./model.ts";
import { oneLine, plainProse } from "./text.ts";

type Paint = (text: string) => string;

/** Width in columns (infinite in a pipe) and colours (possibly none) of the output. */
export interface ConsoleStyle {
  readonly width: number;
  readonly good: Paint;
  readonly bad: Paint;
  readonly unsure: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

/** Width of a terminal that does not report it. */
const usualWidth = 80;
const narrowest = 40;

/** Without colour: for files, pipes and tests. */
export function plainStyle(width: number = Number.POSITIVE_INFINITY): ConsoleStyle {
  return styleOf(false, width);
}

/**
 * A terminal has a width, and colours unless NO_COLOR is set (to any value, see no-color.org). Lines in a
 * pipe are not wrapped, so that programs can read them line by line.
 */
export function consoleStyle({ stdout, env }: Pick<Io, "stdout" | "env">): ConsoleStyle {
  if (stdout.isTTY !== true) return plainStyle();
  const colour = !env.NO_COLOR && env.TERM !== "dumb";
  return styleOf(colour, Math.max(narrowest, stdout.columns ?? usualWidth));
}

function styleOf(colour: boolean, width: number): ConsoleStyle {
  const { green, red, yellow, bold, dim } = picocolors.createColors(colour);
  return { width, good: green, bad: red, unsure: yellow, strong: bold, faint: dim };
}

/** The colour of a label. */
export function inTone(tone: Tone, { good, bad, unsure, faint }: ConsoleStyle): Paint {
  return { good, bad, unsure, notice: unsure, plain: faint }[tone];
}

/** A sentence as a terminal shows it: without the backticks that mark code. */
export function prose(text: string): string {
  return oneLine(plainProse(text));
}

/** Wraps text, perhaps coloured. Long words are not broken, so that URLs and ids can be copied. */
export function wrap(text: string, { width, indent = "" }: { width: number; indent?: string }): string[] {
  if (text.trim() === "") return [];
  if (width === Number.POSITIVE_INFINITY) return [indent + text];
  const lines = wrapAnsi(text, Math.max(10, width - indent.length)).split("\n");
  return lines.map((line) => indent + line);
}
