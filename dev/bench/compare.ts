import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { change } from "../../schemas/words/format.ts";
import { findingText } from "../../schemas/words/index.ts";
import { CannotRunError } from "../../scripts/errors.ts";
import type { K6 } from "../../scripts/load/k6/install.ts";
import { resolveK6 } from "../../scripts/load/k6/resolve.ts";
import { planLoad } from "../../scripts/load/plan.ts";
import { runLoad } from "../../scripts/load/run.ts";
import { compareLatency, defaultRule, type LatencyAnswer } from "../../scripts/runs/compare/latency.ts";
import { type LoadRun, loadRunOf } from "../../scripts/runs/compare/load-runs.ts";
import { discoverTarget } from "../../scripts/runs/stages/conformance-stage.ts";
import type { Bench, BenchIo } from "./bench.ts";

const slowdown = 1.2;
const rate = 100;
const seconds = 2;
const mostAttempts = 3;

/** Two arms without a difference, and one with a slower service. */
const arms = ["first", "second", "slowed"] as const;
type Arm = (typeof arms)[number];

interface Round {
  readonly k6: K6;
  readonly folder: string;
  readonly service: SlowedService;
  readonly fixtures: LoadFixtures;
  readonly signal: AbortSignal;
}

/**
 * Measures how often the comparison of load runs is right on this machine. Each of 20 rounds makes nine runs of real k6,
 * alternating between three arms, against the reference service with responses delayed by about 20 ms. Two arms are the
 * same (an A/A pair); the third has a 20 % longer delay and makes a pair with the second. Pairs of a kind share no run.
 */
export const compareBench: Bench = {
  summary: "how often the comparison of load runs is right; 8 minutes",
  words: "[PAIRS [RUNS]]",
  run: (io, words) => benchCompare(io, ...words.map(Number)),
};

async function benchCompare({ stdout, env, signal }: BenchIo, rounds = 20, runs = 3): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-bench-compare-"));
  const print = (line: string) => stdout.write(`${line}\n`);
  try {
    const k6 = await resolveK6({ env, progress: print, signal });
    await using service = await startSlowedService();
    const fixtures = await fixturesOf(service, signal);
    const bench = { k6, folder, service, fixtures, signal };
    const same: LatencyAnswer[] = [];
    const slower: LatencyAnswer[] = [];
    for (let round = 1; round <= rounds && !signal.aborted; round += 1) {
      const { first, second, slowed } = await makeRound(bench, round, runs);
      const [alike, apart] = [
        compareLatency(first, second, defaultRule),
        compareLatency(second, slowed, defaultRule),
      ];
      same.push(alike.comparison.answer);
      slower.push(apart.comparison.answer);
      const shown = ({ comparison, rows }: typeof alike) => {
        const [whole] = rows;
        const spread = ((whole?.change.spread.betweenRuns ?? 0) * 100).toFixed(1);
        return `${comparison.answer.padEnd(12)} (p50 ${change(whole?.change.change ?? 0)}, runs spread ${spread} %)`;
      };
      print(`round ${String(round).padStart(2)}: A/A ${shown(alike)}, slowed ${shown(apart)}`);
    }
    print(renderTable(same, slower));
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fixturesOf(
  { baseUrl, key, categories }: SlowedService,
  signal: AbortSignal,
): Promise<LoadFixtures> {
  const target = {
    name: "bench",
    baseUrl,
    keys: { primary: key },
    categories,
    fieldNames: {},
    timeoutMilliseconds: 10_000,
  };
  return (await discoverTarget({ target, maxRequests: 2000, signal })).loadFixtures;
}

/** The runs of each arm, alternating. The first arm changes, so that no arm always follows the same one. */
async function makeRound(bench: Round, round: number, runsOfAnArm: number): Promise<Record<Arm, LoadRun[]>> {
  const runs: Record<Arm, LoadRun[]> = { first: [], second: [], slowed: [] };
  for (let turn = 0; turn < runsOfAnArm; turn += 1) {
    for (let place = 0; place < arms.length; place += 1) {
      const arm = arms[(place + turn + round) % arms.length] ?? "first";
      await bench.service.slow(arm === "slowed" ? slowdown : 1);
      runs[arm].push(await makeRun(bench, `${round}-${arm}-${turn}`));
    }
  }
  return runs;
}

/** One run, repeated when it is invalid because the machine was busy. */
async function makeRun({ k6, folder, service, fixtures, signal }: Round, name: string): Promise<LoadRun> {
  let findings: LoadResult["findings"] = [];
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const startedAt = new Date().toISOString();
    const result = await runLoad({
      env: process.env,
      k6,
      plan: planLoad({
        scenario: "lookup",
        profileName: "bench",
        profile: { ...profiles.smoke, stages: constantRate(rate, seconds), virtualUsers: 40 },
      }),
      target: { baseUrl: service.baseUrl, keys: { primary: service.key } },
      fixtures,
      outDir: folder,
      progress: () => undefined,
      signal,
    });
    if (result.verdict !== "invalid") return loadRunOf(name, startedAt, result);
    findings = result.findings;
  }
  throw new CannotRunError({
    what: "The bench could not measure",
    where: findings.map((finding) => findingText(finding, defaultWords)).join(" "),
    fix: "Run it while the machine has nothing else to do.",
  });
}

function renderTable(same: readonly LatencyAnswer[], slower: readonly LatencyAnswer[]): string {
  const answers = ["slower", "same", "faster", "inconclusive"] as const;
  const count = (all: readonly LatencyAnswer[], answer: LatencyAnswer) =>
    all.filter((each) => each === answer).length;
  const line = (name: string, all: readonly LatencyAnswer[]) =>
    `${name.padEnd(22)}${answers.map((answer) => String(count(all, answer)).padStart(14)).join("")}`;
  const held = (holds: boolean) => (holds ? "yes" : "NO");
  const few = count(same, "slower") <= same.length / 20;
  const most = count(slower, "slower") >= slower.length * 0.9;
  return [
    "",
    `${`of ${same.length} pairs`.padEnd(22)}${answers.map((answer) => answer.padStart(14)).join("")}`,
    line("A/A", same),
    line("20 % more delay", slower),
    `at most 1 of 20 A/A pairs slower: ${held(few)}; at least 18 of 20 slowed pairs slower: ${held(most)}`,
  ].join("\n");
}

/** The reference service in a process of its own, with responses that take about 20 ms. */
interface SlowedService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly key: string;
  readonly categories: readonly string[];
  /** Multiplies the delay of responses from now on. */
  slow(factor: number): Promise<void>;
}

async function startSlowedService(): Promise<SlowedService> {
  const child = fork(fileURLToPath(new URL("slowed-service.ts", import.meta.url)));
  const [ready] = (await Promise.race([once(child, "message"), diedEarly()])) as [
    Pick<SlowedService, "baseUrl" | "key" | "categories">,
  ];
  return {
    ...ready,
    async slow(factor) {
      child.send({ factor });
      await once(child, "message");
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.send({ stop: true });
      await once(child, "exit");
    },
  };

  async function diedEarly(): Promise<never> {
    await once(child, "exit");
    throw new Error("the service of the bench ended before it was ready");
  }
}
