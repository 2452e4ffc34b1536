import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { EnvHttpProxyAgent, fetch } from "undici";
import type { Progress } from "../../io.ts";
import { run } from "./child-process.ts";
import type { Host } from "./places.ts";
import type { ArchiveSuffix, Release } from "./version.ts";

export interface DownloadOptions extends Host {
  readonly env: NodeJS.ProcessEnv;
  /** URL of the folder of all releases, without a slash at the end. */
  readonly releaseBaseUrl: string;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
}

// Platforms with an official release (build-release.sh of k6 1.8.1 and 2.2.0). On others, k6 is built from source.
const officialPlatforms: Readonly<Record<string, ArchiveSuffix>> = {
  "linux-x64": "linux-amd64.tar.gz",
  "linux-arm64": "linux-arm64.tar.gz",
  "darwin-x64": "macos-amd64.zip",
  "darwin-arm64": "macos-arm64.zip",
  "win32-x64": "windows-amd64.zip",
};

const connectMilliseconds = 5_000;
const silenceMilliseconds = 20_000;

/**
 * Downloads the official release, verifies its checksum and unpacks its binary. A checksum that is pinned in the source
 * protects against a compromised release, one from the same place as the archive against damaged files only.
 *
 * @throws Error with a readable message: no release for the platform, no connection, an error status, an incomplete
 *   download or a wrong checksum.
 */
export async function downloadK6(
  { version, archives }: Release,
  binary: string,
  folder: string,
  options: DownloadOptions,
): Promise<void> {
  const { env, progress, signal, releaseBaseUrl, platform: os = platform(), arch: cpu = arch() } = options;
  const suffix = officialPlatforms[`${os}-${cpu}`];
  if (suffix === undefined) throw new Error(`the official release has no k6 binary for ${os}-${cpu}`);
  const name = `k6-v${version}-${suffix}`;
  const dispatcher = proxyAgent(env);
  const get = (file: string) => bytesOf(`${releaseBaseUrl}/v${version}/${file}`, dispatcher, signal);
  try {
    const pinned = archives[suffix];
    const expected = pinned ?? checksumOf(name, String(await get(`k6-v${version}-checksums.txt`)));
    const unpinned = pinned === undefined ? " (compared with the checksums of the release)" : "";
    progress(`k6: downloading ${name}${unpinned}`);
    const archive = await get(name);
    const actual = createHash("sha256").update(archive).digest("hex");
    if (actual !== expected) {
      throw new Error(
        `${name} has the wrong checksum (sha256 ${actual}, expected ${expected}); it was discarded`,
      );
    }
    await writeFile(join(folder, name), archive);
  } finally {
    await dispatcher.destroy();
  }
  // It reads the zip of its own platform, too.
  const unpacked = await run("tar", ["-xf", name, "--strip-components=1"], {
    env: { PATH: env.PATH, SystemRoot: env.SystemRoot },
    cwd: folder,
    signal,
  });
  if (unpacked.kind !== "exited") throw new Error("tar, which unpacks k6, does not start");
  const isThere = await readFile(binary).then(
    ({ length }) => length > 0,
    () => false,
  );
  if (!isThere) throw new Error(`${name} does not contain k6`);
}

/** The SHA-256 of a file in hex, from the output of `sha256sum`. */
function checksumOf(name: string, checksums: string): string {
  for (const line of checksums.split("\n")) {
    const [hash, file] = line.trim().split(/\s+\*?/);
    if (file === name && hash !== undefined && /^[0-9a-f]{64}$/i.test(hash)) return hash.toLowerCase();
  }
  throw new Error(`the checksums of the release do not list ${name}`);
}

function proxyAgent(env: NodeJS.ProcessEnv): EnvHttpProxyAgent {
  const connect = { timeout: connectMilliseconds };
  try {
    return new EnvHttpProxyAgent({
      // An empty string, because undici would read the real environment for undefined.
      httpProxy: env.http_proxy ?? env.HTTP_PROXY ?? "",
      httpsProxy: env.https_proxy ?? env.HTTPS_PROXY ?? "",
      noProxy: env.no_proxy ?? env.NO_PROXY ?? "",
      connect,
      proxyTls: connect,
      requestTls: connect,
      headersTimeout: silenceMilliseconds,
      bodyTimeout: silenceMilliseconds,
    });
  } catch {
    // Without the value, since the URL of a proxy may hold a password.
    throw new Error("HTTP_PROXY or HTTPS_PROXY is not a URL");
  }
}

async function bytesOf(
  url: string,
  dispatcher: EnvHttpProxyAgent,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const response = await fetch(url, { dispatcher, signal: signal ?? null }).catch((error: unknown) => {
    throw new Error(`${url} could not be reached`, { cause: (error as Error).cause ?? error });
  });
  if (!response.ok) throw new Error(`${url} returned status ${response.status}`);
  const body = await response.arrayBuffer().catch((error: unknown) => {
    throw new Error(`${url} stopped before its end`, { cause: error });
  });
  return Buffer.from(body);
}
