/** URL of the official releases, without a slash at the end. Each release is in a folder named after its version. */
export const officialReleases = "https://github.com/grafana/k6/releases/download";

/** A release of k6 that the scenarios run with. */
export interface Release {
  readonly version: string;
  /** Its path as a Go module. A build from it is verified by Go's checksum database. */
  readonly module: string;
}

/**
 * The releases that are downloaded or built, the preferred one first. Later versions with the same major number are also
 * accepted, because k6 keeps scripts, flags, summary and exit codes compatible within a major version.
 */
export const releases: readonly [Release, ...Release[]] = [
  { version: "2.3.0", module: "go.k6.io/k6/v2" },
  // The oldest accepted one of its major version, for caches and module proxies that do not have the newest.
  { version: "2.2.0", module: "go.k6.io/k6/v2" },
  { version: "1.8.1", module: "go.k6.io/k6" },
];

/** The accepted versions, for messages. */
export const acceptedVersions = [
  ...new Map(releases.map(({ module, version }) => [module, version])).values(),
]
  .map((version) => `${version} or a later ${version.split(".", 1)[0]}.x`)
  .join(", or ");

/**
 * The version in the output of `k6 version`, such as `k6 v1.8.1 (go1.26.8, linux/amd64)`, with the tag of a pre-release. The
 * Go version is required too, so that another program that prints a version is not taken for k6.
 */
export function parseK6Version(output: string): string | undefined {
  return /^\S.* v(\d+\.\d+\.\d+(?:-[\w.-]+)?)(?:\+\S+)? \(.*go\d.*\)\s*$/m.exec(output)?.[1];
}

/** Whether a version is one of `releases`, or a later one with the same major number. A pre-release is older than its release. */
export function fits(text: string): boolean {
  const [version = "", preRelease] = text.split("-", 2);
  const [major, minor = 0, patch = 0] = version.split(".").map(Number);
  return releases.some((release) => {
    const [ourMajor, ourMinor = 0, ourPatch = 0] = release.version.split(".").map(Number);
    if (major !== ourMajor || minor < ourMinor) return false;
    return minor > ourMinor || patch > ourPatch || (patch === ourPatch && preRelease === undefined);
  });
}
