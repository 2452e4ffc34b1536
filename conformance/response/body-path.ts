import type { Finding } from "../../schemas/types.ts";

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON Pointer (RFC 6901) to a place in a body. */
export function pointer(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** What a body holds at a place; undefined where there is nothing. */
export function valueAt(body: unknown, path: string): unknown {
  const steps = path.split("/").slice(1);
  const names = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce((value: unknown, name) => {
    if (Array.isArray(value)) return value[Number(name)];
    return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }, body);
}

const longestShown = 200;

/** A value as a finding carries it: itself when it is small, else its type and size. Nothing for undefined. */
export function actual(value: unknown): Pick<Finding, "actual"> {
  if (value === undefined) return {};
  if (JSON.stringify(value).length <= longestShown) return { actual: value };
  if (typeof value === "string") return { actual: { type: "string", size: value.length } };
  if (Array.isArray(value)) return { actual: { type: "array", size: value.length } };
  return { actual: { type: "object", size: Object.keys(value as object).length } };
}

/** What speaks against the value at a place that must be there with one of these types: nothing, or the finding. */
export function unlessType(body: unknown, path: string, type: JsonType): Finding[] {
  const value = valueAt(body, path);
  if (value === undefined) return [{ code: "missing-field", path, expected: type }];
  if (value === null) return [{ code: "null-value", path }];
  return typeOf(value) === type ? [] : [{ code: "wrong-type", path, expected: type, ...actual(value) }];
}

/** As unlessType, for a counter: a whole number, zero or more. */
export function unlessCount(body: unknown, path: string): Finding[] {
  const value = valueAt(body, path);
  if (typeof value !== "number") return unlessType(body, path, "number");
  return Number.isInteger(value) && value >= 0
    ? []
    : [{ code: "wrong-format", path, expected: "count", actual: value }];
}

type JsonType = "string" | "number" | "boolean" | "array" | "object";

function typeOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}
