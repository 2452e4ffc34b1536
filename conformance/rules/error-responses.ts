import { type ErrorCode, errorCodes, retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
import { blankErrorText, errorRows, wrongErrorCode } from "../../schemas/error-body.ts";
import { isObject } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import type { RequirementId } from "../requirements/all.ts";
import { unlessType } from "../response/body-findings.ts";
import { notJson } from "./every-response.ts";
import type { Rule } from "./rule.ts";

const requirements = {
  [errorCodes[400]]: "errors.bad-request",
  [errorCodes[401]]: "errors.unauthorized",
  [errorCodes[403]]: "errors.forbidden",
  [errorCodes[404]]: "errors.not-found",
  [errorCodes[429]]: "errors.rate-limited",
  [errorCodes[500]]: "errors.internal-error",
  [errorCodes[502]]: "errors.upstream-error",
} as const satisfies Record<ErrorCode, RequirementId>;

function errorIn({ response: { status, json } }: Exchange): Record<string, unknown> | undefined {
  const error = status >= 400 && isObject(json) ? json.error : undefined;
  return isObject(error) ? error : undefined;
}

/** Rules for every error (spec, Errors and Error body). */
export const errorResponseRules: readonly Rule[] = [
  {
    id: "errors.shape/every-response",
    title: "Every response with an error status has an object under error",
    exercisedBy: "error",
    judge({ request, response }) {
      const { status, json } = response;
      // In HTTP, a response to HEAD has no body.
      if (status < 400 || request.method === "HEAD") return undefined;
      if (json === undefined) return [notJson(response)];
      return unlessType(json, "/error", "object").map((finding) => ({ ...finding, details: { status } }));
    },
  },
  ...(["code", "message"] as const).map(
    (name): Rule => ({
      id: `error-body.${name}/every-error`,
      title: `Every error has a ${name}, a string that is not blank`,
      exercisedBy: "error",
      judge(exchange) {
        const error = errorIn(exchange);
        if (error === undefined) return undefined;
        const { status, json } = exchange.response;
        const value = error[name];
        if (typeof value === "string") return blankErrorText(name, value, status);
        const findings = unlessType(json, `/error/${name}`, "string");
        return findings.map((finding) => ({ ...finding, details: { status } }));
      },
    }),
  ),
  // One for each row of the table.
  ...errorRows.map((row): Rule => {
    const { code, statuses, optional } = row;
    const only = code === errorCodes[429] ? ", and no other has it" : "";
    return {
      id: `${requirements[code]}/code`,
      title: `Every response with status ${statuses.join(" or ")} has the code ${code}${only}`,
      exercisedBy: { statuses, optional },
      judge: (exchange) => wrongErrorCode(row, exchange.response.status, errorIn(exchange)?.code),
    };
  }),
  {
    id: "errors.retry-after/every-refusal",
    title: "Every response with status 429 has a Retry-After in whole seconds",
    exercisedBy: { statuses: [429] },
    judge({ response: { status, headers } }) {
      if (status !== 429) return undefined;
      const value = headers[retryAfterHeader.toLowerCase()];
      if (retryAfterSeconds(value) !== undefined) return [];
      const frame = { subject: retryAfterHeader, details: { status } };
      return value === undefined
        ? [{ code: "missing-header", ...frame }]
        : [{ code: "wrong-header", expected: "whole-seconds", actual: value, ...frame }];
    },
  },
];
