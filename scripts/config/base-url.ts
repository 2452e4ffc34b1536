import { UsageError } from "../errors.ts";

/**
 * Parses a base URL: http or https, ending in /v1 (spec, Versioning), returned without a slash at the end.
 *
 * @param where The flag, variable or key in the config that it comes from.
 * @throws UsageError. The message never repeats credentials or a query, which may hold a secret.
 */
export function parseBaseUrl(text: string, where: string): string {
  const wrong = (what: string, fix: string): UsageError =>
    new UsageError({ what: `The base URL ${what}`, where, fix });
  const example = "for example https://catalog.example.com/v1";
  if (text !== text.trim())
    throw wrong("begins or ends with a space or a line break", `Remove it, ${example}.`);
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    throw wrong("has no scheme", `Expected http:// or https:// in front, ${example}.`);
  const url = URL.parse(text);
  if (url === null) throw wrong("is not a valid URL", `Expected scheme, host and /v1, ${example}.`);
  const { protocol, username, password, origin } = url;
  if (protocol !== "http:" && protocol !== "https:")
    throw wrong(`has the scheme ${protocol.slice(0, -1)}`, `Expected http or https, ${example}.`);
  if (username !== "" || password !== "")
    throw wrong(
      "contains a user name or password",
      "Remove them: reports show the URL. API keys belong in environment variables (SHELFCHECK_API_KEY).",
    );
  if (/[?#]/.test(text))
    throw wrong("has a query or a fragment", `Expected only scheme, host and path, ${example}.`);
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/v1")) return `${origin}${path}`;
  const likely = `${origin}${path.replace(/\/v\d+(\/.*)?$/i, "")}/v1`;
  throw wrong("does not end in /v1", `Expected it to end in the version segment /v1: ${likely}`);
}
