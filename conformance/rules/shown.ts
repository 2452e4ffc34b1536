/** A value as messages show it. */
export function shown(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value);
}
