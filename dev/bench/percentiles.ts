import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { planLoad } from "../../scripts/load/plan.ts";
import { runLoad } from "../../scripts/load/run.ts";
import { startStubService } from "../../test/support/stub-service.ts";
import type { PromiseResult } from "./bench.ts";
import type { Workplace } from "./measure.ts";

const shards = 3;
const metric = "http_req_duration{name:lookup-by-id,status:200}";

/** Compares merged percentiles of three shards with the exact ones of the same samples, which k6 also writes. */
export async function benchPercentiles({
  k6Path,
  folder,
  signal,
  print,
}: Workplace): Promise<PromiseResult[]> {
  const outDir = await mkdtemp(join(folder, "percentiles-"));
  const service = await startStubService();
  const stages = constantRate(300, 15);
  try {
    await runLoad({
      env: process.env,
      k6: { path: k6Path },
      signal,
      plan: planLoad({
        scenario: "lookup",
        profileName: "bench",
        profile: { ...profiles.smoke, stages, virtualUsers: 60 },
        shards,
        k6Args: ["--out", `csv=${join(outDir, "samples")}-$SHARD.csv`],
      }),
      target: { baseUrl: service.baseUrl, keys: { primary: "bench-key" } },
      fixtures: sampleFixtures(),
      outDir,
      progress: () => undefined,
    });
    const exact = await exactSamples(outDir);
    const merged = JSON.parse(
      await readFile(join(outDir, "load", "lookup", "summary.json"), "utf8"),
    ) as RunSummary;
    print(`Percentiles of ${shards} shards merged, against those of the same ${exact.length} samples`);
    const errors: number[] = [];
    for (const [name, at] of [
      ["med", 50],
      ["p(95)", 95],
      ["p(99)", 99],
    ] as const) {
      const value = merged.metrics[metric]?.[name] ?? 0;
      const truth = exactPercentile(exact, at);
      const error = ((value - truth) / truth) * 100;
      errors.push(Math.abs(error));
      print(`  p${at}: ${value.toFixed(3)} ms, exact ${truth.toFixed(3)} ms, ${error.toFixed(2)} % off`);
    }
    const worst = Math.max(...errors);
    return [
      {
        promise: `p50, p95, p99 of ${shards} shards merged within 1 % of the exact ones`,
        measured: `${worst.toFixed(2)} % off at most`,
        holds: worst <= 1,
      },
    ];
  } finally {
    await service.stop();
  }
}

async function exactSamples(outDir: string): Promise<number[]> {
  const values: number[] = [];
  for (let place = 1; place <= shards; place += 1) {
    const [head = "", ...lines] = (await readFile(join(outDir, `samples-${place}.csv`), "utf8"))
      .trim()
      .split("\n");
    const column = (name: string) => head.split(",").indexOf(name);
    const [kind, value, name, status] = ["metric_name", "metric_value", "name", "status"].map(column);
    for (const line of lines) {
      const fields = line.split(",");
      if (fields[kind ?? -1] !== "http_req_duration" || fields[name ?? -1] !== "lookup-by-id") continue;
      if (fields[status ?? -1] === "200") values.push(Number(fields[value ?? -1]));
    }
  }
  return values.sort((a, b) => a - b);
}

function exactPercentile(sorted: readonly number[], at: number): number {
  const place = (at / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}
