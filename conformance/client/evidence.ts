import type { Evidence } from "../../schemas/contracts/evidence.ts";
import type { Responder } from "../../schemas/gateway.ts";
import { hiddenByParsers } from "../../schemas/json-text.ts";
import { markOf } from "../../schemas/redaction.ts";
import { traceparentHeader } from "../../schemas/request-id.ts";
import { excerptOf } from "../../schemas/words/excerpt.ts";
import type { Exchange } from "./exchange.ts";
import type { RequestAsSent } from "./no-response.ts";
import type { Redaction } from "./redaction.ts";

const longestBody = 4000;
const mostExcerpts = 5;

/** Which parts of an exchange are kept besides the shortened body. */
interface EvidenceParts {
  /** JSON Pointers to what findings name. An excerpt around each is kept, however long the body is. */
  readonly paths?: readonly string[];
  /** Who gave the response, unless it is the service. */
  readonly from?: Responder;
}

type ShownResponse = Pick<Exchange["response"], "status" | "headers" | "text" | "json" | "milliseconds">;

/** An exchange as reports show it: redacted, with a shortened body and excerpts. */
export function evidenceOf(
  {
    request,
    response,
    sentAt,
    purpose,
  }: Pick<Exchange, "request" | "sentAt" | "purpose"> & { readonly response: ShownResponse },
  redaction: Redaction,
  { paths = [], from }: EvidenceParts = {},
): Evidence {
  const { redact, redactHeaders, redactRequest, excerpt, placeholders, curl } = redaction;
  const { status, text, json, milliseconds } = response;
  const shown = redactRequest(request);
  const places = json === undefined ? [] : [...new Set(paths)].slice(0, mostExcerpts);
  const excerpts = places.map((path) => excerptOf(json, path, redact, hiddenByParsers(response)));
  const body = excerpt(text, longestBody);
  const mark = markOf(text);
  const isCut = text.length > longestBody && body.endsWith(mark);
  return {
    request: shown,
    response: {
      status,
      headers: redactHeaders(response.headers),
      body,
      ...(isCut && { cut: { shown: body.length - mark.length, of: text.length } }),
      ...(excerpts.length > 0 && { excerpts }),
      milliseconds: Math.round(milliseconds * 10) / 10,
      from,
    },
    burst: purpose === "burst" || undefined,
    startedAt: sentAt === undefined ? undefined : new Date(sentAt).toISOString(),
    curl: curlOf(shown, placeholders, curl),
  };
}

/** Codings that curl can read. */
const curlCodings = /^(gzip|deflate|br|zstd)(, ?(gzip|deflate|br|zstd))*$/;

/**
 * The request as a curl command for a POSIX shell, with environment variables in place of secrets.
 * @param shown what is shown in place of secrets
 * @param options with which curl reaches the target. Default: none
 */
export function curlOf(
  { method, url, headers, body }: RequestAsSent,
  shown: readonly string[],
  options: readonly string[] = [],
): string {
  const quote = quoting(shown, "utf8");
  const quoteHeader = quoting(shown, "latin1");
  const isCompressed = ([name, value]: readonly [string, string]) =>
    name.toLowerCase() === "accept-encoding" && curlCodings.test(value);
  // The id belongs to the request of the run. curl accepts any type by itself.
  const sent = Object.entries(headers).filter(
    ([name, value]) =>
      name.toLowerCase() !== traceparentHeader && !(name.toLowerCase() === "accept" && value === "*/*"),
  );
  // What curl would add by itself.
  const added = ["accept", "user-agent", ...(body === undefined ? [] : ["content-type"])];
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  return [
    "curl",
    quote(url),
    "-sS -i",
    // After -X HEAD, curl would wait for a body.
    ...(method === "GET" ? [] : method === "HEAD" && body === undefined ? ["-I"] : ["-X", method]),
    // curl drops a header with nothing after its colon.
    ...sent.map(([name, value]) => `-H ${quoteHeader(value === "" ? `${name};` : `${name}: ${value}`)}`),
    ...added.flatMap((name) => (names.has(name) ? [] : `-H '${name}:'`)),
    ...(body === undefined ? [] : ["--data-raw", quote(body)]),
    // Without these two curl would change such a URL: it expands brackets, and removes segments of dots.
    ...(/[[\]{}]/.test(url) ? ["--globoff"] : []),
    ...(/\/\.{1,2}(?=[/?#]|$)/.test(url) ? ["--path-as-is"] : []),
    // A terminal cannot show what the request allowed the service to compress.
    ...(sent.some(isCompressed) ? ["--compressed"] : []),
    ...options.map((option) => (/^(--|\$)/.test(option) ? option.replace(/^\$.*/, `"$&"`) : quote(option))),
  ].join(" ");
}

/** Of bodies and URLs, and of headers (RFC 9110, 5.5). */
type Encoding = "utf8" | "latin1";

/** Quotes keep everything literal. The variables of the keys need double quotes to be expanded. */
function quoting(placeholders: readonly string[], encoding: Encoding): (text: string) => string {
  const longestFirst = placeholders.toSorted((a, b) => b.length - a.length).map(RegExp.escape);
  const variable = new RegExp(`(${longestFirst.join("|")})`);
  return (text) =>
    text
      .split(variable)
      .filter((part) => part !== "")
      .map((part) => (placeholders.includes(part) ? `"${part}"` : quoted(part, encoding)))
      .join("");
}

/** Invisible and bidirectional characters, which reports show by a mark. */
export const marked = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A word of a command; what cannot be shown as it is in bytes, as bash and zsh read it. */
function quoted(part: string, encoding: Encoding): string {
  const inBytes = encoding === "utf8" ? marked : /[^ -~]/g;
  if (part.search(inBytes) < 0) return `'${part.replaceAll("'", `'\\''`)}'`;
  const bytesOf = (character: string) =>
    Buffer.from(character, encoding).toString("hex").replaceAll(/../g, "\\x$&");
  return `$'${part.replaceAll(/[\\']/g, "\\$&").replaceAll(inBytes, bytesOf)}'`;
}
