import { arch, platform } from "node:os";
import { resolve } from "node:path";
import { CannotRunError, UsageError } from "../../errors.ts";
import type { Progress } from "../../io.ts";
import { cacheOf } from "./cache.ts";
import { installK6, type K6, type K6Attempt, type K6Source } from "./install.ts";
import { filesOnPath, isFile } from "./on-path.ts";
import { acceptedVersions, officialReleases, probeK6 } from "./version.ts";

export interface K6Options {
  /** Reads K6_BIN, PATH, XDG_CACHE_HOME, HOME, SHELFCHECK_K6_OFFLINE, HTTP(S)_PROXY and NO_PROXY. Passed on to k6 and Go. */
  readonly env: NodeJS.ProcessEnv;
  /** Called with progress lines, without line ends, while k6 is downloaded or built. */
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
  /** Default: the platform of this machine. */
  readonly platform?: NodeJS.Platform;
  /** Default: the architecture of this machine. */
  readonly arch?: string;
  /** URL of the folder of all releases, without a slash at the end. Default: the official one. */
  readonly releaseBaseUrl?: string;
  /** How often a build reports progress. Default: 10 000. */
  readonly heartbeatMilliseconds?: number;
}

/** Result of `findK6`. If K6_BIN is set, nothing else is tried: a k6 that the user names is never replaced silently. */
export interface K6Findings {
  readonly found: K6 | undefined;
  readonly tried: readonly K6Attempt[];
}

const fitting = `k6 ${acceptedVersions}`;

/** How to provide k6, for error messages and `doctor`. */
export const k6Fixes =
  `Set K6_BIN to the path of ${fitting}; or install it on PATH; ` +
  "or allow the download from github.com; or install Go 1.25 or later to build it";

/**
 * Looks for k6 without downloading or building it: K6_BIN, then each `k6` on PATH, then the cache.
 *
 * @throws the signal's reason, when aborted.
 */
export async function findK6(options: K6Options): Promise<K6Findings> {
  const tried: K6Attempt[] = [];
  for (const { source, paths, otherwise } of await placesToLook(options)) {
    if (paths.length === 0) tried.push({ source, outcome: otherwise });
    for (const path of paths) {
      const probe = await probeK6(path, options.env, options.signal);
      if (probe.kind === "fit") {
        tried.push({ source, outcome: `${path} is version ${probe.version}` });
        return { found: { path, version: probe.version, source }, tried };
      }
      tried.push({ source, outcome: `${path} ${probe.reason}` });
    }
  }
  return { found: undefined, tried };
}

/**
 * Finds a supported k6 as `findK6` does. Otherwise downloads the official release and verifies its checksum, or else builds
 * k6 with Go, and stores it in the cache. With SHELFCHECK_K6_OFFLINE=1 nothing is downloaded or built.
 *
 * @throws UsageError when K6_BIN does not name a supported k6; CannotRunError when there is no other k6; the signal's reason
 *   when aborted, after child processes have ended and temporary files have been deleted.
 */
export async function resolveK6(options: K6Options): Promise<K6> {
  const { found, tried } = await findK6(options);
  if (found !== undefined) return found;
  if (options.env.K6_BIN) {
    throw new UsageError({
      what: "K6_BIN does not name a usable k6",
      where: tried.map(({ outcome }) => outcome).join("; "),
      fix: `Set it to the path of ${fitting}, or unset it to have k6 found or downloaded.`,
    });
  }
  if (isOffline(options.env)) {
    throw noK6([...tried, { source: "release", outcome: "skipped, as SHELFCHECK_K6_OFFLINE is set" }]);
  }
  const { platform, arch } = hostOf(options);
  const installed = await installK6(cacheOf(options.env, platform, arch), {
    ...options,
    platform,
    arch,
    releaseBaseUrl: options.releaseBaseUrl ?? officialReleases,
    heartbeatMilliseconds: options.heartbeatMilliseconds ?? 10_000,
  });
  if ("path" in installed) return installed;
  throw noK6([...tried, ...installed]);
}

interface Place {
  readonly source: K6Source;
  readonly paths: readonly string[];
  /** The outcome when there are no paths. */
  readonly otherwise: string;
}

async function placesToLook(options: K6Options): Promise<readonly Place[]> {
  const { env } = options;
  if (env.K6_BIN) return [{ source: "K6_BIN", paths: [resolve(env.K6_BIN)], otherwise: "" }];
  const { platform, arch } = hostOf(options);
  const cache = cacheOf(env, platform, arch);
  const cached: string[] = [];
  for (const path of cache.binaries) if (await isFile(path)) cached.push(path);
  return [
    { source: "K6_BIN", paths: [], otherwise: "not set" },
    // All of them, since an unsupported version may come first.
    {
      source: "PATH",
      paths: await filesOnPath(cache.binaryName, env),
      otherwise: `no ${cache.binaryName} there`,
    },
    { source: "cache", paths: cached, otherwise: `none in ${cache.folder}` },
  ];
}

function hostOf(options: K6Options): { platform: NodeJS.Platform; arch: string } {
  return { platform: options.platform ?? platform(), arch: options.arch ?? arch() };
}

function isOffline(env: NodeJS.ProcessEnv): boolean {
  return !["", "0", "false"].includes(env.SHELFCHECK_K6_OFFLINE ?? "");
}

function noK6(tried: readonly K6Attempt[]): CannotRunError {
  return new CannotRunError({
    what: "No k6 was found to run the load",
    where: tried.map(({ source, outcome }) => `${source}: ${outcome}`).join("; "),
    fix: `${k6Fixes}.`,
  });
}
