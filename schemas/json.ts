// JSON, its objects and JSON Pointers (RFC 6901). The k6 scripts use them too.

/** The value of a JSON text; undefined if it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a JSON value is an object; null and arrays are not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields with a value: `exactOptionalPropertyTypes` wants an optional field left out, not undefined. */
export function given<T extends Readonly<Record<string, unknown>>>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

export function pointer(...steps: readonly (string | number)[]): string {
  let path = "";
  for (const step of steps) path += `/${typeof step === "number" ? step : escaped(step)}`;
  return path;
}

/** Every place in every product of a run is named, and hardly any name has such a character. */
const escaped = (step: string): string =>
  step.includes("~") || step.includes("/") ? step.replaceAll("~", "~0").replaceAll("/", "~1") : step;

/** The steps of a JSON Pointer, none for the whole body. */
export function stepsOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a JSON Pointer; undefined where there is none. */
export function valueAt(body: unknown, path: string): unknown {
  return stepsOf(path).reduce((value: unknown, name) => {
    if (Array.isArray(value)) return value[Number(name)];
    return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }, body);
}

const longestShown = 200;

/** A value as a finding has it: a small one itself, a large one as type and size. */
export function shownValue(value: unknown): unknown {
  if (JSON.stringify(value).length <= longestShown) return value;
  const size = typeof value === "string" ? value.length : Object.keys(value as object).length;
  return { type: jsonType(value), size };
}

/** The type of a JSON value that is not null. */
export function jsonType(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}

/** Whether a Content-Type is one of JSON. Of several, which no response should have, a client may read any. */
export function isJsonType(type: string): boolean {
  return type
    .split(/,(?=\s*[\w.+-]+\/)/)
    .every((one) => /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(one.trim()));
}
