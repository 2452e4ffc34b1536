import type { Exchange } from "../../../conformance/client/exchange.ts";
import { jsonIn } from "../../../schemas/json.ts";
import { errorOf, exchangeOf } from "../stub-exchange.ts";
import { examplesOf, goodProduct, lookup, type RuleExamples } from "./example.ts";

const withError = (error: unknown, status = 400) => lookup({ error }, { status });
const html = (status: number, text = "<h1>oops</h1>") =>
  exchangeOf("other", undefined, { status, text, headers: { "content-type": "text/html" } });
const noBody = (status: number, method = "GET") =>
  exchangeOf("other", undefined, { status, text: "", method });
const refused = (retryAfter?: string) =>
  errorOf(429, "rate_limited", { headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } });

/** Examples for the rule that a status has its code. */
function row(statuses: readonly [number, ...number[]], code: string, other: string): RuleExamples {
  const [status] = statuses;
  return {
    passes: [
      errorOf(status, code),
      ...statuses.map((one) => errorOf(one, code, { endpoint: "retailers", caller: "otherOrg" })),
      withError({ code, message: "No.", details: [1] }, status),
    ],
    fails: [other, code.toUpperCase(), `${code} `].map((wrong) => errorOf(status, wrong)),
    // A success with that code, and bodies without the error shape.
    notApplicable: [
      // A status outside the table may use any code but that of the rate limit.
      ...(code === "rate_limited" ? [] : [errorOf(418, code)]),
      lookup({ error: { code, message: "x" } }),
      html(status),
      withError({}, status),
    ],
  };
}

const rateLimited = row([429], "rate_limited", "too_many_requests");

/** A response with this text. */
function text(body: string, requestBody?: string): Exchange {
  const exchange = exchangeOf("other", undefined, { text: body, requestBody });
  const json = jsonIn(body);
  return { ...exchange, response: { ...exchange.response, ...(json === undefined ? {} : { json }) } };
}

/** A product requested with this Accept-Encoding, if any, that came in a coding. */
function coded(coding: string, requestHeaders: Readonly<Record<string, string>>): Exchange {
  const exchange = lookup(goodProduct, { headers: { "content-encoding": coding } });
  return { ...exchange, request: { ...exchange.request, headers: requestHeaders } };
}

const typed = (type: string, json: unknown = {}) => lookup(json, { headers: { "content-type": type } });
const plain = html(404, "no gzip");
const undecodable: Exchange = { ...plain, response: { ...plain.response, utf8: false, undecodable: "gzip" } };
const { response, ...asked } = lookup(goodProduct);
const untyped: Exchange = { ...asked, response: { ...response, headers: {} } };

