import { type EndpointId, type ErrorStatus, errorCodes } from "../../schemas/api.ts";
import type { WireChange, WireResponse } from "../../service/wire.ts";
import {
  errorResponse,
  isFor,
  type Json,
  objectIn,
  objectOf,
  onResponse,
  onStatus,
  remembering,
  type When,
  withHeader,
  withJson,
  without,
  withoutHeader,
  withText,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";

const json = "service.json/every-response";
const shape = "errors.shape/every-response";

/** Changes the `error` of error responses, of one status or all. */
const onError = (change: (error: Json) => unknown, status?: number): WireChange =>
  onResponse((response) =>
    response.status >= 400 && (status === undefined || response.status === status)
      ? withJson(response, change(objectIn(objectOf(response)?.error)))
      : undefined,
  );

const withCode = (status: ErrorStatus, code: string): WireChange =>
  onError((error) => ({ error: { ...error, code } }), status);

/** Every twentieth request fails with an allowed status and the wrong code for it. */
const sometimes = (status: ErrorStatus, code: string): WireChange =>
  remembering(() => {
    let count = 0;
    return onResponse(() => (++count % 20 === 0 ? errorResponse(status, code) : undefined));
  });

const typed = (type: string, when: (response: WireResponse) => boolean): WireChange =>
  onResponse((response) => (when(response) ? withHeader(response, "content-type", type) : undefined));

const html = (response: WireResponse): WireResponse =>
  withText(
    withHeader(response, "content-type", "text/html; charset=utf-8"),
    `<html><body><h1>${response.status}</h1></body></html>`,
  );

const onSuccess = (endpoint: EndpointId, change: (text: string) => string): WireChange =>
  onStatus(200, (response) => withText(response, change(String(response.body))), isFor(endpoint));

const isUnknownRoute: When = (request) =>
  isFor("other")(request) && !["/v1/products", "/v1/retailers"].includes(request.path);

/** Faults in error responses, in their statuses and codes, and in the JSON of any response. */
export const errorFaults = {
  "code-of-400": {
    does: "Errors with status 400 have the code invalid_request.",
    wire: withCode(400, "invalid_request"),
    fails: ["errors.bad-request/code"],
  },
  "code-of-401": {
    does: "Errors with status 401 have the code invalid_api_key.",
    wire: withCode(401, "invalid_api_key"),
    fails: ["errors.unauthorized/code"],
  },
  "code-of-403": {
    does: "Errors with status 403 have their code in capitals.",
    wire: withCode(403, errorCodes[403].toUpperCase()),
    fails: ["errors.forbidden/code"],
  },
  "code-of-404": {
    does: "Errors with status 404 have the code product_missing.",
    wire: withCode(404, "product_missing"),
    fails: ["errors.not-found/code"],
  },
  "code-of-429": {
    does: "Errors with status 429 have the code too_many_requests.",
    wire: withCode(429, "too_many_requests"),
    fails: ["errors.rate-limited/code"],
  },
  "code-of-500": {
    does: "Every twentieth request gets 500 with the code server_error.",
    wire: sometimes(500, "server_error"),
    fails: ["errors.internal-error/code"],
  },
  "code-of-502": {
    does: "Every twentieth request gets 502 with the code bad_gateway.",
    wire: sometimes(502, "bad_gateway"),
    fails: ["errors.upstream-error/code"],
  },

  "error-flat": {
    does: "Errors have `code` and `message` at the top level, without `error`.",
    wire: onError((error) => error),
    fails: [shape],
  },
  "error-empty-on-401": {
    does: "Responses with status 401 have no body.",
    wire: onStatus(401, (response) => withText(response, "")),
    fails: [shape, json],
  },
  "error-code-missing": {
    does: "Errors have no `code`.",
    wire: onError((error) => ({ error: without("code", error) })),
    fails: ["error-body.code/every-error"],
  },
  "error-message-missing": {
    does: "Errors have no `message`.",
    wire: onError((error) => ({ error: without("message", error) })),
    fails: ["error-body.message/every-error"],
  },

  "content-type-text": {
    does: "Every response has the content type text/plain.",
    wire: typed("text/plain", () => true),
    fails: [json],
  },
  "content-type-missing": {
    does: "Responses have no content type.",
    wire: onResponse((response) => withoutHeader(response, "content-type")),
    fails: ["service.content-type/every-response"],
  },
  "html-on-unknown-route": {
    does: "A path that does not exist gets an HTML page.",
    wire: onResponse((response, request) => (isUnknownRoute(request) ? html(response) : undefined)),
    fails: [json, shape],
  },
  "trailing-text-after-retailers": {
    does: "A line of text follows the JSON of the list of retailers.",
    wire: onSuccess("retailers", (text) => `${text}\n-- end`),
    fails: [json],
  },
  "latin-1": {
    does: "Successful responses are in Latin-1 instead of UTF-8.",
    wire: onStatus(200, (response) => ({
      ...response,
      body: Buffer.from(String(response.body), "latin1"),
    })),
    fails: [json],
  },
  "unknown-route-answered": {
    does: "A path that does not exist gets 200 and an empty object.",
    wire: onStatus(404, (response) => withJson({ ...response, status: 200 }, {}), isFor("other")),
    fails: ["errors.shape/unknown-route"],
  },
  "writing-accepted": {
    does: "PUT, PATCH and DELETE get 200.",
    wire: onResponse((response, { method }) =>
      ["PUT", "PATCH", "DELETE"].includes(method) ? withJson({ ...response, status: 200 }, {}) : undefined,
    ),
    fails: ["service.read-only/writing-methods"],
  },
} satisfies FaultTable;
