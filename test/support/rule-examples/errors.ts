import type { Exchange } from "../../../conformance/client/exchange.ts";
import { errorOf, exchangeOf, type MadeUp } from "../stub-exchange.ts";
import { type ExamplesByRule, goodProduct, lookup, type RuleExamples } from "./example.ts";

const withError = (error: unknown, status = 400) => lookup({ error }, { status });
const html = (status: number, text = "<h1>oops</h1>") =>
  exchangeOf("other", undefined, { status, text, headers: { "content-type": "text/html" } });

/** Examples for the rule that a status has its code. */
function row(statuses: readonly [number, ...number[]], code: string, other: string): RuleExamples {
  const [status] = statuses;
  const isReserved = code === "rate_limited" || code === "upstream_error";
  return {
    passes: [
      errorOf(status, code),
      ...statuses.map((one) => errorOf(one, code, { endpoint: "retailers", caller: "otherOrg" })),
      withError({ code, message: "No.", details: [1] }, status),
    ],
    fails: [errorOf(status, other), errorOf(status, code.toUpperCase()), errorOf(status, `${code} `)],
    // A success with that code, and bodies without the error shape.
    notApplicable: [
      // A status outside the table may use any code but those that clients wait or retry on.
      ...(isReserved ? [] : [errorOf(418, code)]),
      lookup({ error: { code, message: "x" } }),
      html(status),
      withError({}, status),
    ],
  };
}

const refused = (headers: Readonly<Record<string, string>>) => errorOf(429, "rate_limited", { headers });

const rateLimited = row([429], "rate_limited", "too_many_requests");
const upstream = row([502, 504], "upstream_error", "internal_error");

