/** A release of k6 that the scenarios run with. */
export interface Release {
  readonly version: string;
  /** Its path as a Go module. A build from it is verified by Go's checksum database. */
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
