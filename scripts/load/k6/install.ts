import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BuildOptions, buildK6 } from "./build.ts";
import { type DownloadOptions, downloadK6 } from "./download.ts";
import type { Cache } from "./places.ts";
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
 * Installs the official release into the cache, or else builds it with Go: the preferred release, or else an older one. A
 * cached binary that does not work is replaced. Two runs at once may both download or build; the one that is second uses
 * the binary of the first.
 *
 * @returns the k6, or the outcome of each attempt when none worked.
 * @throws the signal's reason, when aborted.
 */
export async function installK6(cache: Cache, options: InstallOptions): Promise<K6 | readonly K6Attempt[]> {
  const failed: K6Attempt[] = [];
  const attempts = [
    { source: "release", release: releases[0], getInto: downloadK6 },
    ...releases.map((release) => ({ source: "go", release, getInto: buildK6 }) as const),
  ] as const;
  for (const { source, release, getInto } of attempts) {
    try {
      return await viaTemporaryFolder(source, { cache, options, release }, getInto);
    } catch (error) {
      options.signal?.throwIfAborted();
      const outcome = reasonOf(error);
      if (source === "release") options.progress(`k6: could not be downloaded (${outcome})`);
      if (failed.at(-1)?.outcome !== outcome) failed.push({ source, outcome });
    }
  }
  return failed;
}

/**
 * Gets a binary into a temporary folder of the cache, tests it there, and moves it to its place, which is atomic.
 *
 * @param getInto Downloads or builds the binary, with temporary files in the folder.
 */
async function viaTemporaryFolder(
  source: K6Source,
  { cache, options, release }: { cache: Cache; options: InstallOptions; release: Release },
  getInto: (release: Release, binary: string, folder: string, options: InstallOptions) => Promise<void>,
): Promise<K6> {
  const incoming = await newFolderIn(cache.folder);
  try {
    const finished = join(incoming, cache.binaryName);
    await getInto(release, finished, incoming, options);
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
}

async function newFolderIn(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    return await mkdtemp(join(folder, ".incoming-"));
  } catch (error) {
    throw new Error(`the cache ${folder} cannot be used`, { cause: error });
  }
}

/** An error and its causes in one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message || (error as NodeJS.ErrnoException).code || error.name;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
}
