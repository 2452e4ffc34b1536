import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { profiles } from "../../scenarios/profiles.ts";
import type { LoadFixtures } from "../../schemas/types.ts";
import { compareLoad, signed } from "../earlier/compare/load-regression.ts";
import { type LoadRun, loadRunOf } from "../earlier/compare/load-run.ts";
import { type Answer, defaultRule } from "../earlier/compare/rule.ts";
import { CannotRunError } from "../errors.ts";
import { resolveK6 } from "../load/k6/resolve.ts";
import { runLoad } from "../load/run.ts";
import { discoverTarget } from "../run/run-conformance.ts";
import { type SlowedService, startSlowedService } from "./slowed-service.ts";

interface BenchIo {
  readonly stdout: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

const slowdown = 1.2;
const rate = 100;
const seconds = 2;
const mostAttempts = 3;

/** Sides of a round: two of the service as it is, and one slowed. */
const arms = ["first", "second", "slowed"] as const;
type Arm = (typeof arms)[number];

interface Bench {
  readonly k6Path: string;
  readonly folder: string;
  readonly service: SlowedService;
  readonly fixtures: LoadFixtures;
  readonly signal: AbortSignal;
}

/**
 * `npm run bench -- compare [PAIRS [RUNS]]`: how often the comparison is right on this machine. Each of 20 rounds makes nine
 * runs of real k6, three of each side in turn, against the reference service in a process of its own, whose answers are
 * held back for about 20 ms: twice as it is, and once held back 20 % longer. The two sides as it is are an A/A pair, the
 * second and the slowed one a pair that differs. No run is in two pairs of a kind. Takes about 8 minutes.
 */
export async function benchCompare({ stdout, signal }: BenchIo, rounds = 20, runs = 3): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-bench-compare-"));
  const print = (line: string) => stdout.write(`${line}\n`);
  try {
    const { path: k6Path } = await resolveK6({ env: process.env, progress: print, signal });
    await using service = await startSlowedService();
    const fixtures = await fixturesOf(service, signal);
    const bench = { k6Path, folder, service, fixtures, signal };
    const same: Answer[] = [];
    const slower: Answer[] = [];
    for (let round = 1; round <= rounds && !signal.aborted; round += 1) {
      const { first, second, slowed } = await makeRound(bench, round, runs);
      const [alike, apart] = [
        compareLoad(first, second, defaultRule),
        compareLoad(second, slowed, defaultRule),
      ];
      same.push(alike.comparison.answer);
      slower.push(apart.comparison.answer);
      const change = ({ comparison, rows }: typeof alike) => {
        const [whole] = rows;
        const spread = ((whole?.change.spread.betweenRuns ?? 0) * 100).toFixed(1);
        return `${comparison.answer.padEnd(12)} (p50 ${signed(whole?.change.change ?? 0)}, runs spread ${spread} %)`;
      };
      print(`round ${String(round).padStart(2)}: A/A ${change(alike)}, slowed ${change(apart)}`);
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
    dialect: {},
    timeoutMilliseconds: 10_000,
  };
  const progress = () => undefined;
  return (await discoverTarget({ target, maxRequests: 2000, progress, signal })).loadFixtures;
}

/** The runs of each side, in turn; who begins changes, so that no side always has the same neighbour. */
async function makeRound(bench: Bench, round: number, runsOnASide: number): Promise<Record<Arm, LoadRun[]>> {
  const runs: Record<Arm, LoadRun[]> = { first: [], second: [], slowed: [] };
  for (let turn = 0; turn < runsOnASide; turn += 1) {
    for (let place = 0; place < arms.length; place += 1) {
      const arm = arms[(place + turn + round) % arms.length] ?? "first";
      await bench.service.slow(arm === "slowed" ? slowdown : 1);
      runs[arm].push(await makeRun(bench, `${round}-${arm}-${turn}`));
    }
  }
  return runs;
}

/** One run; one that measured nothing, since the machine was busy, is made again, as a user would. */
async function makeRun({ k6Path, folder, service, fixtures, signal }: Bench, name: string): Promise<LoadRun> {
  let reasons: readonly string[] = [];
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const startedAt = new Date().toISOString();
    const result = await runLoad({
      k6Path,
      scenario: "lookup",
      profileName: "bench",
      profile: {
        ...profiles.smoke,
        stages: [
          { seconds: 0, rate },
          { seconds, rate },
        ],
        virtualUsers: 40,
      },
      target: { baseUrl: service.baseUrl, key: service.key },
      fixtures,
      outDir: folder,
      progress: () => undefined,
      signal,
    });
    if (result.verdict !== "invalid") return loadRunOf(name, startedAt, result);
    reasons = result.reasons;
  }
  throw new CannotRunError({
    what: "The bench could not measure",
    where: reasons.join("; "),
    mend: "Run it while the machine has nothing else to do.",
  });
}

function renderTable(same: readonly Answer[], slower: readonly Answer[]): string {
  const answers = ["slower", "same", "faster", "inconclusive"] as const;
  const count = (all: readonly Answer[], answer: Answer) => all.filter((each) => each === answer).length;
  const line = (name: string, all: readonly Answer[]) =>
    `${name.padEnd(22)}${answers.map((answer) => String(count(all, answer)).padStart(14)).join("")}`;
  const held = (holds: boolean) => (holds ? "yes" : "NO");
  const few = count(same, "slower") <= same.length / 20;
  const most = count(slower, "slower") >= slower.length * 0.9;
  return [
    "",
    `${`of ${same.length} pairs`.padEnd(22)}${answers.map((answer) => answer.padStart(14)).join("")}`,
    line("A/A", same),
    line("20 % held back longer", slower),
    `at most 1 of 20 A/A pairs slower: ${held(few)}; at least 18 of 20 slowed pairs slower: ${held(most)}`,
  ].join("\n");
}
