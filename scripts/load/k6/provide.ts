import { rm } from "node:fs/promises";
import { buildK6 } from "./build.ts";
import { type Cache, install, sweepIncoming, withCacheLock, withIncomingFolder } from "./cache.ts";
import { isFile } from "./on-path.ts";
import { probeK6, type Release, releases } from "./version.ts";

export type K6Source = "K6_BIN" | "PATH" | "cache" | "release" | "go";

/** A k6 binary with a supported version. */
export interface K6 {
  readonly path: string;
  readonly version: string;
  readonly source: K6Source;
}

/** The result of one attempt to find or get k6. `outcome` is a phrase for messages. */
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
 * Fills the cache from the official release, or else by building with Go. One run at a time does so; others wait and use
 * its result. A cached binary that does not work is deleted first.
 *
 * @returns the k6, or the outcome of each attempt when none worked.
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

/** The k6 that another run provided while this one waited for the lock. */
async function fromCache(cache: Cache, options: ProvideOptions): Promise<K6 | undefined> {
  for (const path of cache.binaries) {
    if (!(await isFile(path))) continue;
    const probe = await probeK6(path, options.env, options.signal);
    if (probe.kind === "fit") return { path, version: probe.version, source: "cache" };
    options.progress(`k6: the cached ${path} ${probe.reason}; replacing it`);
    await rm(path, { force: true });
  }
  return undefined;
}

/** Downloads the preferred release, or else builds it. Tries the older release only if both fail. */
async function fill(cache: Cache, options: ProvideOptions): Promise<K6 | readonly Tried[]> {
  const { binaryName } = cache;
  const [preferred, ...others] = releases;
  const released = await make("release", { cache, options, release: preferred }, async (folder) => {
    // Imported late: most runs find k6, and need no unpacking and no second HTTP client.
    const { downloadK6 } = await import("./download.ts");
    return downloadK6(preferred, folder, binaryName, options);
  });
  if ("path" in released) return released;
  options.progress(`k6: could not be downloaded (${released.outcome})`);
  const tried: Tried[] = [released];
  for (const release of [preferred, ...others]) {
    const built = await make("go", { cache, options, release }, (folder) =>
      buildK6(release, folder, binaryName, options),
    );
    if ("path" in built) return built;
    if (tried.at(-1)?.outcome !== built.outcome) tried.push(built);
  }
  return tried;
}

/** Makes a binary in a temporary folder, tests it there, and moves it into the cache atomically. */
async function make(
  source: K6Source,
  { cache, options, release }: { cache: Cache; options: ProvideOptions; release: Release },
  makeIn: (folder: string) => Promise<string>,
): Promise<K6 | Tried> {
  try {
    return await withIncomingFolder(cache, async (incoming) => {
      const made = await makeIn(incoming);
      const probe = await probeK6(made, options.env, options.signal);
      if (probe.kind === "unfit") throw new Error(`the new k6 ${probe.reason}`);
      const path = cache.binaryOf(release);
      await install(path, made);
      return { path, version: probe.version, source };
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
