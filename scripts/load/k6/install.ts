import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BuildOptions, buildK6 } from "./build.ts";
import type { Cache } from "./cache.ts";
import type { DownloadOptions } from "./download.ts";
import { probeK6, type Release, releases } from "./version.ts";

export type K6Source = "K6_BIN" | "PATH" | "cache" | "release" | "go";

/** A k6 binary with a supported version. */
export interface K6 {
  readonly path: string;
  readonly version: string;
  readonly source: K6Source;
}

/** One attempt to find or get k6. `outcome` is a phrase for messages. */
export interface K6Attempt {
  readonly source: K6Source;
  readonly outcome: string;
}

export type InstallOptions = DownloadOptions & BuildOptions;

/**
 * Installs the official release into the cache, or else builds it with Go. A cached binary that does not work is replaced.
 * Two runs at once may both download or build; the one that is second uses the binary of the first.
 *
 * @returns the k6, or the outcome of each attempt when none worked.
 * @throws the signal's reason, when aborted.
 */
export async function installK6(cache: Cache, options: InstallOptions): Promise<K6 | readonly K6Attempt[]> {
  try {
    await mkdir(cache.folder, { recursive: true });
    await deleteForgotten(cache.folder, new Date());
    return await downloadOrBuild(cache, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    return [{ source: "cache", outcome: `${cache.folder} cannot be used: ${reasonOf(error)}` }];
  }
}

/** Downloads the preferred release, or else builds it. Tries the older release only if both fail. */
async function downloadOrBuild(cache: Cache, options: InstallOptions): Promise<K6 | readonly K6Attempt[]> {
  const { binaryName } = cache;
  const [preferred, ...others] = releases;
  const released = await tryRelease("release", { cache, options, release: preferred }, async (folder) => {
    // Imported late: most runs find k6, and need no unpacking and no second HTTP client.
    const { downloadK6 } = await import("./download.ts");
    return downloadK6(preferred, folder, binaryName, options);
  });
  if ("path" in released) return released;
  options.progress(`k6: could not be downloaded (${released.outcome})`);
  const failed: K6Attempt[] = [released];
  for (const release of [preferred, ...others]) {
    const built = await tryRelease("go", { cache, options, release }, (folder) =>
      buildK6(release, folder, binaryName, options),
    );
    if ("path" in built) return built;
    if (failed.at(-1)?.outcome !== built.outcome) failed.push(built);
  }
  return failed;
}

const incomingPrefix = ".incoming-";
const forgottenMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Gets a binary into a temporary folder of the cache, tests it there, and moves it to its place, which is atomic.
 *
 * @param getInto Downloads or builds into the folder, and returns the path of the binary.
 */
async function tryRelease(
  source: K6Source,
  { cache, options, release }: { cache: Cache; options: InstallOptions; release: Release },
  getInto: (folder: string) => Promise<string>,
): Promise<K6 | K6Attempt> {
  try {
    const incoming = await mkdtemp(join(cache.folder, incomingPrefix));
    try {
      const finished = await getInto(incoming);
      const probe = await probeK6(finished, options.env, options.signal);
      if (probe.kind === "unfit") throw new Error(`the new k6 ${probe.reason}`);
      const path = cache.binaryOf(release);
      // Another run was faster, and Windows replaces no binary that is running.
      const cached = await probeK6(path, options.env, options.signal);
      if (cached.kind === "fit") return { path, version: cached.version, source: "cache" };
      await mkdir(dirname(path), { recursive: true });
      await rename(finished, path);
      return { path, version: probe.version, source };
    } finally {
      await rm(incoming, { recursive: true, force: true, maxRetries: 3 });
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    return { source, outcome: reasonOf(error) };
  }
}

/**
 * Deletes the folders that killed runs left behind a day ago or earlier. Not sooner: whether a run is alive cannot be told
 * where containers share the folder.
 */
async function deleteForgotten(folder: string, now: Date): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(incomingPrefix)) continue;
    const path = join(folder, name);
    const modified = await stat(path).catch(() => undefined);
    if (modified === undefined || now.getTime() - modified.mtimeMs < forgottenMilliseconds) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/** An error and its causes in one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message || (error as NodeJS.ErrnoException).code || error.name;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
}
