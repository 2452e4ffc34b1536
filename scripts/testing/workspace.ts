import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Results } from "../../schemas/types.ts";
import { resultsMistakes } from "../run/validate.ts";
import {
  environmentOf,
  type Finished,
  type ReadyLine,
  runCommand,
  runHere,
  startCommand,
} from "./command.ts";

/** A `serve` under way, and the environment with which another command line meets it. */
interface Served extends AsyncDisposable {
  readonly ready: ReadyLine;
  readonly env: NodeJS.ProcessEnv;
}

/** A folder of its own for command lines to run in, and one served service with its limit out of reach. */
interface Workspace extends AsyncDisposable {
  readonly cwd: string;
  readonly shared: Served;
  /** Environment to meet the shared service through another address. */
  through(baseUrl: string): NodeJS.ProcessEnv;
  /** Runs the command line in this process. */
  run(argv: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  /** Runs it in a process of its own: for what only that shows. */
  runProcess(argv: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  start(argv: readonly string[], env?: NodeJS.ProcessEnv): ReturnType<typeof startCommand>;
  /** A service for one test alone, limit and all. */
  serve(...flags: string[]): Promise<Served>;
  /** What `--out out` holds; held against the schema of results. */
  resultsOf(out: string): Promise<Results>;
}

/** Opens a workspace, whose shared service has these flags of `serve` too; close it when done. */
export async function openWorkspace(...sharedFlags: readonly string[]): Promise<Workspace> {
  const cwd = await mkdtemp(join(tmpdir(), "shelfcheck-commandline-"));

  async function serve(...flags: string[]): Promise<Served> {
    const command = startCommand(["serve", ...flags], { cwd });
    const ready: ReadyLine = JSON.parse(await command.firstLine);
    return { ready, env: environmentOf(ready), [Symbol.asyncDispose]: () => command[Symbol.asyncDispose]() };
  }

  const shared = await serve("--rate", "1000", "--burst", "1000", ...sharedFlags);
  return {
    cwd,
    shared,
    through: (base_url) => environmentOf({ ...shared.ready, base_url }),
    run: (argv, env = {}) => runHere(argv, { cwd, env }),
    runProcess: (argv, env = {}) => runCommand(argv, { cwd, env }),
    start: (argv, env = {}) => startCommand(argv, { cwd, env }),
    serve,
    async resultsOf(out) {
      const text = await readFile(join(cwd, out, "latest", "results.json"), "utf8");
      const results: Results = JSON.parse(text);
      expect(resultsMistakes(results)).toEqual([]);
      return results;
    },
    async [Symbol.asyncDispose]() {
      await shared[Symbol.asyncDispose]();
      await rm(cwd, { recursive: true });
    },
  };
}

/** A line of a stack trace, which no message for a person holds. */
export const stackTrace = /^\s+at .*:\d+/m;
