import { benchHostile } from "./hostile.ts";
import { benchScale } from "./scale.ts";
import { benchSchemathesis } from "./schemathesis.ts";
import { holds, type Row, renderTable } from "./table.ts";
import { benchThroughput } from "./throughput.ts";

/** Where a bench writes, and what stops it. */
export interface BenchIo {
  readonly stdout: { write(text: string): unknown };
  readonly signal: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
  /** Parts to run, by name; all when left out. */
  readonly parts?: readonly string[];
}

const hostileSeconds = 60;

/**
 * Measures the service and prints a table for each part: throughput, scale (a million products), hostile traffic,
 * Schemathesis. Takes about five minutes.
 * @returns 0 when every value is as wanted, 1 when one is not, 2 for a part that does not exist.
 */
export async function benchService({ stdout, signal, env = {}, parts = [] }: BenchIo): Promise<number> {
  const benches: Record<string, () => Promise<Row[]>> = {
    throughput: () => benchThroughput(signal),
    scale: () => benchScale(signal),
    hostile: () => benchHostile(signal, hostileSeconds),
    schemathesis: () => benchSchemathesis(env, signal),
  };
  const unknown = parts.find((name) => !(name in benches));
  if (unknown !== undefined) {
    stdout.write(`There is no part "${unknown}": name some of ${Object.keys(benches).join(", ")}.\n`);
    return 2;
  }
  let good = true;
  for (const [name, bench] of Object.entries(benches)) {
    if (parts.length > 0 && !parts.includes(name)) continue;
    const rows = await bench();
    good &&= rows.every(holds);
    stdout.write(`${renderTable(name, rows)}\n`);
  }
  return good ? 0 : 1;
}
