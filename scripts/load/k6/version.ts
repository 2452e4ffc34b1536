import { runToEnd } from "./child-process.ts";

/** URL of the official releases, without a slash at the end. Each release is in a folder named after its version. */
export const officialReleases = "https://github.com/grafana/k6/releases/download";

/** Archives of a release, by the ends of their names. */
export type ArchiveSuffix =
  | "linux-amd64.tar.gz"
  | "linux-arm64.tar.gz"
  | "macos-amd64.zip"
  | "macos-arm64.zip"
  | "windows-amd64.zip";

/** A release of k6 that the scenarios run with. */
export interface Release {
  readonly version: string;
  /** Its path as a Go module. A build from it is verified by Go's checksum database. */
  readonly module: string;
  /**
   * SHA-256 of its archives in hexadecimal digits, from the release's own k6-vVERSION-checksums.txt. An archive with a digest
   * here is accepted only with it. One without is compared with that file, which comes from the same place.
   */
  readonly archives: Partial<Readonly<Record<ArchiveSuffix, string>>>;
}

/**
 * The releases that are downloaded or built, the preferred one first. Later versions with the same major number are also
 * accepted, because k6 keeps scripts, flags, summary and exit codes compatible within a major version.
 */
export const releases: readonly [Release, ...Release[]] = [
  { version: "2.3.0", module: "go.k6.io/k6/v2", archives: {} },
  // The oldest accepted one of its major version, for caches and module proxies that do not have the newest.
  { version: "2.2.0", module: "go.k6.io/k6/v2", archives: {} },
  { version: "1.8.1", module: "go.k6.io/k6", archives: {} },
];

/** The accepted versions, for messages. */
export const acceptedVersions = [
  ...new Map(releases.map(({ module, version }) => [module, version])).values(),
]
  .map((version) => `${version} or a later ${version.split(".", 1)[0]}.x`)
  .join(", or ");

/** A version number: three numbers, and the tag of a pre-release ("rc1"). */
export interface VersionNumber {
  readonly text: string;
  readonly numbers: readonly [major: number, minor: number, patch: number];
  readonly preRelease: string | undefined;
}

/** Whether a binary is a supported k6. `reason` is a predicate: "does not start". */
export type Probe =
  | { readonly kind: "fit"; readonly version: string }
  | { readonly kind: "unfit"; readonly reason: string };

// Windows and macOS scan a new binary before its first start, which can take many seconds.
const probeMilliseconds = 10_000;

/**
 * Parses the output of `k6 version`, such as `k6 v1.8.1 (go1.26.8, linux/amd64)`. The Go version is required too, so that
 * another program that prints a version is not taken for k6.
 */
export function parseK6Version(output: string): VersionNumber | undefined {
  const match = /^\S.* v(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+\S+)? \(.*go\d.*\)\s*$/m.exec(output);
  if (match === null) return undefined;
  const [, major, minor, patch, preRelease] = match;
  const text = `${major}.${minor}.${patch}${preRelease === undefined ? "" : `-${preRelease}`}`;
  return { text, numbers: [Number(major), Number(minor), Number(patch)], preRelease };
}

/** Whether a version is one of `releases`, or a later one with the same major number. A pre-release is older than its release. */
export function fits({ numbers, preRelease }: VersionNumber): boolean {
  return releases.some(({ version }) => {
    const [ourMajor = 0, ourMinor = 0, ourPatch = 0] = version.split(".").map(Number);
    const [major, minor, patch] = numbers;
    if (major !== ourMajor || minor < ourMinor) return false;
    return minor > ourMinor || patch > ourPatch || (patch === ourPatch && preRelease === undefined);
  });
}

/** Runs `<path> version`. A binary that fails is `unfit`. @throws the signal's reason, when aborted. */
export async function probeK6(path: string, env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<Probe> {
  const timeout = AbortSignal.timeout(probeMilliseconds);
  const ended = await runToEnd(path, ["version"], {
    env,
    signal: AbortSignal.any([timeout, ...(signal === undefined ? [] : [signal])]),
  });
  signal?.throwIfAborted();
  const unfit = (reason: string) => ({ kind: "unfit", reason }) as const;
  if (ended.kind === "not-started") return unfit(`does not start (${ended.reason})`);
  if (timeout.aborted) return unfit(`did not print its version within ${probeMilliseconds / 1000} s`);
  if (ended.code !== 0) return unfit(`fails to print its version (${ended.status})`);
  const version = parseK6Version(ended.stdout);
  if (version === undefined) return unfit("does not print a version as k6 does");
  if (!fits(version)) return unfit(`is version ${version.text}; required is ${acceptedVersions}`);
  return { kind: "fit", version: version.text };
}
