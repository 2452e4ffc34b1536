import type { Exchange } from "../client/exchange.ts";
import { deepest, isTooDeep } from "../client/nesting.ts";
import { isObject } from "../response/products-in.ts";
import type { Rule } from "./rule.ts";

/** HTTP allows no body in some answers. */
const mayHaveBody = ({ request, response }: Exchange): boolean =>
  request.method !== "HEAD" && response.status !== 204 && response.status !== 304;

/** Rules on every response, whatever was asked. */
export const everyResponseRules: readonly Rule[] = [
  {
    id: "service.json/every-response",
    requirement: "service.json",
    title: "Every response is JSON in UTF-8, and no content type says otherwise",
    unmet: { kind: "inconclusive", fix: "No response came: see doctor." },
    judge(exchange) {
      if (!mayHaveBody(exchange)) return undefined;
      const { response } = exchange;
      if (!response.utf8) return [`status ${response.status}: the body is not UTF-8`];
      if (response.json === undefined) {
        const why = isTooDeep(response.text)
          ? `nested deeper than ${deepest} levels, and was not read`
          : "not JSON";
        return [`status ${response.status}: the body is ${why}`];
      }
      const type = response.headers["content-type"];
      return type === undefined || /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type.trim())
        ? []
        : [`status ${response.status}: the content type is ${type}`];
    },
  },
  {
    id: "service.content-type/every-response",
    requirement: "service.content-type",
    title: "Every response has a content type",
    unmet: { kind: "inconclusive", fix: "No response came: see doctor." },
    judge(exchange) {
      if (!mayHaveBody(exchange) || exchange.response.text === "") return undefined;
      const { status, headers } = exchange.response;
      return headers["content-type"] === undefined ? [`status ${status}: no content type`] : [];
    },
  },
  {
    id: "errors.success-is-no-error/every-response",
    requirement: "errors.success-is-no-error",
    title: "No answer with a success status carries an error body",
    unmet: { kind: "inconclusive", fix: "No request succeeded: see what the others say." },
    judge({ response: { status, json } }) {
      if (status < 200 || status > 299) return undefined;
      const error = isObject(json) ? json.error : undefined;
      return isObject(error) && "code" in error ? [`status ${status} with an error body`] : [];
    },
  },
];
