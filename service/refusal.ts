import type { Answer } from "./call.ts";

/** Codes of the spec's table of errors. */
export type ErrorCode =
  | "bad_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "rate_limited"
  | "internal_error"
  | "upstream_error";

/** A request that is not answered with 200: spec, Errors. The message goes to the client. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: ErrorCode, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export const badRequest = (message: string) => new Refusal(400, "bad_request", message);
export const forbidden = (message: string) => new Refusal(403, "forbidden", message);
export const notFound = (message: string) => new Refusal(404, "not_found", message);

export const unauthorized = () =>
  new Refusal(
    401,
    "unauthorized",
    "Send a valid API key as `Authorization: Bearer <API_KEY>` or `X-Api-Key: <API_KEY>`.",
    { "www-authenticate": "Bearer" },
  );

export const rateLimited = (seconds: number) =>
  new Refusal(429, "rate_limited", `Too many requests. Wait ${seconds} s.`, {
    "retry-after": String(seconds),
  });

export const upstreamFailed = () =>
  new Refusal(502, "upstream_error", "The product catalog answered with an error.");
export const upstreamSilent = () =>
  new Refusal(504, "upstream_error", "The product catalog did not answer in time.");

/** Anything unforeseen: the message tells nothing of the inside. */
export const internalError = () => new Refusal(500, "internal_error", "Something went wrong on our side.");

/** The answer for a refusal: spec, Error body. */
export function refusalAnswer(refusal: Refusal): Answer {
  return {
    status: refusal.status,
    headers: refusal.headers,
    body: { error: { code: refusal.code, message: refusal.message } },
  };
}
