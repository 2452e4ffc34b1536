import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import lockfile from "proper-lockfile";
import { type Release, releases } from "./version.ts";

/** Where downloaded and built k6 binaries are kept, by version and platform, since machines may share a home directory. */
export interface Cache {
  /** `$XDG_CACHE_HOME/shelfcheck`, or `~/.cache/shelfcheck` on every platform. */
  readonly folder: string;
  /** Path of the binary of a release, which may not exist. */
  binaryOf(release: Release): string;
  /** Paths of the binaries of all releases, the preferred one first. */
  readonly binaries: readonly string[];
  /** `k6`, or `k6.exe` on Windows. */
  readonly binaryName: string;
}

export interface LockOptions {
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly heartbeatMilliseconds: number;
}

const incomingPrefix = ".incoming-";
const forgottenMilliseconds = 24 * 60 * 60 * 1000;
const lockPollMilliseconds = 250;

/** Our cache folder, outside of the checkout. A relative XDG_CACHE_HOME is ignored, as its specification requires. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const xdg = env.XDG_CACHE_HOME;
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env.HOME || homedir(), ".cache");
  return join(base, "shelfcheck");
}

/** The paths of the cache. Creates nothing. */
export function cacheOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, arch: string): Cache {
  const folder = cacheFolder(env);
  const binaryName = platform === "win32" ? "k6.exe" : "k6";
  const binaryOf = ({ version }: Release) => join(folder, `k6-v${version}-${platform}-${arch}`, binaryName);
  return { folder, binaryOf, binaries: releases.map(binaryOf), binaryName };
}

/**
 * Runs `work` while holding the lock of the cache, so that only one run downloads or builds k6. The lock of a process that
 * died expires after ten seconds.
 *
 * @throws the signal's reason when aborted while waiting; the file system's error when the folder cannot be written.
 */
export async function withCacheLock<T>(
  cache: Cache,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(cache.folder, { recursive: true });
  const release = await takeLock(cache, options);
  try {
    return await work();
  } finally {
    // Fails only if the lock was lost in the meantime. Then another process holds it.
    await release().catch(() => {});
  }
}

async function takeLock(cache: Cache, options: LockOptions): Promise<() => Promise<void>> {
  const startedAt = performance.now();
  let saidAt: number | undefined;
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      return await lockfile.lock(cache.folder, {
        lockfilePath: join(cache.folder, "k6.lock"),
        realpath: false,
        stale: 10_000,
        update: 2_000,
        // Lost, for example because the machine was suspended. Two runs at once do no harm: each ends with an atomic rename.
        onCompromised: () => {},
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ELOCKED") throw error;
    }
    const now = performance.now();
    if (saidAt === undefined || now - saidAt >= options.heartbeatMilliseconds) {
      saidAt = now;
      const seconds = Math.round((now - startedAt) / 1000);
      options.progress(`k6: another run is preparing k6; waiting for it (${seconds} s)`);
    }
    await delay(lockPollMilliseconds, undefined, { signal: options.signal }).catch(() => {});
  }
}

/** Runs `work` with an empty folder inside the cache, and deletes the folder afterwards. */
export async function withIncomingFolder<T>(
  cache: Cache,
  work: (incoming: string) => Promise<T>,
): Promise<T> {
  const incoming = await mkdtemp(join(cache.folder, `${incomingPrefix}${process.pid}-`));
  try {
    return await work(incoming);
  } finally {
    await rm(incoming, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Moves a finished binary to its place atomically. */
export async function install(binary: string, finished: string): Promise<void> {
  await mkdir(dirname(binary), { recursive: true });
  await rename(finished, binary);
}

/**
 * Deletes the folders that aborted runs left behind. Call it with the lock held: then a folder with our own process id is
 * also left over (in containers, process ids repeat). The folder of a living process is kept for a day, in case it lost
 * its lock.
 */
export async function sweepIncoming(cache: Cache, now: Date): Promise<void> {
  for (const name of await readdir(cache.folder)) {
    if (!name.startsWith(incomingPrefix)) continue;
    const path = join(cache.folder, name);
    const pid = Number.parseInt(name.slice(incomingPrefix.length), 10);
    const modified = await stat(path).catch(() => undefined);
    const forgotten = modified !== undefined && now.getTime() - modified.mtimeMs > forgottenMilliseconds;
    if (pid !== process.pid && isAlive(pid) && !forgotten) continue;
    await rm(path, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
