/** Keys, and the spellings in which an echo may contain them, for the tests of the redaction. */

export const shownAs = "$SHELFCHECK_API_KEY";
export const partShownAs = "[part of SHELFCHECK_API_KEY]";

/** Special characters of regular expressions, JSON, HTML, shells and URLs. */
const awkward = `.*+?^$(){}[]|\\/"'&<>%25;:#!=@,~\`-_`;

export const keys: Record<string, string> = {
  "of 8 characters": "aZ9-_/+b",
  plain: "sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0",
  "with every awkward character": `k1${awkward}Zz9`,
  "that begins and ends awkwardly": `"\\u0041&amp;%41'${"x".repeat(20)}\\%4`,
  "with escaped quotation marks": `\\"ab\\"cd"ef1`,
  "of repeated characters": "aaaaaaaaaaab",
  "of 120 characters": long(120),
};

/** A key of so many characters, always the same. */
export function long(length: number): string {
  const characters = `abcXYZ0189${awkward}`;
  let state = 7;
  return Array.from({ length }, () => {
    state = (state * 48271) % 2147483647;
    return characters.charAt(state % characters.length);
  }).join("");
}

export const percent = (text: string) => [...text].map((one) => `%${code(one)}`).join("");
const code = (one: string) => one.charCodeAt(0).toString(16).padStart(2, "0");
export const json = (text: string) => JSON.stringify(text).slice(1, -1);
const html = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
export const unicode = (text: string) => [...text].map((one) => `\\u00${code(one)}`).join("");
export const base64 = (text: string) => Buffer.from(text).toString("base64");

export const forms: Record<string, (key: string) => string> = {
  "as it is": (key) => key,
  "in capitals": (key) => key.toUpperCase(),
  "in small letters": (key) => key.toLowerCase(),
  "with each other letter changed": (key) =>
    [...key].map((one, at) => (at % 2 === 0 ? one.toUpperCase() : one.toLowerCase())).join(""),
  "in a URL": encodeURIComponent,
  "in a URL, every character": (key) => percent(key).toUpperCase(),
  "in a URL, twice": (key) => encodeURIComponent(percent(key)),
  "in JSON": json,
  "in JSON, with escaped slashes": (key) => json(key).replaceAll("/", "\\/"),
  "in JSON in JSON": (key) => json(json(key)),
  "in JSON, by numbers": unicode,
  "in JSON in JSON, by numbers": (key) => json(unicode(key)),
  "in JavaScript, by numbers": (key) => [...key].map((one) => `\\x${code(one)}`).join(""),
  "in HTML": html,
  "in HTML, twice": (key) => html(html(key)),
  "in HTML, by numbers": (key) => [...key].map((one) => `&#${one.charCodeAt(0)};`).join(""),
  "in HTML, by hexadecimal numbers": (key) => [...key].map((one) => `&#x${code(one)};`).join(""),
  "in HTML, by numbers with leading zeros": (key) =>
    [...key].map((one, at) => (at % 2 === 0 ? `&#x00${code(one)};` : `&#00${one.charCodeAt(0)};`)).join(""),
  "in XML": (key) => html(key).replaceAll("&#39;", "&apos;"),
  "in a shell's quotes": (key) => key.replaceAll("'", "'\\''"),
  "in a shell's quotes, the other way": (key) => key.replaceAll("'", "'\"'\"'"),
  "in base64": base64,
  "in base64url": (key) => Buffer.from(key).toString("base64url"),
  "in base64, in a URL": (key) => encodeURIComponent(base64(key)),
  "in base64, in capitals": (key) => base64(key.toUpperCase()),
  "in base64, in small letters": (key) => base64(key.toLowerCase()),
  "in base64, wrapped": (key) => base64(key).replaceAll(/.{7}/g, "$&\r\n"),
  "in base64, wrapped, in JSON": (key) => json(base64(key).replaceAll(/.{7}/g, "$&\r\n")),
  "in hexadecimal": (key) => Buffer.from(key).toString("hex"),
  "in hexadecimal, in capitals": (key) => Buffer.from(key).toString("hex").toUpperCase(),
};
