/** A promise of the load part, and what was measured of it. */
export interface MustShow {
  readonly promise: string;
  readonly measured: string;
  readonly holds: boolean;
}

/** The promises as a table with a yes or a no each. */
export function renderMustShow(rows: readonly MustShow[]): string {
  const width = Math.max(0, ...rows.map(({ promise }) => promise.length));
  return rows
    .map(({ promise, measured, holds }) => `${holds ? "yes" : "NO "}  ${promise.padEnd(width)}  ${measured}`)
    .join("\n");
}
