import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { environmentOf, type Finished, type ReadyLine, runHere, serveHere } from "./command.ts";

/** A load of one second. Its thresholds hold on a busy machine, too. */
const relaxed = {
  ...profiles.smoke,
  stages: constantRate(10, 1),
  virtualUsers: 10,
  thresholds: {
    p95Milliseconds: 60_000,
    failedShare: 0,
    invalidShare: 0,
    droppedShare: 1,
    lagMilliseconds: 60_000,
  },
};

/** It in place of the profiles that commands use by default. */
export const relaxedProfiles = { smoke: relaxed, gate: relaxed };

/** A running `serve`, and the environment for a command line whose target it is. */
interface Served extends AsyncDisposable {
  readonly ready: ReadyLine;
  readonly env: NodeJS.ProcessEnv;
}

/** A folder in which command lines run, and a service whose rate limit is never reached. */
interface Workspace extends AsyncDisposable {
  readonly cwd: string;
  readonly shared: Served;
  /** Environment for the shared service at another address. */
  through(baseUrl: string): NodeJS.ProcessEnv;
  /** Runs the command line in this process. */
  run(argv: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  /** Starts a service for one test, with a rate limit. */
  serve(...flags: string[]): Promise<Served>;
  /** The results of the last run in `out`. */
  resultsOf(out: string): Promise<Results>;
}

/** Opens a workspace; `sharedFlags` are further flags of `serve` for the shared service. Close it when done. */
export async function openWorkspace(...sharedFlags: readonly string[]): Promise<Workspace> {
  const cwd = await mkdtemp(join(tmpdir(), "shelfcheck-commandline-"));

  async function serve(...flags: string[]): Promise<Served> {
    const served = await serveHere(flags, cwd);
    return { ...served, env: environmentOf(served.ready) };
  }

  // As many products as a trial of the proof has: every kind of field and id.
  const flags = ["--rate", "1000", "--burst", "1000", "--products", "180"];
  const shared = await serve(...flags, ...sharedFlags);
  return {
    cwd,
    shared,
    through: (base_url) => environmentOf({ ...shared.ready, base_url }),
    run: (argv, env = {}) => runHere(argv, { cwd, env }),
    serve,
    async resultsOf(out) {
      return JSON.parse(await readFile(join(cwd, out, "latest", "results.json"), "utf8")) as Results;
    },
    async [Symbol.asyncDispose]() {
      await shared[Symbol.asyncDispose]();
      await rm(cwd, { recursive: true });
    },
  };
}

/** A line of a stack trace, which no message may contain. */
export const stackTrace = /^\s+at .*:\d+/m;
