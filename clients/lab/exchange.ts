import { retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
import type { SituationId } from "../../schemas/contracts/client-findings.ts";
import type { WireRequest, WireResponse } from "../../service/wire.ts";
import { parsedObject } from "./request.ts";

/** A request of a client and the response that it got. Times are in milliseconds since the run began. */
export interface ClientExchange {
  /** Position in the run, from 0, in the order in which requests arrived. */
  readonly index: number;
  readonly request: WireRequest;
  /** What it asks for: see `targetOf`. */
  readonly target: string;
  readonly response: WireResponse;
  /** When the request had arrived completely. */
  readonly at: number;
  /** When the response was sent. */
  readonly end: number;
  /** The process that sent it; undefined where the system does not say. */
  readonly process: number | undefined;
  /** When its connection was opened. */
  readonly connectedAt: number;
  readonly isFirstOnConnection: boolean;
  /** What the service played for it, if anything. */
  readonly situation: SituationId | undefined;
  /** Whether the message of this error has another wording than the service gives it by itself. */
  readonly isReworded: boolean;
}

/** The seconds that a refused request has to wait; undefined for any other response. */
export function waitOf({
  response: { status, headers },
}: Pick<ClientExchange, "response">): number | undefined {
  return status === 429 ? retryAfterSeconds(headers[retryAfterHeader.toLowerCase()]) : undefined;
}

/** The parsed body of a response, or undefined where it is no JSON object. */
export function bodyOf({
  response,
}: Pick<ClientExchange, "response">): Readonly<Record<string, unknown>> | undefined {
  return parsedObject(response.body);
}
