import errorBody from "../../schemas/error-body.schema.json" with { type: "json" };
import type { ErrorBody } from "../../schemas/types.ts";
import { validator } from "../validator.ts";
import type { Rule } from "./rule.ts";

interface Row {
  readonly code: string;
  readonly statuses: readonly number[];
  readonly unmet: Rule["unmet"];
}

const unmetInSomeRequests = {
  kind: "unjudged",
  mend: "Give a category and a key, so that requests of every kind can be sent.",
} as const;

/** The spec's table in Errors. Nobody outside can make a service fail, so the last rows may stay unmet. */
const table: readonly Row[] = [
  { code: "bad_request", statuses: [400], unmet: unmetInSomeRequests },
  { code: "unauthorized", statuses: [401], unmet: unmetInSomeRequests },
  {
    code: "forbidden",
    statuses: [403],
    unmet: {
      kind: "unjudged",
      mend: "Set SHELFCHECK_OTHER_ORG_API_KEY to a key of an organization that has a retailer which yours has not.",
    },
  },
  { code: "not_found", statuses: [404], unmet: unmetInSomeRequests },
  {
    code: "rate_limited",
    statuses: [429],
    unmet: { kind: "irrelevant", reason: "no limit was met in this run" },
  },
  {
    code: "internal_error",
    statuses: [500],
    unmet: { kind: "irrelevant", reason: "the target did not fail in this run" },
  },
  {
    code: "upstream_error",
    statuses: [502, 504],
    unmet: { kind: "irrelevant", reason: "the target's internal catalogue did not fail in this run" },
  },
];

const problemsOfErrorBody = validator(errorBody);

/** Every error answer has the error shape (spec, Errors). */
const shape: Rule = {
  id: "errors.shape/every-answer",
  requirement: "errors.shape",
  title: "Every answer with an error status has the body {error: {code, message}}",
  unmet: unmetInSomeRequests,
  judge({ request, response }) {
    // An answer to HEAD has no body by HTTP's own rule.
    if (response.status < 400 || request.method === "HEAD") return undefined;
    if (response.json === undefined) return [`status ${response.status} with a body that is not JSON`];
    return problemsOfErrorBody(response.json).map((problem) => `status ${response.status}: ${problem}`);
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
    judge({ response: { status, json } }) {
      if (!statuses.includes(status) || problemsOfErrorBody(json).length > 0) return undefined;
      const seen = (json as ErrorBody).error.code;
      return seen === code ? [] : [`status ${status} with code ${JSON.stringify(seen)} instead of "${code}"`];
    },
  };
});

export const errorAnswerRules: readonly Rule[] = [shape, ...rows];
