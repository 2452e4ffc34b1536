import { chmod, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { planLoad } from "../../scripts/load/plan.ts";
import { runLoad } from "../../scripts/load/run.ts";
import { quantile } from "../../scripts/twin/paired-latency.ts";
import type { PromiseResult } from "./bench.ts";
import { type Ready, startChild } from "./child.ts";
import type { Workplace } from "./measure.ts";

const rounds = 3;
const stepSeconds = 4;
const firstRate = 500;
/** The search ends when the rate is known to this factor. */
const precision = 1.05;
const leastScaling = 1.8;
/** If iterations start late even at this rate, the load is not the cause. */
const slowest = 10;

/** A number of k6 processes and the cores that they may use. */
interface Arm {
  readonly title: string;
  readonly shards: number;
  readonly cores: readonly number[];
  readonly rates: number[];
}

/**
 * The highest rate at which iterations start on time, with one k6 process on one core, with two on two, and with one on
 * two. The server takes CPU as well, so each core has a server process of its own; those on the same port share its
 * connections. With the server elsewhere a second core would be no more than the first.
 */
export async function benchShards(work: Workplace): Promise<PromiseResult[]> {
  const arms: readonly Arm[] = [
    { title: "1 process on 1 core", shards: 1, cores: [0], rates: [] },
    { title: "2 processes on 2 cores", shards: 2, cores: [0, 1], rates: [] },
    { title: "1 process on 2 cores", shards: 1, cores: [0, 1], rates: [] },
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const arm of arms) arm.rates.push(await highestRate(work, arm));
  }
  work.print(
    "Highest rate with iterations at most 100 ms late, fully checked lookups, as many servers as cores",
  );
  for (const { title, rates } of arms) {
    const shown = rates.map((rate) => rate.toFixed(0)).join(" ");
    work.print(`  ${quantile(rates, 0.5).toFixed(0).padStart(6)}/s  ${title}  (${shown})`);
  }
  const [one, two] = arms.map(({ rates }) => quantile(rates, 0.5));
  const scaling = (two ?? 0) / (one ?? Number.NaN);
  return [
    {
      promise: `2 processes on 2 cores: at least ${leastScaling} times the rate of 1 on 1, at equal lag`,
      measured: `${scaling.toFixed(2)} times`,
      holds: scaling >= leastScaling,
    },
  ];
}

/** The server answers lookups by id only. */
const byIdOnly: LoadFixtures = {
  ...sampleFixtures(),
  products: sampleFixtures().products.map(({ retailer, product_id }) => ({ retailer, product_id })),
};

/** Doubles the rate until iterations start late, then halves the interval. */
async function highestRate(work: Workplace, arm: Arm): Promise<number> {
  const k6Path = await pinnedK6(work, arm.cores);
  await using servers = await startServers(work, arm.cores);
  const isOnTime = async (rate: number) => {
    const { verdict } = await runLoad({
      k6: { path: k6Path },
      env: work.env,
      signal: work.signal,
      plan: planLoad({
        scenario: "lookup",
        profileName: "bench",
        profile: profileAt(rate),
        shards: arm.shards,
      }),
      target: { baseUrl: servers.baseUrl, keys: { primary: "bench-key" } },
      fixtures: byIdOnly,
      outDir: await mkdtemp(join(work.folder, "shards-")),
      progress: () => undefined,
    });
    work.signal.throwIfAborted();
    return verdict === "pass";
  };
  let [good, bad] = [0, firstRate];
  while (await isOnTime(bad)) [good, bad] = [bad, bad * 2];
  while (bad / good > precision) {
    const middle = Math.round(good === 0 ? bad / 2 : Math.sqrt(good * bad));
    if (await isOnTime(middle)) good = middle;
    else bad = middle;
    if (bad <= slowest) throw new Error(`no iteration starts on time at ${slowest}/s: see ${work.folder}`);
  }
  return good;
}

/** Only the schedule decides: a response may take as long as it likes. */
function profileAt(rate: number): Profile {
  return {
    ...profiles.smoke,
    stages: constantRate(rate, stepSeconds),
    virtualUsers: 400,
    thresholds: {
      p95Milliseconds: 60_000,
      failedShare: 0,
      invalidShare: 0,
      droppedShare: 0.001,
      lagMilliseconds: 100,
    },
  };
}

/** A script that runs k6 on some cores only. */
async function pinnedK6({ k6Path, folder }: Workplace, cores: readonly number[]): Promise<string> {
  const path = join(folder, `k6-on-${cores.join("-")}`);
  await writeFile(path, `#!/bin/sh\nexec taskset -c ${cores.join(",")} "${k6Path}" "$@"\n`);
  await chmod(path, 0o755);
  return path;
}

/** One server process on each core, all on one port. */
async function startServers(
  work: Workplace,
  cores: readonly number[],
): Promise<AsyncDisposable & { readonly baseUrl: string }> {
  const children: (Ready & AsyncDisposable)[] = [];
  let port = 0;
  for (const core of cores) {
    const child = await startChild({ kind: "products", port }, work, core);
    children.push(child);
    port = child.port;
  }
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map((child) => child[Symbol.asyncDispose]()));
    },
  };
}
