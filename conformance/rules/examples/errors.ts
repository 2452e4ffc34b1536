import type { Exchange } from "../../client/exchange.ts";
import { errorOf, exchangeOf } from "../../testing/stub-exchange.ts";
import { type ExamplesByRule, goodProduct, lookup, type RuleExamples } from "./example.ts";

const withError = (error: unknown, status = 400) => lookup({ error }, { status });
const html = (status: number, text = "<h1>oops</h1>") =>
  exchangeOf("other", undefined, { status, text, headers: { "content-type": "text/html" } });

/** Examples of the rule that a status has its code. */
function row(statuses: readonly [number, ...number[]], code: string, other: string): RuleExamples {
  const [status] = statuses;
  const named = (seen: string) => `status ${status} with code ${JSON.stringify(seen)} instead of "${code}"`;
  return {
    holds: [
      errorOf(status, code),
      ...statuses.map((one) => errorOf(one, code, { endpoint: "retailers", caller: "otherOrg" })),
      withError({ code, message: "No.", details: [1] }, status),
    ],
    breaks: [
      [errorOf(status, other), named(other)],
      [errorOf(status, code.toUpperCase()), named(code.toUpperCase())],
      [errorOf(status, `${code} `), named(`${code} `)],
    ],
    // Another status, success with that code in its body, and what has no error shape.
    silent: [
      errorOf(418, other),
      lookup({ error: { code, message: "x" } }),
      html(status),
      withError({}, status),
    ],
  };
}

const refused = (headers: Readonly<Record<string, string>>) => errorOf(429, "rate_limited", { headers });

const rateLimited = row([429], "rate_limited", "too_many_requests");

const { response, ...asked } = lookup(goodProduct);
const untyped: Exchange = { ...asked, response: { ...response, headers: {} } };

export const errorExamples: ExamplesByRule = {
  "errors.shape/every-answer": {
    holds: [errorOf(404, "not_found"), withError({}, 500), errorOf(418, "teapot")],
    breaks: [
      [html(502), "status 502 with a body that is not JSON"],
      [html(404, ""), "status 404 with a body that is not JSON"],
      [
        lookup({ code: "not_found", message: "No." }, { status: 404 }),
        "status 404: the body has no object under error",
      ],
      [withError("not_found", 404), "status 404: the body has no object under error"],
      [withError(["not_found"], 404), "status 404: the body has no object under error"],
      [lookup(null, { status: 500 }), "status 500: the body has no object under error"],
    ],
    silent: [
      lookup(goodProduct),
      exchangeOf("other", undefined, { status: 302, text: "" }),
      // An answer to HEAD has no body.
      exchangeOf("other", undefined, { status: 404, text: "", method: "HEAD" }),
    ],
  },
  "error-body.code/every-error": {
    holds: [errorOf(404, "not_found"), errorOf(418, "anything")],
    breaks: [
      [withError({ message: "No." }), "error.code is missing"],
      [withError({ code: 400, message: "No." }), "error.code is 400"],
      [withError({ code: " ", message: "No." }), 'error.code is " "'],
      [withError({ code: null, message: "No." }), "error.code is null"],
    ],
    silent: [lookup({ error: { code: 1 } }), html(500), withError("x")],
  },
  "error-body.message/every-error": {
    holds: [errorOf(404, "not_found"), withError({ code: "bad_request", message: "Schlüssel fehlt 🗝" })],
    breaks: [
      [withError({ code: "bad_request" }), "error.message is missing"],
      [withError({ code: "bad_request", message: "" }), 'error.message is ""'],
      [withError({ code: "bad_request", message: { en: "No." } }), 'error.message is {"en":"No."}'],
    ],
    silent: [lookup({ error: { message: 1 } }), html(500), withError("x")],
  },
  "errors.bad-request/code": row([400], "bad_request", "invalid_request"),
  "errors.unauthorized/code": row([401], "unauthorized", "forbidden"),
  "errors.forbidden/code": row([403], "forbidden", "unauthorized"),
  "errors.not-found/code": row([404], "not_found", "bad_request"),
  "errors.rate-limited/code": {
    ...rateLimited,
    // What clients wait for must say so by its status as well.
    breaks: [...rateLimited.breaks, [errorOf(503, "rate_limited"), 'code "rate_limited" with status 503']],
  },
  "errors.internal-error/code": row([500], "internal_error", "upstream_error"),
  "errors.upstream-error/code": row([502, 504], "upstream_error", "internal_error"),
  "errors.retry-after/every-refusal": {
    holds: [refused({ "retry-after": "0" }), refused({ "retry-after": "30" })],
    breaks: [
      [refused({}), "Retry-After is missing"],
      [refused({ "retry-after": "1.5" }), 'Retry-After is "1.5"'],
      [refused({ "retry-after": "-1" }), 'Retry-After is "-1"'],
      [
        refused({ "retry-after": "Sat, 21 Nov 2026 08:34:22 GMT" }),
        'Retry-After is "Sat, 21 Nov 2026 08:34:22 GMT"',
      ],
    ],
    silent: [errorOf(503, "x", { headers: { "retry-after": "soon" } }), lookup(goodProduct)],
  },
  "service.json/every-response": {
    holds: [
      lookup(goodProduct),
      errorOf(404, "not_found", { headers: { "content-type": "application/json; charset=utf-8" } }),
      lookup(null, { headers: { "content-type": "APPLICATION/JSON" } }),
      lookup({}, { headers: { "content-type": "application/problem+json" } }),
      untyped,
    ],
    breaks: [
      [lookup({}, { headers: { "content-type": "text/html" } }), "status 200: the content type is text/html"],
      [
        lookup({}, { headers: { "content-type": "application/jsonp" } }),
        "status 200: the content type is application/jsonp",
      ],
      [html(404), "status 404: the body is not JSON"],
      [html(200, ""), "status 200: the body is not JSON"],
      [lookup({}, { utf8: false }), "status 200: the body is not UTF-8"],
    ],
    silent: [html(204, ""), html(304, ""), exchangeOf("other", undefined, { text: "", method: "HEAD" })],
  },
  "service.content-type/every-response": {
    holds: [lookup(goodProduct), lookup({}, { headers: { "content-type": "text/html" } })],
    breaks: [[untyped, "status 200: no content type"]],
    silent: [html(204, ""), exchangeOf("other", undefined, { text: "", method: "HEAD" })],
  },
  "errors.success-is-no-error/every-response": {
    holds: [
      lookup(goodProduct),
      lookup({ ...goodProduct, error: null }),
      lookup({ ...goodProduct, error: { rate: 0.1 } }),
      html(200),
    ],
    breaks: [
      [withError({ code: "not_found", message: "No." }, 200), "status 200 with an error body"],
      [withError({ code: "not_found" }, 201), "status 201 with an error body"],
    ],
    silent: [errorOf(404, "not_found"), errorOf(302, "moved")],
  },
};