/** A response with this text. */
function text(body: string, requestBody?: string): Exchange {
  const exchange = exchangeOf("other", undefined, {
    text: body,
    ...(requestBody === undefined ? {} : { requestBody }),
  });
  const json = parsed(body);
  return { ...exchange, response: { ...exchange.response, ...(json === undefined ? {} : { json }) } };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** A product requested with these headers. */
function sent(headers: Readonly<Record<string, string>>, madeUp: MadeUp): Exchange {
  const exchange = lookup(goodProduct, madeUp);
  return { ...exchange, request: { ...exchange.request, headers } };
}

const plain = html(404, "no gzip");
const undecodable: Exchange = { ...plain, response: { ...plain.response, undecodable: "gzip" } };

const { response, ...asked } = lookup(goodProduct);
const untyped: Exchange = { ...asked, response: { ...response, headers: {} } };

export const errorExamples: ExamplesByRule = {
  "errors.shape/every-response": {
    passes: [withError({}, 400), withError({}, 500)],
    fails: [
      html(502),
      html(404, ""),
      html(404, " \r\n"),
      html(500, "[".repeat(201)),
      lookup({ code: "not_found", message: "No." }, { status: 404 }),
      withError("not_found", 404),
      withError(["not_found"], 404),
      lookup(null, { status: 500 }),
    ],
    notApplicable: [
      exchangeOf("other", undefined, { status: 302, text: "" }),
      // A response to HEAD has no body.
      exchangeOf("other", undefined, { status: 404, text: "", method: "HEAD" }),
    ],
  },
  "error-body.code/every-error": {
    fails: [
      withError({ message: "No." }),
      withError({ code: 400, message: "No." }),
      withError({ code: " ", message: "No." }),
      withError({ code: null, message: "No." }),
    ],
  },
  "error-body.message/every-error": {
    passes: [withError({ code: "bad_request", message: "Schlüssel fehlt 🗝" })],
    fails: [
      withError({ code: "bad_request" }),
      withError({ code: "bad_request", message: "" }),
      withError({ code: "bad_request", message: { en: "No." } }),
    ],
  },
  "errors.bad-request/code": row([400], "bad_request", "invalid_request"),
  "errors.unauthorized/code": row([401], "unauthorized", "forbidden"),
  "errors.forbidden/code": row([403], "forbidden", "unauthorized"),
  "errors.not-found/code": row([404], "not_found", "bad_request"),
  "errors.rate-limited/code": {
    ...rateLimited,
    // A code that clients wait or retry on requires its status.
    fails: [...rateLimited.fails, errorOf(503, "rate_limited"), errorOf(400, "rate_limited")],
  },
  "errors.internal-error/code": row([500], "internal_error", "upstream_error"),
  "errors.upstream-error/code": {
    ...upstream,
    fails: [...upstream.fails, errorOf(503, "upstream_error")],
    // At a status of the table, the rule for that status judges the code.
    notApplicable: [...(upstream.notApplicable ?? []), errorOf(500, "upstream_error")],
  },
  "errors.retry-after/every-refusal": {
    passes: [refused({ "retry-after": "0" }), refused({ "retry-after": "30" })],
    fails: [
      refused({}),
      refused({ "retry-after": "1.5" }),
      refused({ "retry-after": "-1" }),
      refused({ "retry-after": "Sat, 21 Nov 2026 08:34:22 GMT" }),
    ],
    notApplicable: [errorOf(503, "x", { headers: { "retry-after": "soon" } })],
  },
  "service.json/repeated-names": {
    passes: [
      text('{"a":{"b":1},"c":[{"b":1},{"b":2}],"d":"\\"b\\":1"}'),
      // The same value twice is judged by service.portable-json.
      text('{"a":1,"a":1}'),
    ],
    fails: [text('{"a":null,"a":"EUR"}'), text('{ "list": [ { "x/y": 1, "x\\u002fy": 2 } ] }')],
    notApplicable: [text("[1")],
  },
  "service.json/whole-characters": {
    passes: [text('{"a":"\\ud83d\\ude00 \\u00e9 \\\\ud83d","😀":1}')],
    fails: [text('{"a":["\\ud83d "]}'), text('{"\\uDE00":1}')],
    // What was sent may be echoed.
    notApplicable: [
      text('{"a":"\\ud83d"}', '{"product_id":"\\ud83d"}'),
      errorOf(404, "no \udcc3", { url: "http://stub.example/v1/products/acme/%C3%28" }),
    ],
  },
  "service.portable-json/every-response": {
    passes: [text('{"a":9007199254740992,"b":-0,"c":1.5e3,"d":0.1234567890123456789,"e":1e2}')],
    fails: [text('{"a":1,"a":1}'), text('[{"id":1285704473650888702}]'), text('{"a":1e400}')],
  },
  "service.any-client/every-response": {
    passes: [
      sent({ "Accept-Encoding": "br, gzip;q=0.5" }, { headers: { "content-encoding": "x-gzip" } }),
      sent({ "accept-encoding": "*" }, { headers: { "content-encoding": "zstd" } }),
      // Without Accept-Encoding, any coding is acceptable.
      sent({}, { headers: { "content-encoding": "br" } }),
    ],
    fails: [sent({ "accept-encoding": "gzip" }, { headers: { "content-encoding": "br" } })],
  },
  "service.json/every-response": {
    passes: [
      errorOf(404, "not_found", { headers: { "content-type": "application/json; charset=utf-8" } }),
      lookup(null, { headers: { "content-type": "APPLICATION/JSON" } }),
      lookup({}, { headers: { "content-type": "application/problem+json" } }),
      lookup({}, { headers: { "content-type": " application/json  ; charset=utf-8" } }),
      untyped,
    ],
    fails: [
      lookup({}, { headers: { "content-type": "text/html" } }),
      lookup({}, { headers: { "content-type": "application/jsonp" } }),
      lookup({}, { headers: { "content-type": "x-application/json" } }),
      html(200, ""),
      html(200, '\ufeff{"a":1}'),
      undecodable,
      lookup({}, { utf8: false }),
    ],
    notApplicable: [html(304, ""), exchangeOf("other", undefined, { text: "", method: "HEAD" })],
  },
  "service.content-type/every-response": {
    passes: [lookup({}, { headers: { "content-type": "text/html" } })],
    fails: [untyped],
    // An empty body is judged by service.json.
    notApplicable: [html(200, ""), exchangeOf("other", undefined, { text: "x", method: "HEAD" })],
  },
  "errors.success-is-no-error/every-response": {
    passes: [
      lookup({ ...goodProduct, error: null }),
      lookup({ ...goodProduct, error: { rate: 0.1 } }),
      html(200),
    ],
    fails: [
      withError({ code: "not_found", message: "No." }, 200),
      withError({ code: "not_found" }, 201),
      withError({ code: "not_found" }, 299),
    ],
    notApplicable: [errorOf(300, "moved")],
  },
};
