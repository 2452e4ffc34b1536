declare const console: { warn(line: string): void; error(line: string): void };

/** Writes a line to k6's log. */
export function logWarning(line: string): void {
  console.warn(line);
}

/** Writes an error to k6's log. */
export function logError(line: string): void {
  console.error(line);
}
