import type { SharedFields } from "../contracts/finding-fields.ts";
import { capitalized } from "./format.ts";
import { code } from "./values.ts";

type From = SharedFields["from"];

/** A gateway by its own name, if it is known. */
export function gateway(name: string | undefined): string {
  return name === undefined || name === ""
    ? "something in front of the service"
    : `a gateway (${code(name)})`;
}

/** The same as the subject of a sentence. */
export function gatewayName(name: string | undefined): string {
  return capitalized(gateway(name));
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
  return from?.by === "between" ? ` The response comes from ${gateway(from.name)}.` : "";
}
