import { type ErrorCode, errorCodeOf, errorCodes, keyHeaders, retryAfterHeader } from "../schemas/api.ts";

/** An error response (spec, Errors); the message is sent to the client. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  /** A status that is not in the spec's table is a client error of HTTP and has the code of 400. */
  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = errorCodeOf(status) ?? errorCodes[400];
    this.headers = headers;
  }
}

export const badRequest = (message: string) => new HttpError(400, message);
export const forbidden = (message: string) => new HttpError(403, message);
export const notFound = (message: string) => new HttpError(404, message);

export const unauthorized = () =>
  new HttpError(
    401,
    `Send a valid API key as \`${keyHeaders.bearer}: Bearer <API_KEY>\` or \`${keyHeaders.plain}: <API_KEY>\`.`,
    { "www-authenticate": "Bearer" },
  );

export const rateLimited = (seconds: number) =>
  new HttpError(429, `Too many requests. Wait ${seconds} s.`, {
    [retryAfterHeader.toLowerCase()]: String(seconds),
  });

/** An unexpected error; the message gives no details. */
export const internalError = () => new HttpError(500, "Something went wrong on our side.");
export const upstreamFailed = () => new HttpError(502, "The product catalog answered with an error.");
export const upstreamSilent = () => new HttpError(504, "The product catalog did not answer in time.");
