import { retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
import type { Exchange } from "../client/exchange.ts";
import { isObject } from "../response/products-in.ts";
import type { Rule } from "./rule.ts";
import { shown } from "./shown.ts";

interface Row {
  readonly code: string;
  readonly statuses: readonly number[];
  readonly unmet: Rule["unmet"];
}

const unmetInSomeRequests = {
  kind: "inconclusive",
  fix: "Give a category and a key, so that requests of every kind can be sent.",
} as const;

const unmetLimit = {
  kind: "inconclusive",
  fix: "No limit was met: judge it where the rate limit is lower.",
} as const;

/** The spec's table in Errors. Nobody outside can make a service fail, so the last rows may stay unmet. */
const table: readonly Row[] = [
  { code: "bad_request", statuses: [400], unmet: unmetInSomeRequests },
  { code: "unauthorized", statuses: [401], unmet: unmetInSomeRequests },
  {
    code: "forbidden",
    statuses: [403],
    unmet: {
      kind: "inconclusive",
      fix: "None was met: see by-id.unentitled-slug, which needs a key of another organization (SHELFCHECK_OTHER_ORG_API_KEY).",
    },
  },
  { code: "not_found", statuses: [404], unmet: unmetInSomeRequests },
  {
    code: "rate_limited",
    statuses: [429],
    unmet: unmetLimit,
  },
  {
    code: "internal_error",
    statuses: [500],
    unmet: { kind: "notApplicable", reason: "the target did not fail in this run" },
  },
  {
    code: "upstream_error",
    statuses: [502, 504],
    unmet: { kind: "notApplicable", reason: "the target's internal catalogue did not fail in this run" },
  },
];

const inTable: ReadonlySet<number> = new Set(table.flatMap(({ statuses }) => statuses));

function errorIn({ response: { status, json } }: Exchange): Record<string, unknown> | undefined {
  const error = status >= 400 && isObject(json) ? json.error : undefined;
  return isObject(error) ? error : undefined;
}

/** The two fields of an error (spec, Error body). */
const fields: readonly Rule[] = (["code", "message"] as const).map((name) => ({
  id: `error-body.${name}/every-error`,
  requirement: `error-body.${name}`,
  title: `Every error has a ${name}, a text`,
  unmet: unmetInSomeRequests,
  judge(exchange) {
    const error = errorIn(exchange);
    if (error === undefined) return undefined;
    const value = error[name];
    return typeof value === "string" && value.trim() !== "" ? [] : [`error.${name} is ${shown(value)}`];
  },
}));

/** Every error answer has the error shape (spec, Errors). */
const shape: Rule = {
  id: "errors.shape/every-answer",
  requirement: "errors.shape",
  title: "Every answer with an error status has the body {error: {code, message}}",
  unmet: unmetInSomeRequests,
  judge(exchange) {
    const { request, response } = exchange;
    // An answer to HEAD has no body by HTTP's own rule.
    if (response.status < 400 || request.method === "HEAD") return undefined;
    if (response.json === undefined) return [`status ${response.status} with a body that is not JSON`];
    return errorIn(exchange) === undefined
      ? [`status ${response.status}: the body has no object under error`]
      : [];
  },
};

/** What a client needs to obey a limit. */
const retryAfter: Rule = {
  id: "errors.retry-after/every-refusal",
  requirement: "errors.retry-after",
  title: "Every answer with status 429 has Retry-After, whole seconds",
  unmet: unmetLimit,
  judge({ response: { status, headers } }) {
    if (status !== 429) return undefined;
    const value = headers[retryAfterHeader.toLowerCase()];
    return retryAfterSeconds(value) === undefined ? [`Retry-After is ${shown(value)}`] : [];
  },
};

/** One rule for each row of the table: the status has its code. */
const rows = table.map(({ code, statuses, unmet }): Rule => {
  const requirement = `errors.${code.replaceAll("_", "-")}`;
  const named = statuses.join(" or ");
  return {
    id: `${requirement}/code`,
    requirement,
    title: `Every answer with status ${named} has the code ${code}`,
    unmet,
    judge(exchange) {
      const { status } = exchange.response;
      const seen = errorIn(exchange)?.code;
      // A status outside the table may borrow a code, but "rate_limited" is what clients wait for, and
      // "upstream_error" what they try again.
      const isLent =
        (code === "rate_limited" && status !== 429) || (code === "upstream_error" && !inTable.has(status));
      if (seen === code && isLent) return [`code "${code}" with status ${status}`];
      if (!statuses.includes(status) || typeof seen !== "string") return undefined;
      return seen === code ? [] : [`status ${status} with code ${JSON.stringify(seen)} instead of "${code}"`];
    },
  };
});

export const errorAnswerRules: readonly Rule[] = [shape, ...fields, ...rows, retryAfter];
