import { retryAfterHeader } from "../api.ts";
import type { SharedFields } from "../contracts/finding.ts";
import type { Threshold } from "../contracts/load-result.ts";
import { requestLabel } from "../scenarios.ts";
import { capitalized, inUnit } from "./format.ts";

/** What each kind of threshold limits, without the kind of request. */
export const limitedNames: Readonly<Record<Threshold["crossing"], string>> = {
  "latency-over-limit": "latency",
  "failed-requests": "failed requests",
  "invalid-responses": "invalid responses found",
  "retry-after-malformed": `429 without ${retryAfterHeader} in whole seconds (at most nine digits)`,
  "cursor-repeated": "repeated cursors",
  "other-organization-refused": "requests of the other organization refused",
  "foreign-responses": "responses of another organization",
  "iterations-dropped": "iterations not started",
  "iterations-late": "delay of starts in the whole run, less that of iterations not started",
  "script-exceptions": "exceptions",
  "no-samples": "responses measured",
  "nothing-checked": "responses checked",
};

/** What a threshold limits, in words: `Batch lookup, p95`. */
export function thresholdLabel({
  crossing,
  request,
  statistic,
}: Pick<Threshold, "crossing" | "request" | "statistic">): string {
  const what = limitedNames[crossing];
  const measured = statistic === "share" || statistic === "count" ? what : `${what}, ${statistic}`;
  if (request === undefined)
    return statistic === "share" ? `All requests with this limit, ${what}` : capitalized(measured);
  return crossing === "latency-over-limit"
    ? `${requestLabel(request)}, ${statistic}`
    : `${requestLabel(request)}, ${measured}`;
}

/** A limit in words: `at most 500 ms`. */
export function limitFigures({ limit, bound, unit }: Pick<Threshold, "limit" | "bound" | "unit">): string {
  return `at ${bound} ${inUnit(limit, unit)}`;
}

/** The measured value and its limit in words: `115 ms, limit 5 ms`. */
export function thresholdFigures(threshold: Threshold): string {
  return `${measured(threshold)}, ${limitOf(threshold)}`;
}

/** An exceeded limit as part of a sentence: `Batch lookup, p95 115 ms (limit 5 ms)`. */
export function exceededText(threshold: Threshold): string {
  return `${thresholdLabel(threshold)} ${measured(threshold)} (${limitOf(threshold)})`;
}

function measured({ value, limit, unit }: Threshold): string {
  return value === undefined ? "not measured" : besideLimit(value, limit, unit);
}

/** A measured value; `over 500 ms` where it exceeds a limit that has the same digits. */
export function besideLimit(value: number, limit: number, unit: SharedFields["unit"]): string {
  const text = inUnit(value, unit);
  return value > limit && text === inUnit(limit, unit) ? `over ${text}` : text;
}

function limitOf({ limit, bound, unit }: Threshold): string {
  return `${bound === "most" ? "limit" : "at least"} ${inUnit(limit, unit)}`;
}
