import type { SharedFields } from "../contracts/finding-fields.ts";
import { counted, listed } from "./format.ts";
import { code } from "./values.ts";

type From = SharedFields["from"];

/** A gateway as the subject of a sentence, by its own name if it is known. */
export function gatewayName(name: string | undefined): string {
  return name === undefined || name === ""
    ? "Something in front of the service"
    : `A gateway (${code(name)})`;
}

/** What gave a response, as the subject of a sentence. */
export function responderName(from: From): string {
  if (from === undefined) return "The target";
  if (from.by === "cache") return from.cache === undefined ? "A cache" : `A cache (${code(from.cache)})`;
  if (from.by === "connection") return "A connection that keeps a refusal";
  if (from.by === "instance") return "One of several instances";
  if (from.by === "between") return gatewayName(from.name);
  return from.name === undefined
    ? "The service, or something in front of it,"
    : `${code(from.name)}, or the service behind it,`;
}

const mostHeaders = 2;

/** The sentence that a response is not, or may not be, the service's own; none if it is, or if nothing is known of its sender. */
export function responderSentence(from: From): string {
  if (from?.cache !== undefined) return ` The response comes from a cache (${code(from.cache)}).`;
  if (from?.control !== undefined)
    return ` The same request with one unused parameter got another response (${from.control}): a cache seems to have given this one.`;
  if (from?.apart !== undefined)
    return ` On a connection of its own, the same request got another response (${from.apart}): a refusal stays on its connection.`;
  if (from?.sameWithoutQuery === true)
    return from.parameter === undefined
      ? " The same request without its query got the same response: the query does not arrive, or a cache ignores it."
      : ` The same request without ${code(from.parameter)} got the same response: the parameter does not arrive, or the service or a cache ignores it.`;
  if (from?.isWithoutKey === true)
    return " It is the response to a request without a key: this header does not arrive at the service, or the service does not read it.";
  if (from?.isDecodedTwice === true)
    return " Percent-encoded once more, the same id was found: the service, or something in front of it, decodes the path twice.";
  if (from?.answers !== undefined)
    return ` It comes and goes, as if instances differ: the same request got ${answersIn(from.answers)}.`;
  const lacking = withoutHeaders(from?.lacks ?? []);
  if (from?.by === "unclear" && (from.name !== undefined || lacking !== ""))
    return ` ${responderName(from)} gave the response${lacking}.`;
  if (from?.by !== "between") return "";
  const sender =
    from.name === undefined ? "something in front of the service" : `a gateway (${code(from.name)})`;
  return ` The response comes from ${sender}${lacking}.`;
}

function answersIn(answers: NonNullable<NonNullable<From>["answers"]>): string {
  const areAlike = new Set(answers.map(({ status }) => status)).size === 1;
  const named = answers.map(({ status, count }, at) => {
    const name = !areAlike ? `${status}` : at === 0 ? `one response with ${status}` : "another one";
    return `${name} (${counted(count, "time")})`;
  });
  return listed(named);
}

function withoutHeaders(lacks: readonly string[]): string {
  if (lacks.length === 0) return "";
  const shown = lacks.slice(0, mostHeaders).map(code);
  const more = lacks.length - shown.length;
  const all = more > 0 ? [...shown, counted(more, "more header")] : shown;
  return `: it lacks ${listed(all)}, which every response has that is certainly the service's`;
}
