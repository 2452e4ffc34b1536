import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { createLimiter } from "../access/limiter.ts";
import type { Call, Caller } from "../call.ts";
import { bodyOf, type Change, onAnswer, onIdentify, remembering, textOf } from "../changes/answer-changes.ts";
import { Refusal, unauthorized } from "../refusal.ts";
import { variantsOf } from "./variant.ts";

const either = "Every request carries an API key in either of two headers (equivalent).";
const refused = "A missing or invalid key gives 401 (`unauthorized`).";
const json = "All requests and responses are JSON.";
const limitOpen = "The numeric request rate limit: not shown.";
const waits =
  "429 | rate_limited | Rate limit exceeded. The `Retry-After` response header gives the seconds to wait.";
const upstream = "502 or 504 | upstream_error | The internal catalog returned an error or timed out.";

const without = (call: Call, name: "authorization" | "x-api-key"): Call => {
  const { [name]: _dropped, ...headers } = call.headers;
  return { ...call, headers };
};
const both = ({ headers }: Call) => headers.authorization !== undefined && headers["x-api-key"] !== undefined;

const keyVariants = variantsOf("Authentication", [
  [
    "authorization-wins",
    "authentication.both-headers",
    either,
    onIdentify((call, inner) => inner(both(call) ? without(call, "x-api-key") : call)),
  ],
  [
    "x-api-key-wins",
    "authentication.both-headers",
    either,
    onIdentify((call, inner) => inner(both(call) ? without(call, "authorization") : call)),
  ],
  [
    "any-valid-key-will-do",
    "authentication.both-headers",
    either,
    onIdentify((call, inner) => {
      try {
        return inner(both(call) ? without(call, "x-api-key") : call);
      } catch {
        return inner(both(call) ? without(call, "authorization") : call);
      }
    }),
  ],
  [
    "bearer-exactly-so",
    "authentication.scheme-case",
    "`Authorization: Bearer <API_KEY>`",
    onIdentify((call, inner) => {
      const { authorization } = call.headers;
      if (authorization !== undefined && !/^Bearer \S+$/.test(authorization)) throw unauthorized();
      return inner(call);
    }),
  ],
  ["malformed-before-unauthorized", "errors.order", refused, malformedFirst()],
]);

const limitVariants = variantsOf("Limits", [
  ["tight-limit", "limit.numbers", limitOpen, limited(8, 10)],
  ["very-tight-limit", "limit.numbers", limitOpen, limited(3, 3)],
  [
    "generous-retry-after",
    "limit.retry-after-seconds",
    waits,
    onAnswer((answer) =>
      answer.status === 429
        ? {
            ...answer,
            headers: { ...answer.headers, "retry-after": String(Number(answer.headers["retry-after"]) + 2) },
          }
        : undefined,
    ),
  ],
  [
    "limit-headers",
    "limit.extra-headers",
    limitOpen,
    onAnswer((answer) => ({
      ...answer,
      headers: { ...answer.headers, "x-ratelimit-limit": "100", "x-ratelimit-remaining": "7", etag: 'W/"1"' },
    })),
  ],
]);

const answerVariants = variantsOf("What the service does", [
  [
    "slow",
    "http.slow",
    json,
    onAnswer(async (answer) => {
      await setTimeout(100);
      return answer;
    }),
  ],
  ["flaky-upstream", "error.upstream", upstream, flaky()],
  [
    "compressed",
    "http.compressed",
    json,
    onAnswer((answer, call) => {
      if (!/\bgzip\b/.test(String(call.headers["accept-encoding"] ?? ""))) return undefined;
      const headers = { ...answer.headers, "content-encoding": "gzip" };
      return { ...answer, headers, body: gzipSync(textOf(answer)) };
    }),
  ],
  [
    "content-type-shouting",
    "json.content-type",
    json,
    onAnswer((answer) => ({
      ...answer,
      headers: { ...answer.headers, "content-type": 'Application/JSON; Charset="UTF-8"' },
    })),
  ],
  [
    "indented-json",
    "json.body",
    json,
    onAnswer((answer) => ({ ...answer, body: JSON.stringify(bodyOf(answer), undefined, 2) })),
  ],
  [
    "escaped-json",
    "json.body",
    json,
    onAnswer((answer) => ({
      ...answer,
      body: JSON.stringify(bodyOf(answer)).replace(
        /[\u0080-\uffff/]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
    })),
  ],
]);

export const transportVariants = [...keyVariants, ...limitVariants, ...answerVariants];

/** A request that is wrong in both ways is told of its form first. */
function malformedFirst(): Change {
  return {
    steps: (steps, { permissions }) => ({
      ...steps,
      async finish(call, given) {
        const answer = await steps.finish(call, given);
        if (answer.status !== 401 || call.endpoint !== "products") return answer;
        const nobody: Caller = {
          organization: 0,
          entitled: new Set(),
          permissions: permissions(),
          keyHeader: "x-api-key",
        };
        try {
          await steps.respond({ ...call, caller: nobody });
          return answer;
        } catch (error) {
          if (!(error instanceof Refusal) || error.status !== 400) return answer;
          return { status: 400, headers: {}, body: { error: { code: error.code, message: error.message } } };
        }
      },
    }),
  };
}

function limited(rate: number, burst: number): Change {
  return { sources: (sources) => ({ ...sources, limiter: createLimiter(rate, burst) }) };
}

/** One answer in fifty is an honest failure of the catalogue, by turns its error and its silence. */
function flaky(): Change {
  return remembering(() => {
    let answers = 0;
    return onAnswer((answer) => {
      if (answer.status === 429 || answer.status === 401 || ++answers % 50 !== 0) return undefined;
      const status = answers % 100 === 0 ? 504 : 502;
      const body = { error: { code: "upstream_error", message: "The product catalog failed." } };
      return { status, headers: {}, body };
    });
  });
}
