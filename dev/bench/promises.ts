/** A promise about load, and the measured value. */
export interface PromiseResult {
  readonly promise: string;
  readonly measured: string;
  readonly holds: boolean;
}

/** A table of promises, each with yes or NO. */
export function renderPromises(rows: readonly PromiseResult[]): string {
  const width = Math.max(0, ...rows.map(({ promise }) => promise.length));
  return rows
    .map(({ promise, measured, holds }) => `${holds ? "yes" : "NO "}  ${promise.padEnd(width)}  ${measured}`)
    .join("\n");
}
