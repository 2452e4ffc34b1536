import { createHash } from "node:crypto";
import { stat, writeFile } from "node:fs/promises";
import { arch, platform } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { Agent, fetch, ProxyAgent } from "undici";
import { proxyFor } from "../../config/connection.ts";
import type { Progress } from "../../io.ts";
import { run } from "./child-process.ts";

/** What k6 is found and installed with. `env` is passed on to k6 and Go. */
export interface K6Options {
  /** K6_BIN, PATH, XDG_CACHE_HOME, HOME, SHELFCHECK_K6_OFFLINE, HTTP(S)_PROXY and NO_PROXY. */
  readonly env: NodeJS.ProcessEnv;
  /** Called with progress lines, without line ends, while k6 is downloaded or built. */
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
  /** Default: this machine's */
  readonly platform?: NodeJS.Platform;
  readonly arch?: string;
  /** The folder of all releases, each in one named after its version. Default: that of the official ones */
  readonly releaseBaseUrl?: string;
}

const officialReleases = "https://github.com/grafana/k6/releases/download";

/** Platforms with an official release, and how its archive ends. On others, k6 is built from source. */
const officialPlatforms: Readonly<Record<string, string>> = {
  "linux-x64": "linux-amd64.tar.gz",
  "linux-arm64": "linux-arm64.tar.gz",
  "darwin-x64": "macos-amd64.zip",
  "darwin-arm64": "macos-arm64.zip",
  "win32-x64": "windows-amd64.zip",
};
const silenceMilliseconds = 20_000;

/**
 * Downloads the official release, compares it with the checksums beside it, and unpacks its binary.
 *
 * @param binary In a folder of its own, for temporary files.
 * @throws Error with a readable message.
 */
export async function downloadK6({ version }: Release, binary: string, options: K6Options): Promise<void> {
  const { env, progress, signal, platform: os = platform(), arch: cpu = arch() } = options;
  const suffix = officialPlatforms[`${os}-${cpu}`];
  if (suffix === undefined) throw new Error(`the official release has no k6 binary for ${os}-${cpu}`);
  const name = `k6-v${version}-${suffix}`;
  const folder = dirname(binary);
  const release = `${options.releaseBaseUrl ?? officialReleases}/v${version}`;
  const silence = { headersTimeout: silenceMilliseconds, bodyTimeout: silenceMilliseconds };
  const uri = proxyFor(release, env);
  const dispatcher = uri === undefined ? new Agent(silence) : new ProxyAgent({ uri, ...silence });
  const get = async (file: string) => {
    const url = `${release}/${file}`;
    const response = await fetch(url, { dispatcher, signal: signal ?? null }).catch((error: unknown) => {
      throw new Error(`${url} could not be reached`, { cause: (error as Error).cause ?? error });
    });
    if (!response.ok) throw new Error(`${url} returned status ${response.status}`);
    const body = response.arrayBuffer().catch((cause: unknown) => {
      throw new Error(`${url} stopped before its end`, { cause });
    });
    return Buffer.from(await body);
  };
  try {
    const checksums = String(await get(`k6-v${version}-checksums.txt`)).split("\n");
    const listed = checksums.map((line) => line.trim().split(/\s+\*?/)).find(([, file]) => file === name);
    if (listed === undefined) throw new Error(`the checksums of the release do not list ${name}`);
    progress(`k6: downloading ${name}`);
    const archive = await get(name);
    const actual = createHash("sha256").update(archive).digest("hex");
    if (actual !== listed[0]?.toLowerCase())
      throw new Error(
        `${name} has the wrong checksum (sha256 ${actual}, expected ${listed[0]}); it was discarded`,
      );
    await writeFile(join(folder, name), archive);
  } finally {
    await dispatcher.destroy();
  }
  // It reads the zip of its own platform, too.
  const { PATH, SystemRoot } = env;
  const tar = ["-xf", name, "--strip-components=1"];
  const unpacked = await run("tar", tar, { env: { PATH, SystemRoot }, cwd: folder, signal });
  if (unpacked.kind !== "exited") throw new Error("tar, which unpacks k6, does not start");
  if (!(await isFile(binary))) throw new Error(`${name} does not contain k6`);
}

