import { marked } from "../../conformance/client/evidence.ts";
import type { Evidence, Excerpt } from "../../schemas/contracts/evidence.ts";
import { clip, grouped, milliseconds, statusName } from "../../schemas/words/format.ts";
import { place } from "../../schemas/words/values.ts";

/**
 * Text of a target with marks (`␀`, `‹U+202E›`) for invisible and bidirectional characters, so that it cannot
 * look like something else. Line breaks and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll(marked, mark);
}

/** The same, with line breaks and tabs as spaces. */
export function oneLine(text: string): string {
  return visibleText(text.replaceAll(/\s+/g, " "));
}

function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `\u2039U+${code.toString(16).toUpperCase().padStart(4, "0")}\u203a`;
}

/** A part of a sentence; `code` is what the sentence encloses in backticks: values and names of a target. */
export interface Span {
  readonly text: string;
  readonly code: boolean;
}

/** Splits a sentence of `schemas/words/`, which encloses values and names in backticks. */
export function spansOf(sentence: string): Span[] {
  // The split repeats three parts: text, the opening backticks, what they enclose.
  const parts = sentence.split(/(?<!`)(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)/s);
  return parts.flatMap((text, at): Span[] => {
    if (at % 3 === 1 || text === "") return [];
    if (at % 3 === 0) return [{ text, code: false }];
    return [{ text: parts[at - 1] === "``" ? text.trim() : text, code: true }];
  });
}

/** A sentence for formats that cannot mark code: without the backticks. */
export function plainProse(sentence: string): string {
  return spansOf(sentence)
    .map(({ text }) => text)
    .join("");
}

/** A body cut to `length` characters, with a note of how many of the complete body are omitted. */
export function bodyText(
  { body, cut }: Pick<Evidence["response"], "body" | "cut">,
  length: number = body.length,
): string {
  const known = cut === undefined ? body : body.slice(0, cut.shown);
  const shown = clip(known, length);
  if (cut === undefined) return shown;
  const kept = shown === known ? known : known.slice(0, length);
  return `${kept}… (${grouped(Math.max(0, cut.of - kept.length))} more characters)`;
}

/** One exchange as plain text. */
export function exchangeText({ request, response }: Evidence): string {
  return [
    `> ${request.method} ${request.url}`,
    ...headerLines(">", request.headers),
    ...(request.body === undefined ? [] : [`> ${request.body}`]),
    `< ${statusName(response.status)} after ${milliseconds(response.milliseconds)}`,
    ...headerLines("<", response.headers),
    ...bodyLines(response).map((line) => `< ${line}`),
  ].join("\n");
}

/** Excerpts around the places of findings, each under its place if there are several; else the body. */
function bodyLines(response: Evidence["response"]): string[] {
  const { excerpts = [] } = response;
  if (excerpts.length === 0) return [bodyText(response)];
  const isOne = excerpts.length === 1;
  return excerpts.flatMap((excerpt) => [
    ...(isOne ? [] : [`${plainProse(place(excerpt.path))}:`]),
    ...excerptText(excerpt).split("\n"),
  ]);
}

/** An excerpt with an arrow before the lines of the place. */
function excerptText({ lines }: Excerpt): string {
  return lines.map(({ text, mark }) => `${mark === "place" ? "\u2192" : " "} ${text}`).join("\n");
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${value}`);
}

/** A JSON body with one line for each field. A cut body is not JSON and stays as it is. */
export function prettyJson(body: string): string {
  if (!/^\s*[[{]/.test(body)) return body;
  try {
    // Large numbers and repeated names would be changed: then the body stays as it is.
    const text = JSON.stringify(JSON.parse(body), null, 2);
    return text.replaceAll(/\s/g, "").length === body.replaceAll(/\s/g, "").length ? text : body;
  } catch {
    return body;
  }
}

/** What the command that sends a request again does not do alone. */
export function repeatText({ response, burst }: Evidence): string[] {
  if (burst) return ["Sent by the check that exceeds the rate limit: alone, it may get another response."];
  return response.status === 429 ? ["A status 429 comes back only while the rate limit is exceeded."] : [];
}

/** One argument of a shell command, in quotes where it needs them. */
export function quotedForShell(argument: string): string {
  return /^[\w./:=@,%+…-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
