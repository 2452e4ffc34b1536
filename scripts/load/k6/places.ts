import { stat } from "node:fs/promises";
import { arch, homedir, platform } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { type Release, releases } from "./version.ts";

/** The machine for which a k6 is wanted. Default: this one */
export interface Host {
  readonly platform?: NodeJS.Platform;
  readonly arch?: string;
}

/** Where downloaded and built k6 binaries are kept, by version and platform, since machines may share a home directory. */
export interface Cache {
  /** `$XDG_CACHE_HOME/shelfcheck`, or `~/.cache/shelfcheck` on every platform. */
  readonly folder: string;
  /** Path of the binary of a release, which may not exist. */
  binaryOf(release: Release): string;
  /** `k6`, or `k6.exe` on Windows. */
  readonly binaryName: string;
}

/** The paths of the cache, outside of the checkout. A relative XDG_CACHE_HOME is ignored, as its specification requires. */
export function cacheOf(env: NodeJS.ProcessEnv, host: Host): Cache {
  const { platform: os = platform(), arch: processor = arch() } = host;
  const xdg = env.XDG_CACHE_HOME;
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env.HOME || homedir(), ".cache");
  const folder = join(base, "shelfcheck");
  const binaryName = os === "win32" ? "k6.exe" : "k6";
  return {
    folder,
    binaryName,
    binaryOf: ({ version }) => join(folder, `k6-v${version}-${os}-${processor}`, binaryName),
  };
}

/** Paths of the binaries in the cache, that of the preferred release first. */
export async function filesInCache(cache: Cache): Promise<readonly string[]> {
  return existing(releases.map(cache.binaryOf));
}

/** Every file of that name on PATH, in order. Relative folders are ignored, since they depend on the working directory. */
export async function filesOnPath(name: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return existing([...new Set(folders)].map((folder) => join(folder, name)));
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const isFile = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        (found) => found.isFile(),
        () => false,
      ),
    ),
  );
  return paths.filter((_, place) => isFile[place]);
}
