import { rm } from "node:fs/promises";
import { buildK6 } from "./build.ts";
import { type Cache, install, sweepIncoming, withCacheLock, withIncomingFolder } from "./cache.ts";
import { downloadK6 } from "./download.ts";
import { isFile } from "./on-path.ts";
import { probeK6 } from "./version.ts";

export type K6Source = "K6_BIN" | "PATH" | "cache" | "release" | "go";

/** A k6 that answered `k6 version` with a version that fits. */
export interface K6 {
  readonly path: string;
  readonly version: string;
  readonly source: K6Source;
}

/** What came of one place; `outcome` is a phrase for people. */
export interface Tried {
  readonly source: K6Source;
  readonly outcome: string;
}

export interface ProvideOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly releaseBaseUrl: string;
  readonly heartbeatMilliseconds: number;
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fills the cache: from the official release, else by building with Go; one run at a time, so that a second run waits and
 * uses what the first one got. A cached binary that does not work is removed first.
 *
 * @returns the k6, or what came of each way when none worked.
 * @throws the signal's reason, when aborted.
 */
export async function provideK6(cache: Cache, options: ProvideOptions): Promise<K6 | readonly Tried[]> {
  try {
    return await withCacheLock(cache, options, async () => {
      const cached = await fromCache(cache, options);
      if (cached !== undefined) return cached;
      await sweepIncoming(cache, new Date());
      return await fill(cache, options);
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    return [{ source: "cache", outcome: `${cache.folder} cannot be used: ${reasonOf(error)}` }];
  }
}

/** What another run provided while this one waited for the lock. */
async function fromCache(cache: Cache, options: ProvideOptions): Promise<K6 | undefined> {
  if (!(await isFile(cache.binary))) return undefined;
  const probe = await probeK6(cache.binary, options.env, options.signal);
  if (probe.kind === "fit") return { path: cache.binary, version: probe.version, source: "cache" };
  options.progress(`k6: the cached ${cache.binary} ${probe.reason}; fetching it again`);
  await rm(cache.binary, { force: true });
  return undefined;
}

async function fill(cache: Cache, options: ProvideOptions): Promise<K6 | readonly Tried[]> {
  const released = await make("release", cache, options, (folder) =>
    downloadK6(folder, cache.binaryName, options),
  );
  if ("path" in released) return released;
  options.progress(`k6: no download (${released.outcome})`);
  const built = await make("go", cache, options, (folder) => buildK6(folder, cache.binaryName, options));
  return "path" in built ? built : [released, built];
}

/** One way to come by the binary: made in a temporary folder, tried out there, then put in place in one step. */
async function make(
  source: K6Source,
  cache: Cache,
  options: ProvideOptions,
  makeIn: (folder: string) => Promise<string>,
): Promise<K6 | Tried> {
  try {
    return await withIncomingFolder(cache, async (incoming) => {
      const binary = await makeIn(incoming);
      const probe = await probeK6(binary, options.env, options.signal);
      if (probe.kind === "unfit") throw new Error(`the new k6 ${probe.reason}`);
      await install(cache, binary);
      return { path: cache.binary, version: probe.version, source };
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    return { source, outcome: reasonOf(error) };
  }
}

/** An error and its causes in one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message || (error as NodeJS.ErrnoException).code || error.name;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
}
