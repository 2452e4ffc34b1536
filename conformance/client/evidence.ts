import { excerptOf } from "../../schemas/excerpt.ts";
import { markOf } from "../../schemas/redaction.ts";
import type { Evidence } from "../../schemas/types.ts";
import type { Exchange } from "./exchange.ts";
import type { Redaction } from "./redaction.ts";

const longestBody = 4000;
/** Places of one body that are shown. */
const mostExcerpts = 5;

/** What else of an exchange is kept than what can be read at once. */
interface EvidenceParts {
  /** JSON Pointers to the places that findings name: the body around them is kept, however long it is. */
  readonly paths?: readonly string[];
  /** JSON Pointers into the body of the request: the items of a batch that findings are about. */
  readonly sent?: readonly string[];
  /** Takes a body, without keys, that is too long to be shown whole; returns the name of its file, if it has room. */
  readonly keepBody?: (text: string) => string | undefined;
}

/** An exchange as it is shown to people: without keys, with as much of the body as can be read. */
export function evidenceOf(
  { request, response }: Exchange,
  redaction: Redaction,
  { paths = [], sent = [], keepBody }: EvidenceParts = {},
): Evidence {
  const { redact, redactHeaders, excerpt, variables } = redaction;
  const excerptsOf = (body: unknown, places: readonly string[]) =>
    places.length === 0 || body === undefined
      ? {}
      : {
          excerpts: [...new Set(places)].slice(0, mostExcerpts).map((path) => excerptOf(body, path, redact)),
        };
  const shown = {
    method: request.method,
    url: redact(request.url),
    headers: redactHeaders(request.headers),
    ...(request.body === undefined ? {} : { body: redact(request.body) }),
  };
  const body = excerpt(response.text, longestBody);
  const mark = markOf(response.text);
  const isCut = response.text.length > longestBody && body.endsWith(mark);
  const file = isCut ? keepBody?.(redact(response.text)) : undefined;
  return {
    request: {
      ...shown,
      ...(request.body === undefined || sent.length === 0 ? {} : excerptsOf(parsed(request.body), sent)),
    },
    response: {
      status: response.status,
      headers: redactHeaders(response.headers),
      body,
      ...(isCut
        ? {
            cut: {
              shown: body.length - mark.length,
              of: response.text.length,
              ...(file === undefined ? {} : { file }),
            },
          }
        : {}),
      ...excerptsOf(response.json, paths),
      milliseconds: Math.round(response.milliseconds * 10) / 10,
    },
    curl: curlOf(shown, variables),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The request, without secrets, as a command line for a POSIX shell; they come from the environment.
 * @param variables Those that stand, after a `$`, in the place of secrets.
 */
export function curlOf(request: Exchange["request"], variables: readonly string[]): string {
  const placeholders = variables.map((name) => `$${name}`);
  const quote = (text: string): string => quoted(text, placeholders);
  const method = request.method === "GET" ? [] : ["-X", request.method];
  const headers = Object.entries(request.headers).flatMap(([name, value]) => [
    "-H",
    // curl leaves a header out that has nothing after its colon.
    quote(value === "" ? `${name};` : `${name}: ${value}`),
  ]);
  const body = request.body === undefined ? [] : ["--data-raw", quote(request.body)];
  return [
    "curl",
    "-sS",
    "-i",
    "--path-as-is",
    "--globoff",
    ...method,
    ...headers,
    ...body,
    quote(request.url),
  ].join(" ");
}

// Single quotes keep everything literal but the keys' variables, which stand in double quotes to be expanded.
function quoted(text: string, placeholders: readonly string[]): string {
  const longestFirst = placeholders.toSorted((a, b) => b.length - a.length).map(RegExp.escape);
  return text
    .split(new RegExp(`(${longestFirst.join("|")})`))
    .filter((part) => part !== "")
    .map((part) => (placeholders.includes(part) ? `"${part}"` : `'${part.replaceAll("'", `'\\''`)}'`))
    .join("");
}
