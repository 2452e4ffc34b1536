import {
  bodyOf,
  type Change,
  errorAnswer,
  type Json,
  onAnswer,
  onStatus,
  remembering,
} from "../changes/answer-changes.ts";
import { faultsOf } from "./fault.ts";

const shape = "Every error response has the Error body shape `{ error: { code, message } }`.";

const onErrorBody = (change: (error: Json) => unknown, status?: number): Change =>
  onAnswer((answer) => {
    if (answer.status < 400 || (status !== undefined && answer.status !== status)) return undefined;
    const body = bodyOf(answer);
    return { ...answer, body: change((body.error ?? {}) as Json) as object };
  });

const withCode = (status: number, code: string): Change =>
  onStatus(status, (answer) => ({ ...errorAnswer(status, code), headers: answer.headers }));

/** Every twentieth answer fails, in an allowed status with a code that is not its own. */
const sometimes = (status: number, code: string): Change =>
  remembering(() => {
    let answers = 0;
    return onAnswer(() => (++answers % 20 === 0 ? errorAnswer(status, code) : undefined));
  });

export const errorFaults = [
  ...faultsOf("Errors", [
    [
      "wrong-code",
      "error.code-404",
      "404 | not_found | No matching product.",
      withCode(404, "product_missing"),
    ],
    [
      "code-400-invalid-request",
      "error.code-400",
      "400 | bad_request | Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
      withCode(400, "invalid_request"),
    ],
    [
      "code-401-invalid-key",
      "error.code-401",
      "401 | unauthorized | API key missing or invalid.",
      withCode(401, "invalid_api_key"),
    ],
    [
      "code-403-upper-case",
      "error.code-403",
      "403 | forbidden | Key valid but not entitled to the request (for example a retailer not granted).",
      withCode(403, "FORBIDDEN"),
    ],
    [
      "code-429-too-many",
      "error.code-429",
      "429 | rate_limited | Rate limit exceeded. The `Retry-After` response header gives the seconds to wait.",
      withCode(429, "too_many_requests"),
    ],
    [
      "code-500-server-error",
      "error.code-500",
      "500 | internal_error | Failure on the service side.",
      sometimes(500, "server_error"),
    ],
    [
      "code-502-bad-gateway",
      "error.code-502",
      "502 or 504 | upstream_error | The internal catalog returned an error or timed out.",
      sometimes(502, "bad_gateway"),
    ],
    [
      "code-504-internal-error",
      "error.code-504",
      "502 or 504 | upstream_error | The internal catalog returned an error or timed out.",
      sometimes(504, "internal_error"),
    ],
    [
      "unentitled-as-unknown",
      "retailer.unentitled-403",
      "An unknown retailer slug gives 400 and an unentitled one gives 403.",
      onStatus(403, () => errorAnswer(400, "bad_request")),
    ],
    ["error-flat", "error.shape", shape, onErrorBody((error) => error)],
    ["error-flat-on-403", "error.shape", shape, onErrorBody((error) => error, 403)],
    ["error-flat-on-404", "error.shape", shape, onErrorBody((error) => error, 404)],
    ["error-flat-on-429", "error.shape", shape, onErrorBody((error) => error, 429)],
    ["error-is-text", "error.shape", shape, onErrorBody((error) => ({ error: error.message }))],
    ["error-in-list", "error.shape", shape, onErrorBody((error) => ({ errors: [error] }))],
    ["error-empty-on-401", "error.shape", shape, onStatus(401, (answer) => ({ ...answer, body: "" }))],
  ]),
  ...faultsOf("Error body", [
    [
      "error-code-missing",
      "error.code-present",
      "error.code | string | Stable machine-readable code (see Errors).",
      onErrorBody(({ code: _code, ...error }) => ({ error })),
    ],
    [
      "error-code-number",
      "error.code-present",
      "error.code | string | Stable machine-readable code (see Errors).",
      onAnswer((answer) =>
        answer.status >= 400
          ? { ...answer, body: { error: { ...(bodyOf(answer).error as Json), code: answer.status } } }
          : undefined,
      ),
    ],
    [
      "error-message-missing",
      "error.message-present",
      "error.message | string | Human-readable text.",
      onErrorBody(({ message: _message, ...error }) => ({ error })),
    ],
    [
      "error-message-null",
      "error.message-present",
      "error.message | string | Human-readable text.",
      onErrorBody((error) => ({ error: { ...error, message: null } })),
    ],
    [
      "error-message-list",
      "error.message-present",
      "error.message | string | Human-readable text.",
      onErrorBody((error) => ({ error: { ...error, message: [error.message] } }), 400),
    ],
  ]),
];
