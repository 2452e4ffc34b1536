/** Name, measured value, and bound (empty if the value only explains another). */
export type TableRow = readonly [what: string, value: string, wanted: string];

/** Whether the value of a row is within its bound: `>= 3`, `< 400`, or none. */
export function holds([, value, wanted]: TableRow): boolean {
  const [operator, bound] = wanted.split(" ");
  switch (operator) {
    case ">=":
      return Number(value) >= Number(bound);
    case "<=":
      return Number(value) <= Number(bound);
    case "<":
      return Number(value) < Number(bound);
    default:
      return true;
  }
}

/** A table of measured values, with whether each bound holds. */
export function renderTable(title: string, rows: readonly TableRow[]): string {
  const width = Math.max(...rows.map(([what]) => what.length));
  const lines = rows.map((row) => {
    const [what, value, wanted] = row;
    const verdict = wanted === "" ? "" : `  ${wanted.padEnd(8)} ${holds(row) ? "yes" : "NO"}`;
    return `  ${what.padEnd(width)}  ${value.padStart(10)}${verdict}`;
  });
  return `${title}\n${lines.join("\n")}\n`;
}
