import jStat from "jstat";
import type { BenchIo } from "../bench.ts";
import { startChild } from "./child.ts";
import { closedLoop, quantile } from "./closed-loop.ts";
import { batchRequest, getRequest, identifierRequest, sampleCatalog } from "./raw-requests.ts";
import type { TableRow } from "./table.ts";
import { installTool } from "./tools.ts";

const products = 10_000;
/** Many short rounds, so that other work on the machine affects whole rounds. */
const rounds = 60;
const warmUpRounds = 6;
/** Chosen so that each takes about the same time. */
const requestsARound = { constant: 1500, lookup: 1500, batch: 400 } as const;
const connections = 16;

/**
 * Compares lookups by id and batches of 50 with a constant string of the same size from Fastify, in turn. The values are
 * medians of the rounds.
 */
export async function benchThroughput(io: BenchIo): Promise<TableRow[]> {
  const sample = sampleCatalog(products, 1, 3000);
  const size = Math.round(sample.reduce((sum, line) => sum + JSON.stringify(line).length, 0) / sample.length);
  const body = JSON.stringify({ constant: "x".repeat(size - 200) });
  await using service = await startChild({ kind: "service", options: { products } }, io);
  const fastify = await installTool("fastify", io);
  await using constant = await startChild({ kind: "constant", body, fastify }, io);
  const { key, port } = service.ready;
  const lookups = sample.map((line) => identifierRequest(line, key));
  const batches = Array.from({ length: 40 }, (_, at) =>
    batchRequest(sample.slice(at * 50, at * 50 + 50), key),
  );
  const measured: Record<
    "constant" | "lookup" | "batch",
    { seconds: number[]; cpu: number[]; p99: number[] }
  > = {
    constant: { seconds: [], cpu: [], p99: [] },
    lookup: { seconds: [], cpu: [], p99: [] },
    batch: { seconds: [], cpu: [], p99: [] },
  };
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    for (const name of ["constant", "lookup", "batch"] as const) {
      io.signal.throwIfAborted();
      const child = name === "constant" ? constant : service;
      const requests = { constant: [getRequest("/constant", "")], lookup: lookups, batch: batches }[name];
      const total = requestsARound[name];
      const before = await child.processor();
      const result = await closedLoop(name === "constant" ? constant.ready.port : port, requests, {
        connections,
        total,
      });
      const after = await child.processor();
      if (round < warmUpRounds) continue;
      measured[name].seconds.push(result.seconds / result.requests);
      measured[name].cpu.push((after - before) / result.requests);
      measured[name].p99.push(quantile(result.latencies, 0.99));
    }
  }
  const { constant: plain, lookup, batch } = measured;
  const rate = (its: { seconds: number[] }) => 1 / jStat.median(its.seconds);
  return [
    ["constant string, requests/s", rate(plain).toFixed(0), ""],
    ["constant string, CPU µs/request", jStat.median(plain.cpu).toFixed(1), ""],
    ["by id, requests/s", rate(lookup).toFixed(0), ""],
    ["by id, CPU µs/request", jStat.median(lookup.cpu).toFixed(1), ""],
    ["by id, p99 ms", jStat.median(lookup.p99).toFixed(2), ""],
    [
      "by id / constant, throughput",
      jStat.median(ratios(plain.seconds, lookup.seconds)).toFixed(2),
      ">= 0.6",
    ],
    ["constant / by id, CPU", jStat.median(ratios(plain.cpu, lookup.cpu)).toFixed(2), ""],
    ["batch of 50, requests/s", rate(batch).toFixed(0), ""],
    ["batch of 50, CPU µs/item", (jStat.median(batch.cpu) / 50).toFixed(2), ""],
    [
      "by id / batch item, time",
      (jStat.median(ratios(lookup.seconds, batch.seconds)) * 50).toFixed(1),
      ">= 15",
    ],
  ];
}

/** Round by round, so that other work on the machine affects both. */
function ratios(dividends: readonly number[], divisors: readonly number[]): number[] {
  return dividends.map((dividend, round) => dividend / (divisors[round] ?? Number.NaN));
}
