import { badRequest } from "../refusal.ts";

/**
 * Reads a query strictly: `+` is a space, each parameter comes at most once, a percent-encoding must be
 * well-formed UTF-8. A map of decoded names to decoded values.
 * @throws Refusal 400 for anything else; "one request uses exactly one mode" leaves no room for guessing.
 */
export function parseQuery(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (parameters.has(name)) throw badRequest("A query parameter is given twice.");
    parameters.set(name, equals === -1 ? "" : decode(pair.slice(equals + 1)));
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badRequest("The query is not well-formed: percent-encode it as UTF-8.");
  }
}
