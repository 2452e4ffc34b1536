import type { Finding } from "../../schemas/contracts/finding.ts";
import { isObject } from "../../schemas/json.ts";
import { deepest, type Exchange, isTooDeep } from "../client/exchange.ts";
import { actual } from "../response/body-findings.ts";
import type { Rule } from "./rule.ts";

/** In HTTP, some responses have no body. */
const mayHaveBody = ({ request, response }: Exchange): boolean =>
  request.method !== "HEAD" && response.status !== 204 && response.status !== 304;

/** The finding on a body that is not JSON. */
export function notJson({ status, text }: Exchange["response"]): Finding {
  const cause = text.trim() === "" ? "empty" : isTooDeep(text) ? "depth" : "syntax";
  return {
    code: "not-json",
    details: { status, cause, ...(cause === "depth" ? { deepest } : {}) },
  };
}

const contentType = "Content-Type";

/** Rules for every response to any request. */
export const everyResponseRules: readonly Rule[] = [
  {
    id: "service.json/every-response",
    title: "Every response is JSON in UTF-8, and no content type contradicts that",
    exercisedBy: "response",
    judge(exchange) {
      if (!mayHaveBody(exchange)) return undefined;
      const { response } = exchange;
      const { status } = response;
      if (!response.utf8) return [{ code: "not-utf8", details: { status } }];
      if (response.json === undefined) return [notJson(response)];
      const type = response.headers[contentType.toLowerCase()];
      return type === undefined || /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type.trim())
        ? []
        : [
            {
              code: "wrong-header",
              subject: contentType,
              expected: "json-content-type",
              actual: type,
              details: { status },
            },
          ];
    },
  },
  {
    id: "service.content-type/every-response",
    title: "Every response has a content type",
    exercisedBy: "response",
    judge(exchange) {
      if (!mayHaveBody(exchange) || exchange.response.text === "") return undefined;
      const { status, headers } = exchange.response;
      return headers[contentType.toLowerCase()] === undefined
        ? [{ code: "missing-header", subject: contentType, details: { status } }]
        : [];
    },
  },
  {
    id: "errors.success-is-no-error/every-response",
    title: "No successful response has an error body",
    exercisedBy: "success",
    judge({ response: { status, json } }) {
      if (Math.floor(status / 100) !== 2) return undefined;
      const error = isObject(json) ? json.error : undefined;
      return isObject(error) && "code" in error
        ? [{ code: "error-in-success", path: "/error/code", ...actual(error.code), details: { status } }]
        : [];
    },
  },
];
