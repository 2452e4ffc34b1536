import picocolors from "picocolors";
import wrapAnsi from "wrap-ansi";
import type { Io } from "../io.ts";
import { plainProse } from "./text.ts";
import type { Tone } from "./tones.ts";

type Paint = (text: string) => string;

/** How text looks on a terminal: its width in columns, without end in a pipe, and colours that may all be off. */
export interface ConsoleStyle {
  readonly width: number;
  readonly good: Paint;
  readonly bad: Paint;
  readonly unsure: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

/** Of a terminal that does not tell its width. */
const usualWidth = 80;
const narrowest = 40;

/** Without colour: for files, pipes and tests. */
export function plainStyle(width: number = Number.POSITIVE_INFINITY): ConsoleStyle {
  return styleOf(false, width);
}

/**
 * A terminal has its width, and colour unless NO_COLOR is set (any value, as no-color.org says). In a pipe no line is
 * broken: what reads it may search it line by line.
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

/**
 * Text of a target made harmless for a terminal: control characters (escape sequences start with one) and those
 * that reverse the reading order are shown as code points, line breaks and tabs as spaces.
 */
export function printable(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A sentence of `schemas/words/`, or of an error, as a terminal shows it: without the backticks that mark code. */
export function prose(text: string): string {
  return printable(plainProse(text));
}

/**
 * Breaks text, which may be painted, into lines of a width, each with the same indent. A word that is longer stays
 * whole: a URL or an id that is broken up cannot be copied.
 */
export function wrap(text: string, { width, indent = "" }: { width: number; indent?: string }): string[] {
  if (text.trim() === "") return [];
  if (width === Number.POSITIVE_INFINITY) return [indent + text];
  const lines = wrapAnsi(text, Math.max(10, width - indent.length)).split("\n");
  return lines.map((line) => indent + line);
}
