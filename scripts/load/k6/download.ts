import { createHash } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unzip } from "fflate";
import { parseTarGzip } from "nanotar";
import { EnvHttpProxyAgent, fetch, type Response } from "undici";
import type { Progress } from "../../io.ts";
import type { ArchiveSuffix, Release } from "./version.ts";

export interface DownloadOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
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
const maxBytes = 300 * 1024 * 1024;
const megabyte = 1_000_000;

/**
 * Downloads the official release, verifies its checksum and writes the executable to `folder`. A checksum that is pinned in
 * the source protects against a compromised release, one from the same place as the archive against damaged files only.
 *
 * @returns the path of the binary.
 * @throws Error with a readable message: no release for the platform, no connection, an error status, an incomplete
 *   download or a wrong checksum.
 */
export async function downloadK6(
  { version, archives }: Release,
  folder: string,
  binaryName: string,
  options: DownloadOptions,
): Promise<string> {
  const suffix = officialPlatforms[`${options.platform}-${options.arch}`];
  if (suffix === undefined) {
    throw new Error(`the official release has no k6 binary for ${options.platform}-${options.arch}`);
  }
  const asset = `k6-v${version}-${suffix}`;
  const dispatcher = proxyAgent(options.env);
  try {
    const get = (name: string) =>
      fetchFile(`${options.releaseBaseUrl}/v${version}/${name}`, dispatcher, options);
    const pinned = archives[suffix];
    const expected =
      pinned ??
      checksumOf(
        asset,
        Buffer.from(await readAll(await get(`k6-v${version}-checksums.txt`), () => {})).toString("utf8"),
      );
    const unpinned = pinned === undefined ? " (compared with the checksums of the release)" : "";
    options.progress(`k6: downloading ${asset}${unpinned}`);
    const archive = await readAll(await get(asset), progressOf(options.progress));
    const actual = createHash("sha256").update(archive).digest("hex");
    if (actual !== expected) {
      throw new Error(
        `${asset} has the wrong checksum (sha256 ${actual}, expected ${expected}); it was discarded`,
      );
    }
    const binary = join(folder, binaryName);
    await writeFile(binary, await extract(archive, asset, binaryName));
    await chmod(binary, 0o755);
    return binary;
  } finally {
    await dispatcher.destroy();
  }
}

/** The SHA-256 of a file in hex, from the output of `sha256sum`. */
function checksumOf(asset: string, checksums: string): string {
  for (const line of checksums.split("\n")) {
    const [hash, name] = line.trim().split(/\s+\*?/);
    if (name === asset && hash !== undefined && /^[0-9a-f]{64}$/i.test(hash)) return hash.toLowerCase();
  }
  throw new Error(`the checksums of the release do not list ${asset}`);
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

async function fetchFile(
  url: string,
  dispatcher: EnvHttpProxyAgent,
  options: DownloadOptions,
): Promise<Response> {
  const response = await fetch(url, {
    dispatcher,
    headers: { "accept-encoding": "identity" },
    signal: options.signal ?? null,
  }).catch((error: unknown) => {
    throw new Error(`${url} could not be reached`, { cause: (error as Error).cause ?? error });
  });
  if (response.ok) return response;
  throw new Error(`${url} returned status ${response.status}`);
}

async function readAll(
  response: Response,
  received: (bytes: number, total: number | undefined) => void,
): Promise<Uint8Array> {
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  const total = Number.isSafeInteger(length) && length > 0 ? length : undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new Error(`more than ${maxBytes / megabyte} MB`);
      received(bytes, total);
    }
  } catch (error) {
    const of = total === undefined ? "" : ` of ${total}`;
    throw new Error(`${response.url} stopped after ${bytes}${of} bytes`, { cause: error });
  }
  return Buffer.concat(chunks);
}

/** Reports each fifth of the file, or each 10 MB if its length is unknown. */
function progressOf(progress: Progress): (bytes: number, total: number | undefined) => void {
  let steps = 0;
  return (bytes, total) => {
    const step = Math.floor(bytes / (total === undefined ? 10 * megabyte : total / 5));
    if (step <= steps) return;
    steps = step;
    const share = total === undefined ? "" : ` of ${(total / megabyte).toFixed(1)} MB (${step * 20} %)`;
    progress(`k6: ${(bytes / megabyte).toFixed(1)} MB${share || " so far"}`, "passing");
  };
}

async function extract(archive: Uint8Array, asset: string, binaryName: string): Promise<Uint8Array> {
  const isBinary = (file: { name: string }) => file.name.split("/").at(-1) === binaryName;
  const content = asset.endsWith(".zip")
    ? Object.values(await unzipFiles(archive, isBinary))[0]
    : (await parseTarGzip(archive, { filter: (file) => file.type === "file" && isBinary(file) }))[0]?.data;
  if (content === undefined || content.byteLength === 0)
    throw new Error(`${asset} does not contain ${binaryName}`);
  return content;
}

function unzipFiles(
  archive: Uint8Array,
  filter: (file: { name: string }) => boolean,
): Promise<Record<string, Uint8Array>> {
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, Uint8Array>>();
  unzip(archive, { filter }, (error, files) => (error === null ? resolve(files) : reject(error)));
  return promise;
}
