import { retryAfterHeader } from "../api.ts";
import type { SharedFields } from "../contracts/finding-fields.ts";
import type { CrossingCode, Threshold } from "../contracts/threshold.ts";
import { requestLabel } from "../scenarios.ts";
import { bytes, capitalized, duration, grouped, milliseconds, percent, perSecond } from "./format.ts";

/** What a threshold limits, in words: `Batch lookup, p95`. */
export function thresholdLabel({ crossing, request, statistic }: Threshold): string {
  const what = limitedName(crossing);
  const measured = statistic === "share" || statistic === "count" ? what : `${what}, ${statistic}`;
  if (request === undefined) return statistic === "share" ? `All requests, ${what}` : capitalized(measured);
  return crossing === "latency-over-limit"
    ? `${requestLabel(request)}, ${statistic}`
    : `${requestLabel(request)}, ${measured}`;
}

/** What a threshold limits, without the kind of request: `failed requests`. */
export function limitedName(crossing: CrossingCode): string {
  const names: Partial<Record<CrossingCode, string>> = limitedNames;
  return names[crossing] ?? crossing;
}

/** A limit in words: `at most 500 ms`. */
export function limitFigures({ limit, bound, unit }: Threshold): string {
  return `at ${bound} ${inUnit(limit, unit)}`;
}

/** The measured value and its limit in words: `115 ms, limit 5 ms`. */
export function thresholdFigures({ value, limit, bound, unit }: Threshold): string {
  const measured = value === undefined ? "not measured" : inUnit(value, unit);
  return `${measured}, ${bound === "most" ? "limit" : "at least"} ${inUnit(limit, unit)}`;
}

/** An exceeded limit as part of a sentence: `Batch lookup, p95 115 ms (limit 5 ms)`. */
export function exceededText(threshold: Threshold): string {
  const [measured = "", ...limit] = thresholdFigures(threshold).split(", ");
  return `${thresholdLabel(threshold)} ${measured} (${limit.join(", ")})`;
}

/** What a threshold limits, by the code of the finding when it is crossed. */
export const limitedNames = {
  "failed-requests": "failed requests",
  "invalid-responses": "invalid responses",
  "retry-after-malformed": `429 without ${retryAfterHeader} in whole seconds`,
  "cursor-repeated": "repeated cursors",
  "foreign-responses": "responses of another organization",
  "other-organization-refused": "requests of the other organization refused",
  "no-samples": "responses measured",
  "nothing-checked": "virtual users that checked a response",
  "iterations-dropped": "iterations not started",
  "iterations-late": "delay of starts",
  "script-exceptions": "exceptions",
} as const satisfies Partial<Record<CrossingCode, string>>;

/** A value with its unit. */
export function inUnit(value: number, unit: SharedFields["unit"]): string {
  switch (unit) {
    case "ms":
      return milliseconds(value);
    case "s":
      return duration(value);
    case "share":
      return percent(value);
    case "requests/s":
      return perSecond(value);
    case "bytes":
      return bytes(value);
    case "count":
    case undefined:
      return grouped(value);
    default:
      return unit satisfies never;
  }
}
