import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll } from "vitest";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { environmentOf, runHere, serveHere } from "./command.ts";
import { temporaryFolder } from "./temporary-folder.ts";

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

/**
 * A folder in which command lines run, and a service whose rate limit is never reached; `sharedFlags` are further flags of
 * its `serve`. For the tests of the file, at whose top it is called.
 */
export async function openWorkspace(...sharedFlags: readonly string[]) {
  const cwd = await temporaryFolder("commandline");

  /** Starts a service for one test, with a rate limit; `env` is the environment for a command line whose target it is. */
  async function serve(...flags: string[]) {
    const served = await serveHere(flags, cwd);
    return { ...served, env: environmentOf(served.ready) };
  }

  // As many products as a trial of the proof has: every kind of field and id.
  const flags = ["--rate", "1000", "--burst", "1000", "--products", "180"];
  const shared = await serve(...flags, ...sharedFlags);
  afterAll(() => shared[Symbol.asyncDispose]());
  return {
    cwd,
    shared,
    /** Environment for the shared service at another address. */
    through: (base_url: string) => environmentOf({ ...shared.ready, base_url }),
    /** Runs the command line in this process. */
    run: (argv: readonly string[], env: NodeJS.ProcessEnv = {}) => runHere(argv, { cwd, env }),
    serve,
    /** The results of the last run in `out`. */
    async resultsOf(out: string): Promise<Results> {
      return JSON.parse(await readFile(join(cwd, out, "latest", "results.json"), "utf8"));
    },
  };
}

/** A line of a stack trace, which no message may contain. */
export const stackTrace = /^\s+at .*:\d+/m;
