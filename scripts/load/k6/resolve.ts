import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { arch, homedir, platform } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { CannotRunError, UsageError } from "../../errors.ts";
import { run } from "./child-process.ts";
import {
  acceptedVersions,
  buildK6,
  downloadK6,
  filesOnPath,
  fits,
  isFile,
  type K6Options,
  parseK6Version,
  type Release,
  releases,
} from "./install.ts";

/** A k6 binary with a supported version. */
interface K6 {
  readonly path: string;
  readonly version: string;
  readonly source: "K6_BIN" | "PATH" | "cache" | "release" | "go";
}

const fitting = `k6 ${acceptedVersions}`;

/** How to provide k6, for error messages and `doctor`. */
export const k6Fixes =
  `Set K6_BIN to the path of ${fitting}; or install it on PATH; ` +
  "or allow the download from github.com; or install Go 1.25 or later to build it";

/**
 * Where binaries are kept, outside of the checkout: `$XDG_CACHE_HOME/shelfcheck`, or `~/.cache/shelfcheck`
 * everywhere, by version and platform, since machines may share a home directory.
 */
export function cacheOf({ env, ...machine }: Omit<K6Options, "progress">) {
  const { platform: os = platform(), arch: processor = arch() } = machine;
  const xdg = env.XDG_CACHE_HOME;
  // A relative one is ignored, as its specification requires.
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env.HOME || homedir(), ".cache");
  const folder = join(base, "shelfcheck");
  const name = os === "win32" ? "k6.exe" : "k6";
  const binaryOf = ({ version }: Release) => join(folder, `k6-v${version}-${os}-${processor}`, name);
  return { folder, name, binaryOf };
}

/**
 * Looks for k6: K6_BIN, then each `k6` on PATH, then the cache. If K6_BIN is set, nothing else is tried: a k6
 * that the user names is never replaced silently.
 * @throws the signal's reason, when aborted.
 */
export async function findK6(
  options: K6Options,
): Promise<{ readonly found: K6 | undefined; readonly tried: string[] }> {
  const { env, signal } = options;
  const { folder, name, binaryOf } = cacheOf(options);
  const source = env.K6_BIN ? "K6_BIN" : "PATH";
  const tried = env.K6_BIN ? [] : ["K6_BIN: not set"];
  // All of them on PATH, since an unsupported version may come first.
  const paths = env.K6_BIN ? [resolve(env.K6_BIN)] : await filesOnPath(name, env);
  for (const path of paths) {
    const { version, unfit } = await probeK6(path, env, signal);
    if (version !== undefined) return { found: { path, version, source }, tried };
    tried.push(`${source}: ${path} ${unfit}`);
  }
  if (env.K6_BIN) return { found: undefined, tried };
  if (paths.length === 0) tried.push(`PATH: no ${name} there`);
  for (const release of releases) {
    const path = binaryOf(release);
    // It was tried before it was moved there.
    if (await isFile(path)) return { found: { path, version: release.version, source: "cache" }, tried };
  }
  return { found: undefined, tried: [...tried, `cache: none in ${folder}`] };
}

// Windows and macOS scan a new binary before its first start, which can take many seconds.
const probeSeconds = 10;
const mostLines = 100;

/** Runs `<path> version`. `unfit` is a predicate: "does not start". @throws the signal's reason */
async function probeK6(
  path: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<{ readonly version?: string; readonly unfit?: string }> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(probeSeconds * 1000);
  const end = AbortSignal.any([timeout, ...(signal === undefined ? [] : [signal])]);
  const lines: string[] = [];
  const onLine = (_: string, line: string) => lines.length < mostLines && lines.push(line);
  const ended = await run(path, ["version"], { env, signal: end, onLine });
  signal?.throwIfAborted();
  if (ended.kind === "not-started") return { unfit: `does not start (${ended.reason})` };
  if (timeout.aborted) return { unfit: `did not print its version within ${probeSeconds} s` };
  if (ended.code !== 0) return { unfit: `fails to print its version (${ended.status})` };
  const version = parseK6Version(lines.join("\n"));
  if (version === undefined) return { unfit: "does not print a version as k6 does" };
  return fits(version) ? { version } : { unfit: `is version ${version}; required is ${acceptedVersions}` };
}

/**
 * As `findK6`; otherwise downloads the official release and verifies its checksum, or else builds k6 with Go,
 * and stores it in the cache. With SHELFCHECK_K6_OFFLINE=1 nothing is downloaded or built.
 * @throws UsageError when K6_BIN does not name a supported k6; CannotRunError when there is no other k6; the
 * signal's reason when aborted, after child processes have ended and temporary files have been deleted.
 */
export async function resolveK6(options: K6Options): Promise<K6> {
  const { found, tried } = await findK6(options);
  if (found !== undefined) return found;
  if (options.env.K6_BIN) {
    throw new UsageError({
      what: "K6_BIN does not name a usable k6",
      where: tried.join("; "),
      fix: `Set it to the path of ${fitting}, or unset it to have k6 found or downloaded.`,
    });
  }
  const isOffline = !["", "0", "false"].includes(options.env.SHELFCHECK_K6_OFFLINE ?? "");
  if (isOffline) tried.push("release: skipped, as SHELFCHECK_K6_OFFLINE is set");
  // The newest release, or else one of those that Go can get.
  const ways = [
    { source: "release", release: releases[0], getInto: downloadK6 } as const,
    ...releases.map((release) => ({ source: "go", release, getInto: buildK6 }) as const),
  ];
  for (const { source, release, getInto } of isOffline ? [] : ways) {
    try {
      return { ...(await installK6(release, getInto, options)), source };
    } catch (error) {
      options.signal?.throwIfAborted();
      const outcome = reasonOf(error);
      if (source === "release") options.progress(`k6: could not be downloaded (${outcome})`);
      tried.push(`${source}: ${outcome}`);
    }
  }
  const where = [...new Set(tried)].join("; ");
  throw new CannotRunError({ what: "No k6 was found to run the load", where, fix: `${k6Fixes}.` });
}

/** Installs a release into the cache. Of two runs at once, the second one uses the binary of the first. */
async function installK6(release: Release, getInto: typeof downloadK6, options: K6Options) {
  const { folder, name, binaryOf } = cacheOf(options);
  await mkdir(folder, { recursive: true });
  const incoming = await mkdtemp(join(folder, ".incoming-"));
  try {
    const binary = join(incoming, name);
    await getInto(release, binary, options);
    const { version, unfit } = await probeK6(binary, options.env, options.signal);
    if (version === undefined) throw new Error(`the new k6 ${unfit}`);
    const path = binaryOf(release);
    await mkdir(dirname(path), { recursive: true });
    // Windows replaces no binary that is running.
    if (!(await isFile(path))) await rename(binary, path);
    return { path, version };
  } finally {
    await rm(incoming, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** An error and its causes in one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message || (error as NodeJS.ErrnoException).code || error.name;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
}
