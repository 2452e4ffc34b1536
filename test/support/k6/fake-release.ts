import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { releases } from "../../../scripts/load/k6/install.ts";
import { serve } from "../server.ts";

const [{ version: k6Version }] = releases;

/** A server with a k6 release for tests, on a free port of 127.0.0.1. */
export interface FakeRelease extends AsyncDisposable {
  readonly baseUrl: string;
  /** Names of the requested files, in order. */
  readonly requests: readonly string[];
}

export interface FakeReleaseOptions {
  readonly suffix: string;
  readonly archive: Uint8Array;
  /** How the archive is served: completely, cut off in the middle, or as 404. Default: whole */
  readonly manner?: "whole" | "cut" | "missing";
  /** Default: the correct one. */
  readonly checksums?: string;
}

/**
 * An archive like that of a release: one folder with the binary. One for tar here, also in place of a zip, which only the
 * tar of its own platform reads.
 */
export async function archiveOf(suffix: string, binaryName: string, content: string): Promise<Uint8Array> {
  const name = `k6-v${k6Version}-${suffix.replace(/\.(tar\.gz|zip)$/, "")}/${binaryName}`;
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-archive-"));
  await mkdir(dirname(join(folder, name)));
  await writeFile(join(folder, name), content, { mode: 0o755 });
  const archive = execFileSync("tar", ["-cz", name], { cwd: folder });
  await rm(folder, { recursive: true });
  return archive;
}

export async function openFakeRelease(options: FakeReleaseOptions): Promise<FakeRelease> {
  const { archive, manner = "whole" } = options;
  const asset = `k6-v${k6Version}-${options.suffix}`;
  const sha256 = createHash("sha256").update(archive).digest("hex");
  const checksums =
    options.checksums ?? `${"0".repeat(64)}  k6-v${k6Version}-other.zip\n${sha256}  ${asset}\n`;
  const requests: string[] = [];
  const server = await serve((request, response) => {
    const name = request.url.split("/").at(-1) ?? "";
    requests.push(name);
    if (name === `k6-v${k6Version}-checksums.txt`) return response.end(checksums);
    if (name !== asset || manner === "missing") return response.writeHead(404).end();
    response.setHeader("content-length", archive.byteLength);
    if (manner === "whole") return response.end(archive);
    return response.write(archive.subarray(0, archive.byteLength / 2), () => response.destroy());
  });
  return {
    baseUrl: server.url,
    requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