/**
 * Builds a release of k6 with Go, as a dependency of an empty module: `go install` would also contact the
 * website of the module, which some networks block. Go uses its own caches for downloads.
 * @param binary In a folder of its own, for temporary files.
 * @throws Error with a readable message: Go is not on the PATH, or the last output of Go.
 */
export async function buildK6(
  { version, module }: Release,
  binary: string,
  { env, platform: os = platform(), progress, signal }: K6Options,
): Promise<void> {
  // GOOS and GOARCH, if set for cross-compiling, would produce a binary that does not run here.
  const { GOOS: _os, GOARCH: _arch, ...inherited } = env;
  const [go] = await filesOnPath(os === "win32" ? "go.exe" : "go", env);
  if (go === undefined) throw new Error("Go is not on the PATH");
  progress(
    `k6: building v${version} from source with Go, once; this takes two minutes, or longer on a busy machine`,
  );
  const cwd = dirname(binary);
  await writeFile(join(cwd, "go.mod"), `module k6\n\ngo 1.25\n\nrequire ${module} v${version}\n`);
  let last: readonly string[] = [];
  const ended = await run(go, ["build", "-mod=mod", "-o", basename(binary), module], {
    // Without cgo, as the official release, no C compiler is needed. Temporary files go with the folder.
    env: { ...inherited, GOTMPDIR: cwd, CGO_ENABLED: env.CGO_ENABLED ?? "0" },
    cwd,
    signal,
    onLine: (_stream, line) => {
      if (line !== "" && !line.startsWith("go: downloading ")) last = [...last.slice(-2), line];
    },
  });
  if (ended.kind !== "exited") throw new Error(`${go} does not start`);
  if (ended.code !== 0)
    throw new Error(`go build failed (${ended.status}): ${last.join(" / ") || "it printed nothing"}`);
}

/** In order. Relative folders are ignored, since they depend on the working directory. */
export async function filesOnPath(name: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const paths = [...new Set(folders)].map((folder) => join(folder, name));
  const areThere = await Promise.all(paths.map(isFile));
  return paths.filter((_, place) => areThere[place]);
}

export function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** A release of k6 that the scenarios run with. */
export interface Release {
  readonly version: string;
  /** Its path as a Go module. Go's checksum database verifies a build from it, if the user's settings allow that. */
  readonly module: string;
}

/**
 * The releases to download or build, the preferred one first. Later ones of the same major version are
 * accepted too: k6 keeps scripts, flags, summary and exit codes compatible there.
 */
export const releases: readonly [Release, ...Release[]] = [
  { version: "2.3.0", module: "go.k6.io/k6/v2" },
  // The oldest accepted one of its major version, for caches and module proxies that do not have the newest.
  { version: "2.2.0", module: "go.k6.io/k6/v2" },
  { version: "1.8.1", module: "go.k6.io/k6" },
];

const majorOf = (version: string) => version.split(".", 1)[0];
const oldest = new Map(releases.map(({ version }) => [majorOf(version), version]));

/** The accepted versions, for messages. */
export const acceptedVersions = [...oldest]
  .map(([major, version]) => `${version} or a later ${major}.x`)
  .join(", or ");

/**
 * From `k6 version`, such as `k6 v1.8.1 (go1.26.8, linux/amd64)`, with the tag of a pre-release. Go's version
 * is required, so that no other program that prints a version is taken for k6.
 */
export function parseK6Version(output: string): string | undefined {
  return /^\S.* v(\d+\.\d+\.\d+(?:-[\w.-]+)?)(?:\+\S+)? \(.*go\d.*\)\s*$/m.exec(output)?.[1];
}

/** Whether it is the oldest accepted of its major number, or later. Pre-releases come before their release. */
export function fits(text: string): boolean {
  const [version = "", preRelease] = text.split("-", 2);
  const least = oldest.get(majorOf(version));
  const later = least === undefined ? -1 : version.localeCompare(least, "en", { numeric: true });
  return later > 0 || (later === 0 && preRelease === undefined);
}
