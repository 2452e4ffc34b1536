import { errorCodes } from "./api.ts";
import type { Finding } from "./contracts/finding.ts";
import { isObject, shownValue } from "./json.ts";

// What can be said of one error by itself. The suite and the load judge it with the same functions.

/** The rows of the table of statuses and codes (spec, Errors). */
export const errorRows = [...new Set(Object.values(errorCodes))].map((code) => {
  const statuses = Object.entries(errorCodes).flatMap(([status, one]) =>
    one === code ? [Number(status)] : [],
  );
  // Such a response only occurs when the service fails, so a run may not see one.
  return {
    code,
    statuses,
    optional: statuses.every((status) => status >= 500) ? (true as const) : undefined,
  };
});

/** The findings on the code of an error by one row of the table; undefined if the row says nothing of it. */
export function wrongErrorCode(
  { code, statuses }: (typeof errorRows)[number],
  status: number,
  seen: unknown,
): Finding[] | undefined {
  const mismatch = { code: "error-code-mismatch", path: "/error/code", actual: seen } as const;
  // An error status outside the table may use any code but that of the rate limit, which is 429 (spec, Limits).
  const isBorrowed = code === errorCodes[429] && status !== 429;
  if (seen === code && isBorrowed) return [{ ...mismatch, details: { status, belongsTo: [...statuses] } }];
  if (!statuses.includes(status) || typeof seen !== "string") return undefined;
  return seen === code ? [] : [{ ...mismatch, expected: code, details: { status } }];
}

/** The finding on an error body of a success. */
export function errorInSuccess(body: unknown, status: number): Finding[] {
  const error = isObject(body) ? body.error : undefined;
  if (!isObject(error) || !("code" in error)) return [];
  return [
    { code: "error-in-success", path: "/error/code", actual: shownValue(error.code), details: { status } },
  ];
}

/** The finding on a text of an error that is blank. */
export function blankErrorText(name: "code" | "message", value: string, status: number): Finding[] {
  const path = `/error/${name}`;
  const details = { status };
  if (value === "") return [{ code: "empty-string", path, details }];
  return value.trim() === ""
    ? [{ code: "wrong-format", path, expected: "not-blank", actual: value, details }]
    : [];
}
