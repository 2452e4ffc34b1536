import { type ErrorCode, errorCodes, retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
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

interface ErrorRow {
  readonly code: ErrorCode;
  readonly statuses: readonly number[];
  /** Such a response only occurs when the service fails, so a run may not see one. */
  readonly optional: true | undefined;
}

/** The table of status and code (spec, Errors). */
const table: readonly ErrorRow[] = [
  ...Map.groupBy(Object.entries(errorCodes), ([, code]) => code).entries(),
].map(([code, pairs]) => {
  const statuses = pairs.map(([status]) => Number(status));
  return { code, statuses, optional: statuses.every((status) => status >= 500) ? true : undefined };
});

const inTable: ReadonlySet<number> = new Set(table.flatMap(({ statuses }) => statuses));

function errorIn({ response: { status, json } }: Exchange): Record<string, unknown> | undefined {
  const error = status >= 400 && isObject(json) ? json.error : undefined;
  return isObject(error) ? error : undefined;
}

/** The two fields of an error (spec, Error body). */
const fields: readonly Rule[] = (["code", "message"] as const).map((name) => ({
  id: `error-body.${name}/every-error`,
  title: `Every error has a ${name}, a string that is not blank`,
  exercisedBy: "error",
  judge(exchange) {
    const error = errorIn(exchange);
    if (error === undefined) return undefined;
    const { status, json } = exchange.response;
    const path = `/error/${name}`;
    const value = error[name];
    const details = { status };
    if (typeof value !== "string")
      return unlessType(json, path, "string").map((finding) => ({ ...finding, details }));
    if (value === "") return [{ code: "empty-string", path, details }];
    return value.trim() === ""
      ? [{ code: "wrong-format", path, expected: "not-blank", actual: value, details }]
      : [];
  },
}));

/** The rule that every error response has the error shape (spec, Errors). */
const shape: Rule = {
  id: "errors.shape/every-response",
  title: "Every response with an error status has the body {error: {code, message}}",
  exercisedBy: "error",
  judge(exchange) {
    const { request, response } = exchange;
    const { status, json } = response;
    // In HTTP, a response to HEAD has no body.
    if (status < 400 || request.method === "HEAD") return undefined;
    if (json === undefined) return [notJson(response)];
    return unlessType(json, "/error", "object").map((finding) => ({ ...finding, details: { status } }));
  },
};

/** The rule that a 429 has a Retry-After that clients can obey. */
const retryAfter: Rule = {
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
};

/** One rule for each row of the table. */
const rows = table.map(({ code, statuses, optional }): Rule => {
  return {
    id: `${requirements[code]}/code`,
    title: `Every response with status ${statuses.join(" or ")} has the code ${code}`,
    exercisedBy: { statuses, optional },
    judge(exchange) {
      const { status } = exchange.response;
      const seen = errorIn(exchange)?.code;
      const mismatch = { code: "error-code-mismatch", path: "/error/code", actual: seen } as const;
      // An error status outside the table may use any code except those that clients wait or retry on.
      const isBorrowed =
        (code === errorCodes[429] && status !== 429) || (code === errorCodes[502] && !inTable.has(status));
      if (seen === code && isBorrowed) return [{ ...mismatch, details: { status, belongsTo: statuses } }];
      if (!statuses.includes(status) || typeof seen !== "string") return undefined;
      return seen === code ? [] : [{ ...mismatch, expected: code, details: { status } }];
    },
  };
});

export const errorResponseRules: readonly Rule[] = [shape, ...fields, ...rows, retryAfter];
