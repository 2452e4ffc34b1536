import type { Excerpt } from "./contracts/evidence.ts";
import { clip, counted, grouped } from "./counts.ts";
import { stepsOf } from "./json.ts";

type Line = Excerpt["lines"][number];

/** Number of fields shown before and after the place. */
const mostBeside = 4;
/** Number of first fields shown of each object that contains the place: they usually identify the product. */
const mostFirst = 3;
/** Number of fields or entries shown when the place itself is an object or a list. */
const mostFields = 6;
const mostEntries = 12;
const longestText = 300;

/**
 * The part of a body around a place: the marked place, its neighbours, and how much is omitted. It is made from the
 * complete body, so it always contains the place.
 *
 * @param body Parsed JSON.
 * @param path JSON Pointer (RFC 6901); if nothing is there, a marked line says that it is missing.
 * @param redact Removes keys from a text; applied before any text is cut.
 * @param digits The digits of the number at the place, if parsing changed them.
 */
export function excerptOf(
  body: unknown,
  path: string,
  redact: (text: string) => string,
  digits?: string,
): Excerpt {
  return {
    path: redact(path),
    lines: around(body, stepsOf(path), { indent: "", name: undefined, end: "", redact, digits }),
  };
}

interface Place {
  readonly indent: string;
  /** Name of the field; undefined for an entry of a list and for the body itself. */
  readonly name: string | undefined;
  /** A comma if another entry follows, otherwise empty. */
  readonly end: string;
  readonly redact: (text: string) => string;
  readonly digits: string | undefined;
}

function around(value: unknown, steps: readonly string[], at: Place): Line[] {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== "object" || value === null) return marked(value, steps, at);
  const inList = Array.isArray(value);
  const entries = Object.entries(value);
  const found = entries.findIndex(([name]) => name === step);
  const target = found < 0 ? entries.length : found;
  const isShown = (index: number): boolean =>
    !inList && (index < mostFirst || (rest.length === 0 && Math.abs(index - target) <= mostBeside));
  const lines: Line[] = [];
  let hidden = 0;
  for (const [index, [name, entry]] of entries.entries()) {
    if (index !== found && !isShown(index)) {
      hidden++;
      continue;
    }
    lines.push(...leftOut(hidden, index <= target ? "before" : "after", inList, at));
    hidden = 0;
    const end = index === entries.length - 1 && found >= 0 ? "" : ",";
    const place = { ...at, indent: `${at.indent}  `, name: inList ? undefined : name, end };
    lines.push(...(index === found ? around(entry, rest, place) : [inOneLine(entry, place)]));
  }
  lines.push(...leftOut(hidden, found < 0 ? "before" : "after", inList, at));
  if (found < 0) {
    const missing = { ...at, indent: `${at.indent}  `, name: inList ? undefined : step, end: "" };
    lines.push(...marked(undefined, [], missing));
  }
  const [open, close] = inList ? ["[", "]"] : ["{", "}"];
  return [{ text: `${at.indent}${labelOf(at)}${open}` }, ...lines, { text: `${at.indent}${close}${at.end}` }];
}

/** The lines of the place itself, all marked. Remaining `steps` mean that the path leads into a value that has no fields. */
function marked(value: unknown, steps: readonly string[], at: Place): Line[] {
  const mark = (text: string, deeper = ""): Line => ({ text: `${at.indent}${deeper}${text}`, mark: "place" });
  if (value === undefined) return [mark(`${labelOf(at)}(missing)`)];
  if (steps.length > 0 || typeof value !== "object" || value === null)
    return [mark(`${labelOf(at)}${at.digits ?? summary(value, at)}${at.end}`)];
  const inList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return [mark(`${labelOf(at)}${inList ? "[]" : "{}"}${at.end}`)];
  const shown = entries.slice(0, inList ? mostEntries : mostFields).map(([name, entry], index) => {
    const end = index === entries.length - 1 ? "" : ",";
    const place = { ...at, name: inList ? undefined : name, end };
    return mark(`${labelOf(place)}${inList ? brief(entry, place) : summary(entry, place)}${end}`, "  ");
  });
  const left = entries.length - shown.length;
  const more = inList ? counted(left, "more entry", "more entries") : counted(left, "more field");
  const [open, close] = inList ? ["[", "]"] : ["{", "}"];
  return [
    mark(`${labelOf(at)}${open}`),
    ...shown,
    ...(left === 0 ? [] : [{ text: `${at.indent}  … ${more}`, mark: "left-out" as const }]),
    mark(`${close}${at.end}`),
  ];
}

/** An entry of a list in one line; of an object, only the first fields. */
function brief(value: unknown, at: Place): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return summary(value, at);
  const fields = Object.entries(value);
  const named = fields
    .slice(0, mostFirst)
    .map(([name, entry]) => `${labelOf({ ...at, name })}${clip(summary(entry, at), 60)}`);
  const left = fields.length - named.length;
  return `{ ${[...named, ...(left > 0 ? [`… ${counted(left, "more field")}`] : [])].join(", ")} }`;
}

function inOneLine(value: unknown, at: Place): Line {
  return { text: `${at.indent}${labelOf(at)}${summary(value, at)}${at.end}` };
}

function labelOf({ name, redact }: Place): string {
  return name === undefined ? "" : `${JSON.stringify(clip(redact(name), longestText))}: `;
}

/** A text, number, boolean or null. */
function printed(value: unknown, { redact }: Place): string {
  return JSON.stringify(typeof value === "string" ? clip(redact(value), longestText) : value);
}

/** A value in one line: entries of a list and fields of an object are counted, not shown. */
function summary(value: unknown, at: Place): string {
  if (typeof value !== "object" || value === null) return printed(value, at);
  const { length } = Object.keys(value);
  if (Array.isArray(value)) return length === 0 ? "[]" : `[… ${counted(length, "entry", "entries")}]`;
  return length === 0 ? "{}" : `{… ${counted(length, "field")}}`;
}

function leftOut(count: number, where: "before" | "after", inList: boolean, { indent, name }: Place): Line[] {
  if (count === 0) return [];
  const entries =
    name !== undefined && count > 1
      ? `${grouped(count)} ${clip(name, 40)}`
      : counted(count, "entry", "entries");
  const what = inList ? `${entries} ${where}` : `${counted(count, "field")} omitted`;
  return [{ text: `${indent}  … ${what}`, mark: "left-out" }];
}
