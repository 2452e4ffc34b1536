import { retryAfterHeader } from "../api.ts";
import type { SharedFields } from "../contracts/finding.ts";
import { isObject } from "../json.ts";
import { clip } from "./format.ts";
import { code } from "./values.ts";

/** The parts of a response that a person needs to judge it. */
interface ShownResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json?: unknown;
}

const longestText = 100;
/** Headers that say who responded, or where to go on. */
const tellingHeaders: readonly string[] = [
  "location",
  "www-authenticate",
  "server",
  "via",
  "age",
  retryAfterHeader.toLowerCase(),
];

/** A response in a few words: its message or its text, and the headers that tell something. */
export function responseWords({ headers, text, json }: ShownResponse): string {
  const said = messageIn(json) ?? textOf(text);
  const telling = tellingHeaders.flatMap((name) => {
    const value = headers[name];
    // The service's own way to ask for a key says nothing new.
    if (value === undefined || (name === "www-authenticate" && /^bearer\b/i.test(value))) return [];
    return [code(`${name}: ${clip(value, longestText)}`)];
  });
  return [said === "" ? "an empty body" : code(clip(said, longestText)), ...telling].join(", ");
}

/** The message of the service's error shape, or the usual one of others. */
function messageIn(json: unknown): string | undefined {
  const error = isObject(json) ? (json.error ?? json) : undefined;
  const message = isObject(error) ? (error.message ?? error.detail ?? error.error) : error;
  return typeof message === "string" && message !== "" ? message : undefined;
}

/** The text of a page without its tags. */
function textOf(page: string): string {
  return page
    .replaceAll(/<(style|script|title)[\s\S]*?<\/\1>/gi, " ")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

type From = SharedFields["from"];

/** What gave a response, as the subject of a sentence. */
export function responderName(from: From): string {
  if (from === undefined) return "The target";
  if (from.by === "cache") return from.cache === undefined ? "A cache" : `A cache (${code(from.cache)})`;
  return from.name === undefined
    ? "The service, or something in front of it,"
    : `${code(from.name)}, or the service behind it,`;
}

/** That a response may not be the service's own; empty if it is, or if nothing is known of its sender. */
export function responderSentence(from: From): string {
  if (from?.cache !== undefined)
    return ` A header says that the response comes from a cache (${code(from.cache)}).`;
  return from?.name === undefined ? "" : ` ${responderName(from)} gave the response.`;
}
