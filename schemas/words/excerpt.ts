import type { Excerpt } from "../contracts/evidence.ts";
import { stepsOf } from "../json.ts";
import type { HiddenByParsers } from "../json-text.ts";
import { clip, counted } from "./format.ts";

type Line = Excerpt["lines"][number];

/** Number of fields shown before and after the place. */
const mostBeside = 4;
/** Number of first fields shown of each object: they usually identify the product. */
const mostFirst = 3;
/** Number of fields or entries shown when the place itself is an object or a list. */
const mostInside = 12;
const longestText = 300;

/**
 * The part of a body around a place: the marked place, its neighbours, and how much is omitted. Made from the
 * complete body, it always contains the place.
 *
 * @param body Parsed JSON.
 * @param path JSON Pointer (RFC 6901); if nothing is there, a marked line says that it is missing.
 * @param redact Removes keys from a text; applied before any text is cut.
 * @param hidden What parsing hid: digits of the number at the place, earlier values under its name.
 */
export function excerptOf(
  body: unknown,
  path: string,
  redact: (text: string) => string,
  hidden?: Pick<HiddenByParsers, "inexact" | "repeated">,
): Excerpt {
  const digits = hidden?.inexact.find((one) => one.path === path)?.digits;
  const repeated = hidden?.repeated.filter((one) => one.path === path).slice(0, mostBeside) ?? [];
  return { path: redact(path), lines: linesOf(body, stepsOf(path), "", "") };

  /** The lines of a value that is the place or has it, between what comes before and after the value. */
  function linesOf(value: unknown, steps: readonly string[], before: string, after: string): Line[] {
    const [step, ...rest] = steps;
    const isPlace = step === undefined;
    const line = (text: string): Line => ({ text, ...(isPlace ? { mark: "place" } : {}) });
    // A path that leads into a value without fields ends at that value.
    if (typeof value !== "object" || value === null)
      return [{ text: before + ((isPlace ? digits : undefined) ?? printed(value)) + after, mark: "place" }];
    const isList = Array.isArray(value);
    const label = (name: string) => (isList ? "" : labelOf(name));
    const entries = Object.entries(value);
    if (isPlace && entries.length === 0) return [line(before + summary(value) + after)];
    const found = entries.findIndex(([name]) => name === step);
    const place = found < 0 ? entries.length : found;
    const isShown = (at: number): boolean =>
      isPlace
        ? at < mostInside
        : at === found ||
          (!isList && (at < mostFirst || (rest.length === 0 && Math.abs(at - place) <= mostBeside)));
    const lines: Line[] = [];
    for (let at = 0; at < entries.length; at++) {
      const [name, entry] = entries[at] ?? ["", undefined];
      const comma = at === entries.length - 1 && (isPlace || found >= 0) ? "" : ",";
      if (at === found) {
        for (const { before: earlier } of rest.length === 0 ? repeated : [])
          lines.push({ text: `${label(name)}${summary(JSON.parse(earlier))},`, mark: "place" });
        lines.push(...linesOf(entry, rest, label(name), comma));
      } else if (isShown(at)) lines.push(line(label(name) + summary(entry) + comma));
      else {
        const from = at;
        while (at + 1 < entries.length && !isShown(at + 1)) at++;
        const left = at + 1 - from;
        const what = isList ? counted(left, "more entry", "more entries") : counted(left, "more field");
        lines.push({ text: `… ${what}`, mark: "left-out" });
      }
    }
    if (!isPlace && found < 0) lines.push({ text: `${label(step)}(missing)`, mark: "place" });
    return [
      line(before + (isList ? "[" : "{")),
      ...lines.map(({ text, ...more }) => ({ text: `  ${text}`, ...more })),
      line((isList ? "]" : "}") + after),
    ];
  }

  /** The first fields of an object in one line; entries of a list, and of what is deeper, are counted. */
  function summary(value: unknown, isDeep = false): string {
    if (typeof value !== "object" || value === null) return printed(value);
    const entries = Object.entries(value);
    if (Array.isArray(value))
      return entries.length === 0 ? "[]" : `[… ${counted(entries.length, "entry", "entries")}]`;
    if (entries.length === 0 || isDeep)
      return entries.length === 0 ? "{}" : `{… ${counted(entries.length, "field")}}`;
    const shown = entries.slice(0, mostFirst);
    const left = entries.length - shown.length;
    const fields = shown.map(([name, entry]) => labelOf(name) + clip(summary(entry, true), 60));
    return `{ ${[...fields, ...(left > 0 ? [`… ${counted(left, "more field")}`] : [])].join(", ")} }`;
  }

  function labelOf(name: string): string {
    return `${printed(name)}: `;
  }

  function printed(value: unknown): string {
    return JSON.stringify(typeof value === "string" ? clip(redact(value), longestText) : value);
  }
}
