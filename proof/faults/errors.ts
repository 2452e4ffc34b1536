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
  "code-of-400": { wire: withCode(400, "invalid_request"), fails: ["errors.bad-request/code"] },
  "code-of-401": { wire: withCode(401, "invalid_api_key"), fails: ["errors.unauthorized/code"] },
  "code-of-403": {
    wire: withCode(403, errorCodes[403].toUpperCase()),
    fails: ["errors.forbidden/code"],
  },
  "code-of-404": { wire: withCode(404, "product_missing"), fails: ["errors.not-found/code"] },
  "code-of-429": { wire: withCode(429, "too_many_requests"), fails: ["errors.rate-limited/code"] },
  "code-of-500": {
    wire: sometimes(500, "server_error"),
    fails: ["errors.internal-error/code"],
    mayFail: { "authentication.equivalent": "one of two responses that are compared may be such a failure" },
  },
  "code-of-502": { wire: sometimes(502, "bad_gateway"), fails: ["errors.upstream-error/code"] },
  "code-of-504": { wire: sometimes(504, errorCodes[500]), fails: ["errors.upstream-error/code"] },

  "error-flat": { wire: onError((error) => error), fails: [shape] },
  "error-flat-on-403": { wire: onError((error) => error, 403), fails: [shape] },
  "error-flat-on-404": { wire: onError((error) => error, 404), fails: [shape] },
  "error-flat-on-429": { wire: onError((error) => error, 429), atLimit: true, fails: [shape] },
  "error-is-text": { wire: onError(({ message }) => ({ error: message })), fails: [shape] },
  "error-in-list": { wire: onError((error) => ({ errors: [error] })), fails: [shape] },
  "error-empty-on-401": {
    wire: onStatus(401, (response) => withText(response, "")),
    fails: [shape, json],
  },
  "error-code-missing": {
    wire: onError((error) => ({ error: without("code", error) })),
    fails: ["error-body.code/every-error"],
  },
  "error-code-number": {
    wire: onError((error) => ({ error: { ...error, code: 7 } })),
    fails: ["error-body.code/every-error"],
  },
  "error-message-missing": {
    wire: onError((error) => ({ error: without("message", error) })),
    fails: ["error-body.message/every-error"],
  },
  "error-message-null": {
    wire: onError((error) => ({ error: { ...error, message: null } })),
    fails: ["error-body.message/every-error"],
  },
  "error-message-list": {
    wire: onError((error) => ({ error: { ...error, message: [error.message] } }), 400),
    fails: ["error-body.message/every-error"],
  },

  "content-type-text": { wire: typed("text/plain", () => true), fails: [json] },
  "content-type-text-on-success": {
    wire: typed("text/plain", ({ status }) => status === 200),
    fails: [json],
  },
  "content-type-text-on-errors": { wire: typed("text/plain", ({ status }) => status >= 400), fails: [json] },
  "content-type-text-in-batch": {
    wire: onResponse((response, request) =>
      isFor("batch")(request) ? withHeader(response, "content-type", "text/plain") : undefined,
    ),
    fails: [json],
  },
  "content-type-missing": {
    wire: onResponse((response) => withoutHeader(response, "content-type")),
    fails: ["service.content-type/every-response"],
  },
  "html-on-401": { wire: onStatus(401, html), fails: [json, shape] },
  "html-on-404": { wire: onStatus(404, html), fails: [json, shape] },
  "html-on-unknown-route": {
    wire: onResponse((response, request) => (isUnknownRoute(request) ? html(response) : undefined)),
    fails: [json, shape],
  },
  "trailing-text-after-retailers": {
    wire: onSuccess("retailers", (text) => `${text}\n-- end`),
    fails: [json],
    mayFail: { "retailers.shape": "what cannot be read has no list" },
  },
  "single-quotes-by-gtin": {
    wire: onSuccess("lookup-by-gtin", (text) => text.replaceAll('"', "'")),
    fails: [json],
    mayFail: {
      "product.same-shape": "what cannot be read has no fields",
      "query.gtin-mismatch": "what cannot be read shows no product",
    },
  },
  "latin-1": {
    wire: onStatus(200, (response) => ({
      ...response,
      body: Buffer.from(String(response.body), "latin1"),
    })),
    fails: [json],
    mayFail: {
      "retailers.shape": "what cannot be read has no list",
      "query.paging": "a page that cannot be read shows no products",
    },
  },
  "unknown-route-answered": {
    wire: onStatus(404, (response) => withJson({ ...response, status: 200 }, {}), isFor("other")),
    fails: ["errors.shape/unknown-route"],
  },
  "writing-accepted": {
    wire: onResponse((response, { method }) =>
      ["PUT", "PATCH", "DELETE"].includes(method) ? withJson({ ...response, status: 200 }, {}) : undefined,
    ),
    fails: ["service.read-only/writing-methods"],
  },
} satisfies FaultTable;
