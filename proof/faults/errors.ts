import type { ErrorStatus } from "../../schemas/api.ts";
import { isObject } from "../../schemas/json.ts";
import type { WireChange, WireResponse } from "../../service/wire.ts";
import { everySo, instead } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { type FaultTable, foundBy } from "../changes/entry.ts";
import { as, type Json, objectOf, withHeader, withJson, without, withText } from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const json = "service.json/every-response";
const shape = "errors.shape/every-response";

/** Changes the bodies of error responses, of one status or all. */
const onError = (change: (error: Json) => unknown, status?: number): WireChange =>
  on.response((response) => {
    const error = objectOf(response)?.error;
    const isIt = response.status >= 400 && (status === undefined || response.status === status);
    return isIt && isObject(error) ? withJson(response, change(error)) : undefined;
  });

/** Errors with this status have another code. */
const coded = (status: ErrorStatus, code: string): WireChange =>
  onError((error) => ({ error: { ...error, code } }), status);

const html = (response: WireResponse): WireResponse =>
  withText(
    withHeader(response, "content-type", "text/html; charset=utf-8"),
    `<html><body><h1>${response.status}</h1></body></html>`,
  );

const emptied = (response: WireResponse): WireResponse => withJson({ ...response, status: 200 }, {});

const isUnknownRoute: is.When = (request) =>
  is.other(request) && !["/v1/products", "/v1/retailers"].includes(request.path);

/** Faults in error responses, in their statuses and codes, and in the JSON of any response. */
export const errorFaults: readonly FaultTable[] = [
  {
    "code-of-500": {
      does: "Every twentieth request gets 500 with the code server_error.",
      wire: everySo(20, instead(is.always, as(500, "server_error"))),
      fails: ["errors.internal-error/code"],
    },
    "code-of-502": {
      does: "Every twentieth request gets 502 with the code bad_gateway.",
      wire: everySo(20, instead(is.always, as(502, "bad_gateway"))),
      fails: ["errors.upstream-error/code"],
    },
    "error-flat": {
      does: "Errors have `code` and `message` at the top level, without `error`.",
      wire: onError((error) => error),
      fails: [shape],
    },
    "error-message-missing": {
      does: "Errors have no `message`.",
      wire: onError((error) => ({ error: without("message", error) })),
      fails: ["error-body.message/every-error"],
    },
    "unknown-route-answered": {
      does: "An unknown path gets 200 and an empty object.",
      wire: on.status(404, emptied, is.other),
      fails: ["errors.shape/unknown-route"],
    },
    "writing-accepted": {
      does: "PUT, PATCH and DELETE get 200.",
      wire: on.status(405, emptied, ({ method }) => ["PUT", "PATCH", "DELETE"].includes(method)),
      fails: ["service.read-only/writing-methods"],
    },
    "content-type-missing": {
      does: "Responses have no content type.",
      wire: on.response((response) => withHeader(response, "content-type", undefined)),
      fails: ["service.content-type/every-response"],
    },
    "half-a-character": {
      does: "By URL, `title` has half of a surrogate pair.",
      wire: on.text(is.byUrl, (text) => text.replace(/"title":"/, '"title":"\\ud83d ')),
      fails: ["service.json/whole-characters"],
      source: "elizaOS/eliza#18079",
    },
  },
  foundBy("errors.bad-request/code", {
    "code-of-400": ["Errors with status 400 have the code invalid_request.", coded(400, "invalid_request")],
  }),
  foundBy("errors.unauthorized/code", {
    "code-of-401": ["Errors with status 401 have the code invalid_api_key.", coded(401, "invalid_api_key")],
  }),
  foundBy("errors.forbidden/code", {
    "code-of-403": ["Errors with status 403 have their code in capitals.", coded(403, "FORBIDDEN")],
  }),
  foundBy("errors.not-found/code", {
    "code-of-404": ["Errors with status 404 have the code product_missing.", coded(404, "product_missing")],
  }),
  foundBy("errors.rate-limited/code", {
    "code-of-429": ["Errors with status 429 have the code too_many.", coded(429, "too_many")],
  }),
  foundBy([shape, json], {
    "error-empty-on-401": [
      "Responses with status 401 have no body.",
      on.status(401, (response) => withText(response, "")),
    ],
    "html-on-unknown-route": ["An unknown path gets an HTML page.", on.status(404, html, isUnknownRoute)],
  }),
  foundBy("error-body.code/every-error", {
    "error-code-missing": ["Errors have no `code`.", onError((error) => ({ error: without("code", error) }))],
  }),

  foundBy(json, {
    "content-type-text": [
      "Every response has the content type text/plain.",
      on.response((response) => withHeader(response, "content-type", "text/plain")),
    ],
    "trailing-text-after-retailers": [
      "A line of text follows the JSON of the list of retailers.",
      on.text(is.list, (text) => `${text}\n-- end`),
    ],
    "latin-1": [
      "Successful responses are in Latin-1 instead of UTF-8.",
      on.status(200, (response) => ({ ...response, body: Buffer.from(String(response.body), "latin1") })),
    ],
    "byte-order-mark": [
      "Category pages begin with a byte order mark.",
      on.text(is.page, (text) => `\ufeff${text}`),
    ],
  }),
  foundBy("service.json/repeated-names", {
    "repeated-name-null-first": [
      "By id, `currency` appears twice, first as null.",
      on.text(is.byId, (text) => text.replace(/^\{/, '{"currency":null,')),
      "ProxymanApp/Proxyman#1461",
    ],
    "repeated-name-in-list": [
      "In the list of retailers, `domains` appears twice with different values.",
      on.text(is.list, (text) => text.replace('"domains":', '"domains":["one.example"],"domains":')),
      "stoatchat/stoatchat#286",
    ],
  }),
  foundBy("service.portable-json/every-response", {
    "repeated-name-alike": [
      "On category pages, `retailer` appears twice with the same value.",
      on.text(is.page, (text) => text.replace(/("retailer":"[^"]*"),/, "$1,$1,")),
      "apache/polaris#915",
    ],
    "number-beyond-a-double": [
      "By id, a number has more digits than a double holds.",
      on.text(is.byId, (text) => text.replace(/^\{/, '{"catalog_number":1285704473650888702,')),
      "tornadoweb/tornado#2908",
    ],
  }),
];
