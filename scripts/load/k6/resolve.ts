import { resolve } from "node:path";
import { CannotRunError, UsageError } from "../../errors.ts";
import type { Progress } from "../../io.ts";
import { installK6, type K6, type K6Attempt } from "./install.ts";
import { cacheOf, filesInCache, filesOnPath, type Host } from "./places.ts";
import { acceptedVersions, officialReleases, probeK6 } from "./version.ts";

export interface K6Options extends Host {
  /** Reads K6_BIN, PATH, XDG_CACHE_HOME, HOME, SHELFCHECK_K6_OFFLINE, HTTP(S)_PROXY and NO_PROXY. Passed on to k6 and Go. */
  readonly env: NodeJS.ProcessEnv;
  /** Called with progress lines, without line ends, while k6 is downloaded or built. */
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
  /** URL of the folder of all releases, without a slash at the end. Default: the official one. */
  readonly releaseBaseUrl?: string;
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
  const { env, signal } = options;
  const cache = cacheOf(env, options);
  const places = env.K6_BIN
    ? [{ source: "K6_BIN", paths: [resolve(env.K6_BIN)], otherwise: "" } as const]
    : ([
        { source: "K6_BIN", paths: [], otherwise: "not set" },
        // All of them, since an unsupported version may come first.
        {
          source: "PATH",
          paths: await filesOnPath(cache.binaryName, env),
          otherwise: `no ${cache.binaryName} there`,
        },
        { source: "cache", paths: await filesInCache(cache), otherwise: `none in ${cache.folder}` },
      ] as const);
  const tried: K6Attempt[] = [];
  for (const { source, paths, otherwise } of places) {
    if (paths.length === 0) tried.push({ source, outcome: otherwise });
    for (const path of paths) {
      const probe = await probeK6(path, env, signal);
      const isFit = probe.kind === "fit";
      tried.push({ source, outcome: `${path} ${isFit ? `is version ${probe.version}` : probe.reason}` });
      if (isFit) return { found: { path, version: probe.version, source }, tried };
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
  const isOffline = !["", "0", "false"].includes(options.env.SHELFCHECK_K6_OFFLINE ?? "");
  const installed = isOffline
    ? [{ source: "release", outcome: "skipped, as SHELFCHECK_K6_OFFLINE is set" }]
    : await installK6(cacheOf(options.env, options), { releaseBaseUrl: officialReleases, ...options });
  if ("path" in installed) return installed;
  throw new CannotRunError({
    what: "No k6 was found to run the load",
    where: [...tried, ...installed].map(({ source, outcome }) => `${source}: ${outcome}`).join("; "),
    fix: `${k6Fixes}.`,
  });
}
