import { setTimeout as sleep } from "node:timers/promises";
import type { KeyPieces } from "./key-pieces.ts";
import {
  isRunning,
  memoryOf,
  processesWith,
  processTree,
  readProcess,
  type SystemProcess,
} from "./processes.ts";

/** Observations of a command and of the processes that it started. */
export interface Watched {
  /** Most memory of all of them together, in bytes. */
  readonly memoryBytes: number;
  /** Where in a command line or an environment a piece of a key was found. */
  readonly leaks: readonly string[];
  /** Programs that still ran some seconds after the command had ended. */
  readonly orphans: readonly string[];
}

export interface WatchOptions {
  /** A text in the environment of the command and of the processes that it started. */
  readonly mark: string;
  readonly pieces: KeyPieces;
  /** Whether the process needs a key in its environment. */
  readonly needsKey: (one: SystemProcess) => boolean;
}

const memoryEveryMilliseconds = 100;
/** Each scan reads the whole process table, hence a longer period than that of the memory. */
const scanEveryMilliseconds = 300;
/** k6 may take 5 seconds to notice that the process that started it is gone. */
const graceMilliseconds = 6000;

/** Every program inherits the proxies of the environment, with their credentials, and tools need them to download. */
function withoutProxies(environment: string): string {
  const variables = environment.split("\0");
  return variables.filter((one) => !/^https?_proxy=/i.test(one)).join("\0");
}

/** Watches the process `root`, and all below it, until `end` is called. */
export function watchProcesses(
  root: number,
  { mark, pieces, needsKey }: WatchOptions,
): { end(): Promise<Watched> } {
  const stop = new AbortController();
  const leaks = new Set<string>();
  const known = new Map<string, SystemProcess>();
  let current: readonly number[] = [root];
  let most = 0;
  const watching = Promise.all([every(memoryEveryMilliseconds, measure), every(scanEveryMilliseconds, scan)]);

  async function every(milliseconds: number, work: () => Promise<void>): Promise<void> {
    while (!stop.signal.aborted) {
      await work();
      await sleep(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  async function measure(): Promise<void> {
    const sizes = await Promise.all(current.map(memoryOf));
    most = Math.max(
      most,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }

  async function scan(): Promise<void> {
    current = await processTree(root);
    const own = await readProcess(root);
    for (const pid of current.slice(1)) {
      const found = await readProcess(pid);
      // A process with the command line of its parent was just forked, and has not started its program yet.
      if (found === undefined || found.commandLine === own?.commandLine) continue;
      const id = `${pid} ${found.startedAt} ${found.commandLine}`;
      if (known.has(id)) continue;
      known.set(id, found);
      if (await pieces.find(found.commandLine)) leaks.add(`arguments of ${found.program}`);
      if (!needsKey(found) && (await pieces.find(withoutProxies(found.environment))))
        leaks.add(`environment of ${found.program}`);
    }
  }

  async function left(): Promise<SystemProcess[]> {
    const seen = await Promise.all(
      [...known.values()].map(async (one) => ((await isRunning(one)) ? [one] : [])),
    );
    const all = [...seen.flat(), ...(await processesWith(mark))];
    return [...new Map(all.map((one) => [one.pid, one])).values()];
  }

  async function orphansAfterGrace(): Promise<string[]> {
    const until = performance.now() + graceMilliseconds;
    for (let orphans = await left(); orphans.length > 0; orphans = await left()) {
      if (performance.now() > until) {
        for (const { pid } of orphans) process.kill(pid, "SIGKILL");
        return orphans.map(({ program }) => program);
      }
      await sleep(250);
    }
    return [];
  }

  return {
    async end() {
      stop.abort();
      await watching;
      return { memoryBytes: most, leaks: [...leaks], orphans: await orphansAfterGrace() };
    },
  };
}
