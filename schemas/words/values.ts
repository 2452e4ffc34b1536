import { stepsOf } from "../json.ts";
import { counted } from "./format.ts";

// How values and places of a body appear in a sentence. Everything from the target is between backticks.

/** A text of the target between backticks, as in Markdown; quoted if a blank at its end could not be seen. */
export function code(text: string): string {
  const shown = text.trim() === text ? text : JSON.stringify(text);
  return shown.includes("`") ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

/** The place that a JSON Pointer names: `/products/9/mpn` is `products[9].mpn`. */
export function place(pointer = ""): string {
  if (pointer === "") return "the body";
  return code(stepsOf(pointer).reduce((path, name) => `${path}${step(name, path === "")}`, ""));
}

function step(name: string, first: boolean): string {
  if (/^\d+$/.test(name)) return `[${name}]`;
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)) return `[${JSON.stringify(name)}]`;
  return first ? name : `.${name}`;
}

const sizes: Readonly<Record<string, (size: number) => string>> = {
  string: (size) => `a string of ${counted(size, "character")}`,
  array: (size) => `an array of ${counted(size, "entry", "entries")}`,
  object: (size) => `an object with ${counted(size, "field")}`,
};

/** A value as JSON; for a large one, its type and size. */
export function value(given: unknown): string {
  if (given === undefined) return "missing";
  const { type, size, ...rest } = (given ?? {}) as Record<string, unknown>;
  // A number that a double cannot hold keeps its digits.
  if (type === "number" && typeof rest.digits === "string") return rest.digits;
  const sized = typeof type === "string" ? sizes[type] : undefined;
  if (sized !== undefined && typeof size === "number" && Object.keys(rest).length === 0) return sized(size);
  return typeof given === "number" ? `${given}` : code(JSON.stringify(given));
}

const articles: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
  null: "null",
};

/** The name of a JSON type with its article: `an array`. */
export function typeName(type: string): string {
  return articles[type] ?? type;
}

/** The type of a value with its article; for a large value, its type and size. */
export function typeOf(given: unknown): string {
  if (given === undefined) return "missing";
  if (given === null) return "null";
  if (Array.isArray(given)) return "an array";
  if (typeof given !== "object") return `${typeName(typeof given)} (${value(given)})`;
  const shown = value(given);
  if ("digits" in given) return `${typeName("number")} (${shown})`;
  return shown.startsWith("`") ? "an object" : shown;
}

/** The first of many texts, and the number of the others. */
export function someOf(texts: readonly string[]): string {
  const more = texts.length - mostNames;
  return more > 0 ? `${texts.slice(0, mostNames).join(", ")} and ${more} more` : texts.join(", ");
}

const mostNames = 8;
