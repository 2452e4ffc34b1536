import { spawn } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setInterval } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";

/** What every part of the benchmark needs. */
export interface Workplace {
  readonly k6Path: string;
  /** "k6 2.2.0" */
  readonly k6Version: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  /** Another checkout to measure, too. */
  readonly beside?: string | undefined;
}

const here = fileURLToPath(new URL("../..", import.meta.url));

/** The traffic of a measured run. */
export interface LoadShape {
  readonly rate: number;
  readonly seconds: number;
  readonly users: number;
}

const products = 400;

/** For all peers, as `load` does for a lookup: without URL and GTIN, so that every lookup is by id. */
export async function writeFixtures(folder: string): Promise<string> {
  const { tenants: _, ...fixtures } = sampleFixtures(products);
  const path = join(folder, "fixtures.json");
  const byIdOnly = fixtures.products.map(({ retailer, product_id }) => ({ retailer, product_id }));
  await writeFile(path, JSON.stringify({ ...fixtures, products: byIdOnly }));
  return path;
}

/** How a scenario of shelfcheck is run. */
interface OursOptions {
  readonly flags?: readonly string[];
  /** Default: "lookup" */
  readonly scenario?: "lookup" | "paging" | "batch";
  /** Collects garbage as often as Go does by default, not as rarely as `load` makes it. Default: false */
  readonly plain?: boolean;
  /** Whose scenario. Default: this checkout */
  readonly checkout?: string | undefined;
}

/** Runs a scenario of shelfcheck, with k6 as `load` starts it. */
export async function measureOurs(
  work: Workplace,
  baseUrl: string,
  shape: LoadShape,
  { flags = [], scenario = "lookup", plain = false, checkout = here }: OursOptions = {},
): Promise<Usage> {
  const folder = await mkdtemp(join(work.folder, "ours-"));
  const path = join(folder, "profile.json");
  const stages = constantRate(shape.rate, shape.seconds);
  const profile = { ...profiles.smoke, stages, virtualUsers: shape.users, batchShare: 1 };
  await writeFile(path, JSON.stringify(profile));
  const { bundleScenario } = await moduleOf<Bundle>(checkout, "bundle/bundle.ts");
  const bundle = await bundleScenario(scenario, folder);
  const variables = { SHELFCHECK_PROFILE: path, ...(plain ? {} : await collectorOfLoad(shape, checkout)) };
  return await measureK6(work, bundle, baseUrl, shape, { flags, variables });
}

type Bundle = typeof import("../../scripts/load/bundle/bundle.ts");
type Supervision = typeof import("../../scripts/load/supervision.ts");

/** A module of the load part of a checkout, which may be older than this one. */
async function moduleOf<Module>(checkout: string, name: string): Promise<Module> {
  return (await import(pathToFileURL(join(checkout, "scripts/load", name)).href)) as Module;
}

/** How `load` sets the garbage collector of k6, for a run that is far from its memory limit. */
export async function collectorOfLoad(
  { users }: LoadShape,
  checkout = here,
): Promise<Record<string, string>> {
  const supervision = await moduleOf<Partial<Supervision>>(checkout, "supervision.ts");
  // Older checkouts read the number of virtual users.
  const size = { responses: users, virtualUsers: users, memoryBytes: 1e9 };
  return { ...supervision.collectorVariables?.(size) };
}

/** Runs a k6 script with the same target and traffic. */
export async function measureK6(
  { k6Path, folder, env, signal }: Workplace,
  script: string,
  baseUrl: string,
  { rate, seconds, users }: LoadShape,
  { flags = [], variables = {} }: { flags?: readonly string[]; variables?: Record<string, string> } = {},
): Promise<Usage> {
  const k6Env = {
    ...env,
    SHELFCHECK_BASE_URL: baseUrl,
    SHELFCHECK_API_KEY: "bench-key",
    SHELFCHECK_FIXTURES: join(folder, "fixtures.json"),
    RATE: String(rate),
    SECONDS: String(seconds),
    USERS: String(users),
    ...variables,
  };
  const command = [k6Path, "run", "--quiet", "--no-usage-report", "--address=127.0.0.1:0", ...flags, script];
  return await measure(command, { env: k6Env, cwd: folder, signal });
}

/** The resources that a command used. */
interface Usage {
  readonly code: number | null;
  /** User and system time of the command and its children. */
  readonly cpuSeconds: number;
  /** Resident memory, once a second. */
  readonly memoryBytes: readonly number[];
  readonly output: string;
}

interface BenchSurroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

const pageBytes = 4096;

/** Runs a command under bash's `time`, which counts CPU until the process has ended. Linux only. */
export async function measure(
  command: readonly string[],
  { env, cwd, signal }: BenchSurroundings,
): Promise<Usage> {
  const child = spawn("bash", ["-c", 'TIMEFORMAT="bench-cpu %U %S"; time "$@"', "bash", ...command], {
    env,
    cwd,
    signal,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const stopping = new AbortController();
  const memory = sampleMemory(child.pid ?? 0, stopping.signal);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", reject);
  });
  stopping.abort();
  const [, user, system] = /bench-cpu ([0-9.]+) ([0-9.]+)/.exec(output) ?? [];
  return { code, cpuSeconds: Number(user) + Number(system), memoryBytes: await memory, output };
}

/** The process that a shell started. */
async function childOf(shell: number): Promise<string> {
  const children = await readFile(`/proc/${shell}/task/${shell}/children`, "utf8");
  return children.trim().split(" ")[0] ?? "";
}

async function sampleMemory(shell: number, signal: AbortSignal): Promise<number[]> {
  const samples: number[] = [];
  try {
    for await (const _ of setInterval(1000, undefined, { signal })) samples.push(await memoryBelow(shell));
  } catch {
    // Aborted: the command has ended.
  }
  return samples;
}

/** Resident memory of the shell's child. */
async function memoryBelow(shell: number): Promise<number> {
  try {
    const [, pages] = (await readFile(`/proc/${await childOf(shell)}/statm`, "utf8")).split(" ");
    return Number(pages) * pageBytes;
  } catch {
    return 0;
  }
}
