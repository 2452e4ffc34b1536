import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import jStat from "jstat";
import { generateCatalog } from "../../../service/catalog/generate.ts";
import type { BenchIo } from "../bench.ts";
import { type ServiceChild, startChild } from "./child.ts";
import { closedLoop, quantile } from "./closed-loop.ts";
import { gtinRequest, identifierRequest, sampleCatalog } from "./raw-requests.ts";
import type { TableRow } from "./table.ts";

const small = 10_000;
const large = 1_000_000;
const rounds = 15;
const pagesCompared = 200;

/** Compares a catalog of a million products with one of ten thousand: import, lookups, paging, memory. */
export async function benchScale(io: BenchIo): Promise<TableRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-bench-"));
  try {
    const file = join(folder, "catalog.ndjson");
    const db = join(folder, "service.db");
    await pipeline(linesOf(large), createWriteStream(file), { signal: io.signal });
    const started = performance.now();
    const importing = await startChild({ kind: "import", db, file }, io);
    const seconds = (performance.now() - started) / 1000;
    const cpu = await importing.processor();
    const { peakMegabytes } = await importing.memory();
    await importing[Symbol.asyncDispose]();
    await using big = await startChild({ kind: "service", options: { db } }, io);
    await using little = await startChild({ kind: "service", options: { products: small } }, io);
    const rows: TableRow[] = [
      ["NDJSON import of 1,000,000, s", seconds.toFixed(1), "<= 90"],
      ["NDJSON import of 1,000,000, CPU s", (cpu / 1e6).toFixed(1), ""],
      ["import, peak memory MB", peakMegabytes.toFixed(0), "< 400"],
    ];
    rows.push(...(await compareLookups(little, big, io.signal)));
    rows.push(...(await compareDepth(big)));
    const { peakMegabytes: peak } = await big.memory();
    return [...rows, ["service with 1,000,000, peak memory MB", peak.toFixed(0), "< 400"]];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function* linesOf(products: number): Generator<string> {
  let lines: string[] = [];
  for (const line of generateCatalog(products, 1)) {
    lines.push(`${JSON.stringify(line)}\n`);
    if (lines.length < 1000) continue;
    yield lines.join("");
    lines = [];
  }
  yield lines.join("");
}

/** p99 of lookups at both sizes, alternating. */
async function compareLookups(
  little: ServiceChild,
  big: ServiceChild,
  signal: AbortSignal,
): Promise<TableRow[]> {
  const sides = [
    {
      child: little,
      sample: sampleCatalog(small, 1, 4000),
      p99: { identifier: [] as number[], gtin: [] as number[] },
    },
    {
      child: big,
      sample: sampleCatalog(large, 1, 20_000),
      p99: { identifier: [] as number[], gtin: [] as number[] },
    },
  ] as const;
  for (let round = 0; round <= rounds; round++) {
    for (const { child, sample, p99 } of sides) {
      const { port, key } = child.ready;
      for (const kind of ["identifier", "gtin"] as const) {
        signal.throwIfAborted();
        const requests =
          kind === "identifier"
            ? sample.map((line) => identifierRequest(line, key))
            : sample.filter(({ gtin }) => gtin !== undefined).map((line) => gtinRequest(line, key));
        const result = await closedLoop(port, requests, { connections: 2, total: 3000 });
        if (result.statuses["200"] !== 3000)
          throw new Error(`not all were found: ${JSON.stringify(result.statuses)}`);
        if (round > 0) p99[kind].push(quantile(result.latencies, 0.99));
      }
    }
  }
  const [{ p99: few }, { p99: many }] = sides;
  return (["identifier", "gtin"] as const).flatMap((kind): TableRow[] => [
    [`by ${kind}, p99 ms with 10,000`, jStat.median(few[kind]).toFixed(2), ""],
    [`by ${kind}, p99 ms with 1,000,000`, jStat.median(many[kind]).toFixed(2), ""],
    [`by ${kind}, p99 ratio`, (jStat.median(many[kind]) / jStat.median(few[kind])).toFixed(2), "<= 1.5"],
  ]);
}

/** Walks through the largest category, then compares its first pages with its last ones, alternating. */
async function compareDepth({ ready: { port, key } }: ServiceChild): Promise<TableRow[]> {
  async function ask(cursor: string): Promise<{ next: string; milliseconds: number }> {
    const query = new URLSearchParams({
      category: "home & garden",
      limit: "100",
      ...(cursor !== "" && { cursor }),
    });
    const started = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/v1/products?${query}`, {
      headers: { "x-api-key": key },
    });
    const page = (await response.json()) as { meta: { next_cursor: string } };
    return { next: page.meta.next_cursor, milliseconds: performance.now() - started };
  }
  const cursors = [""];
  for (let { next } = await ask(""); next !== ""; { next } = await ask(next)) cursors.push(next);
  const times = { first: [] as number[], last: [] as number[] };
  for (let page = 0; page < pagesCompared; page++) {
    times.first.push((await ask(cursors[page] ?? "")).milliseconds);
    times.last.push((await ask(cursors.at(-2 - page) ?? "")).milliseconds);
  }
  const [first, last] = [jStat.median(times.first), jStat.median(times.last)];
  return [
    ["pages of 100 in a walk", String(cursors.length), ""],
    [`first ${pagesCompared} pages, median ms`, first.toFixed(2), ""],
    [`last ${pagesCompared} pages, median ms`, last.toFixed(2), ""],
    ["last / first", (last / first).toFixed(2), "<= 1.5"],
  ];
}
