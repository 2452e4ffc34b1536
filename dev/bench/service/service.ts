import type { Bench, BenchIo } from "../bench.ts";
import { benchHostile } from "./hostile.ts";
import { benchScale } from "./scale.ts";
import { benchSchemathesis } from "./schemathesis.ts";
import { holds, renderTable, type TableRow } from "./table.ts";
import { benchThroughput } from "./throughput.ts";

const parts: Readonly<Record<string, (io: BenchIo) => Promise<TableRow[]>>> = {
  throughput: benchThroughput,
  scale: benchScale,
  hostile: benchHostile,
  schemathesis: benchSchemathesis,
};

/** The reference service: throughput, a million products, hostile traffic, Schemathesis; dev/bench/README.md explains it. */
export const serviceBench: Bench = {
  summary: "the reference service; 5 minutes",
  parts: Object.keys(parts),
  async run(io, words) {
    let good = true;
    for (const [name, bench] of Object.entries(parts)) {
      if (words.length > 0 && !words.includes(name)) continue;
      const rows = await bench(io);
      good &&= rows.every(holds);
      io.stdout.write(`${renderTable(name, rows)}\n`);
    }
    return good ? 0 : 1;
  },
};
