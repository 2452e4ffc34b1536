import picocolors from "picocolors";
import wrapAnsi from "wrap-ansi";
import type { Io } from "../io.ts";
import type { Tone } from "./tones.ts";

type Paint = (text: string) => string;

/** How text looks on a terminal: its width in columns, and colours that may all be off. */
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

/** The colour of a label. */
export function inTone(tone: Tone, { good, bad, unsure, faint }: ConsoleStyle): Paint {
  return { good, bad, unsure, notice: unsure, plain: faint }[tone];
}

/**
 * Text of a target made harmless for a terminal: control characters (escape sequences start with one) and those
 * that reverse the reading order are shown as code points, line breaks and tabs as spaces.
 */
export function printable(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Breaks text, which may be painted, into lines of a width, each with the same indent; a longer word is broken hard. */
export function wrap(text: string, { width, indent = "" }: { width: number; indent?: string }): string[] {
  if (text.trim() === "") return [];
  const lines = wrapAnsi(text, Math.max(10, width - indent.length), { hard: true }).split("\n");
  return lines.map((line) => indent + line);
}
