import type { Caller, Target } from "./target.ts";

/** Environment variables that stand in for the keys wherever a request is shown. */
export const keyVariables: Record<Exclude<Caller, "nobody">, string> = {
  primary: "SHELFCHECK_API_KEY",
  sameOrg: "SHELFCHECK_SAME_ORG_API_KEY",
  otherOrg: "SHELFCHECK_OTHER_ORG_API_KEY",
};

/** Replaces every key, in any of the forms it can travel in, by the name of its variable. */
export interface Redaction {
  redact(text: string): string;
  redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string>;
  /**
   * As `redact`, for a report as a whole, made of texts that are redacted already: a key as short as a word, which no
   * real one is, is left alone there, since it may be a word of the report's own script or markup.
   */
  redactReport(report: string): string;
}

/** Shortest key that cannot be taken for a word, and whose encodings cannot be taken for anything else. */
const shortestTelling = 8;

/** The redaction for a target's keys. A target may echo a key in a body or a header: that goes through here as well. */
export function redactionFor(keys: Target["keys"]): Redaction {
  const replacements = (Object.keys(keyVariables) as (keyof typeof keyVariables)[])
    .map((name) => ({ key: keys[name] ?? "", by: `$${keyVariables[name]}` }))
    .filter(({ key }) => key !== "")
    // A key may be the beginning of another: the longest first.
    .sort((a, b) => b.key.length - a.key.length)
    .map(({ key, by }) => ({
      key,
      pattern: new RegExp([spelledOut(key), ...encoded(key)].join("|"), "g"),
      by,
    }));

  const replace = (text: string, replaced: typeof replacements): string =>
    // By a function, since `$S` in a replacement string would be looked into.
    replaced.reduce((result, { pattern, by }) => result.replaceAll(pattern, () => by), text);
  const redact = (text: string): string => replace(text, replacements);
  const telling = replacements.filter(({ key }) => key.length >= shortestTelling);

  return {
    redact,
    redactHeaders: (headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)])),
    redactReport: (report) => replace(report, telling),
  };
}

/** The key with each of its characters as it is, or escaped for JSON, a URL, HTML or XML, however deep. */
function spelledOut(key: string): string {
  return [...key].map(spelledCharacter).join("");
}

function spelledCharacter(character: string): string {
  const code = character.charCodeAt(0);
  const digits = code.toString(16).padStart(2, "0");
  const hex = [...digits].map(anyCase).join("");
  const named = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" }[character];
  const forms = [
    // JSON may escape these three with a backslash, and text that holds JSON escapes that again.
    /["\\/]/.test(character) ? `\\\\*${RegExp.escape(character)}` : RegExp.escape(character),
    `\\\\+u00${hex}`,
    `%(?:25)*${hex}`,
    `&(?:amp;)*#(?:0*${code}|[xX]0*${hex});`,
    ...(named === undefined ? [] : [`&(?:amp;)*${named};`]),
  ];
  return `(?:${forms.join("|")})`;
}

/** The key in hexadecimal and in base64, there also where other text stands before or after it, as in `user:key`. */
function encoded(key: string): string[] {
  const bytes = Buffer.from(key);
  if (bytes.length < shortestTelling) return [RegExp.escape(bytes.toString("base64"))];
  const hex = [...bytes.toString("hex")].map(anyCase).join("");
  return [...[0, 1, 2].map((offset) => inBase64(bytes, offset)), hex];
}

/** The characters that the key alone decides when `offset` bytes stand before it, and the end when none stands after it. */
function inBase64(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString("base64")
    .replace(/=+$/, "");
  const last = Math.floor(((offset + bytes.length) * 8) / 6);
  const alone = text.slice(Math.ceil((offset * 8) / 6), last);
  const end = text.slice(last);
  return `${anyAlphabet(alone)}(?:${anyAlphabet(end)}={0,2})?`;
}

/** base64 and base64url differ in two characters. */
function anyAlphabet(text: string): string {
  return text.replaceAll(/[+/]/g, (character) => (character === "+" ? "[+-]" : "[/_]"));
}

function anyCase(digit: string): string {
  return /[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit;
}
