import type { Finding } from "../../schemas/contracts/finding.ts";
import { errorInSuccess } from "../../schemas/error-body.ts";
import { isJsonType } from "../../schemas/json.ts";
import { hiddenByParsers } from "../../schemas/json-text.ts";
import { deepest, isTooDeep } from "../client/body.ts";
import { type Exchange, isDecodable } from "../client/exchange.ts";
import { type Rule, rulesOn } from "./rule.ts";

/** In HTTP, some responses have no body. That of a redirect outside the API is a note for people. */
const mayHaveBody = ({ endpoint, request, response: { status } }: Exchange): boolean =>
  request.method !== "HEAD" &&
  ![204, 304].includes(status) &&
  (endpoint !== "other" || Math.floor(status / 100) !== 3);

/** The finding on a body that is not JSON. */
export function notJson({ status, text, undecodable }: Exchange["response"]): Finding {
  if (undecodable !== undefined)
    return { code: "not-json", subject: undecodable, details: { status, cause: "coding" } };
  const cause = isTooDeep(text) ? "depth" : (causes.find(([start]) => start.test(text))?.[1] ?? "syntax");
  return { code: "not-json", details: { status, cause, ...(cause === "depth" ? { deepest } : {}) } };
}

const causes = [
  [/^$/, "empty"],
  [/^\ufeff/, "byte-order-mark"],
] as const;

const contentType = "Content-Type";

export const everyResponseRules: readonly Rule[] = [
  ...rulesOn("response", (judge: Rule["judge"]) => judge, {
    "service.json/every-response": [
      "Every response is JSON in UTF-8, and no content type contradicts that",
      (exchange) => {
        if (!mayHaveBody(exchange)) return undefined;
        const { status, headers, json, utf8, undecodable } = exchange.response;
        if (undecodable === undefined && !utf8)
          return [{ code: "not-json", details: { status, cause: "utf-8" } }];
        if (json === undefined) return [notJson(exchange.response)];
        const type = headers[contentType.toLowerCase()];
        if (type === undefined || isJsonType(type)) return [];
        const details = { status };
        return [
          {
            code: "wrong-header",
            subject: contentType,
            expected: "json-content-type",
            actual: type,
            details,
          },
        ];
      },
    ],
    "service.json/repeated-names": [
      "No response repeats a name in an object with another value",
      ({ response }) => {
        if (response.json === undefined) return undefined;
        return hiddenByParsers(response)
          .repeated.filter(({ differs }) => differs)
          .map(({ path }) => ({ code: "repeated-name", path, details: { differs: true } }));
      },
    ],
    // Strict parsers refuse the whole body (RFC 8259, 8.2).
    "service.json/whole-characters": [
      "No response has half of a character",
      ({ request, response }) => {
        // What was sent may be echoed.
        if (response.json === undefined || hasHalf(request)) return undefined;
        return hiddenByParsers(response).halved.map(({ path }) => ({ code: "half-character", path }));
      },
    ],
    "service.portable-json/every-response": [
      "No response repeats a name in an object with the same value, or has a whole number that a double changes",
      ({ response }) => {
        if (response.json === undefined) return undefined;
        const { repeated, inexact } = hiddenByParsers(response);
        return [
          ...repeated.flatMap(({ path, differs }): Finding[] =>
            differs ? [] : [{ code: "repeated-name", path, details: { differs } }],
          ),
          ...inexact.map(({ path, digits }): Finding => {
            return { code: "inexact-number", path, actual: { type: "number", digits } };
          }),
        ];
      },
    ],
    "service.any-client/every-response": [
      "Every response is in a coding that its request accepts",
      (exchange) => {
        const subject = codingNotAccepted(exchange);
        const details = { status: exchange.response.status };
        return subject === undefined ? [] : [{ code: "coding-not-accepted", subject, details }];
      },
    ],
    "service.content-type/every-response": [
      "Every response with a body has a content type",
      (exchange) => {
        if (!mayHaveBody(exchange) || exchange.response.text === "") return undefined;
        const { status, headers } = exchange.response;
        return headers[contentType.toLowerCase()] === undefined
          ? [{ code: "missing-header", subject: contentType, details: { status } }]
          : [];
      },
    ],
  }),
  {
    id: "errors.success-is-no-error/every-response",
    title: "No successful response has an error body",
    exercisedBy: "success",
    judge({ response: { status, json } }) {
      return Math.floor(status / 100) === 2 ? errorInSuccess(json, status) : undefined;
    },
  },
];

/** Whether a request has half a character, or bytes that are none. */
function hasHalf({ url, body = "" }: Exchange["request"]): boolean {
  return /\\ud[89a-f]/i.test(body) || !isDecodable(url);
}

/** The codings that a header names, without their weights. */
function codingsIn(list: string): string[] {
  return list.split(",").map((one) => one.replace(/;.*/, "").trim().toLowerCase().replace(/^x-/, ""));
}

/** The coding of a response, if the request does not accept it. Without Accept-Encoding, it accepts any. */
function codingNotAccepted({ request, response }: Exchange): string | undefined {
  const accept = Object.entries(request.headers).find(([name]) => name.toLowerCase() === "accept-encoding");
  const accepted = ["", "identity", ...codingsIn(accept?.[1] ?? "*")];
  const coding = response.headers["content-encoding"] ?? "";
  const isAccepted = accepted.includes("*") || codingsIn(coding).every((one) => accepted.includes(one));
  return isAccepted ? undefined : coding;
}
