import type { SharedFields } from "../contracts/finding-fields.ts";
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
  if (from.by === "between") return gatewayName(from.name);
  return from.name === undefined
    ? "The service, or something in front of it,"
    : `${code(from.name)}, or the service behind it,`;
}

/** The sentence that a response is not, or may not be, the service's own; none if it is, or if nothing is known of its sender. */
export function responderSentence(from: From): string {
  if (from?.cache !== undefined) return ` The response comes from a cache (${code(from.cache)}).`;
  if (from?.by === "unclear" && from.name !== undefined) return ` ${responderName(from)} gave the response.`;
  if (from?.by !== "between") return "";
  const sender =
    from.name === undefined ? "something in front of the service" : `a gateway (${code(from.name)})`;
  return ` The response comes from ${sender}.`;
}