export const errorExamples = {
  "errors.bad-request/code": row([400], "bad_request", "invalid_request"),
  "errors.unauthorized/code": row([401], "unauthorized", "forbidden"),
  "errors.forbidden/code": row([403], "forbidden", "unauthorized"),
  "errors.not-found/code": row([404], "not_found", "bad_request"),
  "errors.rate-limited/code": {
    ...rateLimited,
    fails: [...rateLimited.fails, errorOf(503, "rate_limited"), errorOf(400, "rate_limited")],
  },
  "errors.internal-error/code": row([500], "internal_error", "upstream_error"),
  "errors.upstream-error/code": row([502, 504], "upstream_error", "internal_error"),
  ...examplesOf(withError, {
    "errors.shape/every-response": {
      passes: [{}, withError({}, 500)],
      fails: [
        ...[html(502), html(404, ""), html(404, " \r\n"), html(500, "[".repeat(201))],
        lookup({ code: "not_found", message: "No." }, { status: 404 }),
        ...["not_found", ["not_found"]].map((error) => withError(error, 404)),
        lookup(null, { status: 500 }),
      ],
      // A response to HEAD has no body.
      notApplicable: [noBody(302), noBody(404, "HEAD")],
    },
    "error-body.code/every-error": {
      fails: [{ message: "No." }, ...[400, " ", null].map((code) => withError({ code, message: "No." }))],
    },
    "error-body.message/every-error": {
      passes: [{ code: "bad_request", message: "Schlüssel fehlt 🗝" }],
      fails: [undefined, "", { en: "No." }].map((message) => withError({ code: "bad_request", message })),
    },
    "errors.success-is-no-error/every-response": {
      passes: [...[null, { rate: 0.1 }].map((error) => lookup({ ...goodProduct, error })), html(200)],
      fails: [
        withError({ code: "not_found", message: "No." }, 200),
        ...[201, 299].map((status) => withError({ code: "not_found" }, status)),
      ],
      notApplicable: [errorOf(300, "moved")],
    },
  }),
  ...examplesOf(refused, {
    "errors.retry-after/every-refusal": {
      passes: ["0", "30"],
      fails: [refused(), "1.5", "-1", "Sat, 21 Nov 2026 08:34:22 GMT"],
      notApplicable: [errorOf(503, "x", { headers: { "retry-after": "soon" } })],
    },
  }),
  ...examplesOf(text, {
    "service.json/repeated-names": {
      // The same value twice is judged by service.portable-json.
      passes: ['{"a":{"b":1},"c":[{"b":1},{"b":2}],"d":"\\"b\\":1"}', '{"a":1,"a":1}'],
      fails: ['{"a":null,"a":"EUR"}', '{ "list": [ { "x/y": 1, "x\\u002fy": 2 } ] }'],
      notApplicable: ["[1"],
    },
    "service.json/whole-characters": {
      passes: ['{"a":"\\ud83d\\ude00 \\u00e9 \\\\ud83d","😀":1}'],
      fails: ['{"a":["\\ud83d "]}', '{"\\uDE00":1}'],
      // What was sent may be echoed.
      notApplicable: [
        text('{"a":"\\ud83d"}', '{"product_id":"\\ud83d"}'),
        errorOf(404, "no \udcc3", { url: "http://stub.example/v1/products/acme/%C3%28" }),
      ],
    },
    "service.portable-json/every-response": {
      // Another value of the same name is judged by service.json.
      passes: ['{"a":9007199254740992,"b":-0,"c":1.5e3,"d":0.1234567890123456789,"e":1e2,"e":1}'],
      fails: ['{"a":1,"a":1}', '[{"id":1285704473650888702}]', '{"a":1e400}'],
    },
  }),
  ...examplesOf(typed, {
    "service.json/every-response": {
      passes: [
        errorOf(404, "not_found", { headers: { "content-type": "application/json; charset=utf-8" } }),
        typed("APPLICATION/JSON", null),
        ...["application/problem+json", " application/json  ; charset=utf-8", untyped],
      ],
      fails: [
        ...["text/html", "application/jsonp", "x-application/json"],
        ...[html(200, ""), html(200, '\ufeff{"a":1}'), undecodable, lookup({}, { utf8: false })],
      ],
      notApplicable: [html(304, ""), noBody(200, "HEAD")],
    },
    "service.content-type/every-response": {
      passes: ["text/html"],
      fails: [untyped],
      // An empty body is judged by service.json.
      notApplicable: [html(200, ""), exchangeOf("other", undefined, { text: "x", method: "HEAD" })],
    },
    "service.any-client/every-response": {
      passes: [
        coded("Identity, gzip", { "Accept-Encoding": "br, X-GZIP ;q=0.5" }),
        coded("zstd", { "accept-encoding": "*" }),
        // Without Accept-Encoding, any coding is acceptable.
        coded("br", {}),
        { ...untyped, request: { ...asked.request, headers: { "Accept-Encoding": "gzip" } } },
      ],
      fails: [coded("gzip, br", { accept: "*", "accept-encoding": "gzip" })],
    },
  }),
};
