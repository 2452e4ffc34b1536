import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
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
