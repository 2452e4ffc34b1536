import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { releases } from "../../../scripts/load/k6/version.ts";
import { serve } from "../server.ts";

const [{ version: k6Version }] = releases;

/** How the archive is served: completely, cut off in the middle, held in the middle until `letGo`, or as 404. */
type Manner = "whole" | "cut" | "held" | "missing";

/** A server with a k6 release for tests, on a free port of 127.0.0.1. */
export interface FakeRelease extends AsyncDisposable {
  readonly baseUrl: string;
  /** Names of the requested files, in order. */
  readonly requests: readonly string[];
  /** Resolves when the archive is requested for the first time. */
  readonly archiveRequested: Promise<void>;
  /** Sends the second half of each held response. */
  letGo(): void;
}

export interface FakeReleaseOptions {
  readonly suffix: string;
  readonly archive: Uint8Array;
  readonly manner?: Manner;
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
  const half = Math.floor(archive.byteLength / 2);
  const asked = Promise.withResolvers<void>();
  const requests: string[] = [];
  const held: ServerResponse[] = [];

  const answerArchive = (response: ServerResponse) => {
    asked.resolve();
    response.setHeader("content-length", archive.byteLength);
    switch (manner) {
      case "whole":
        return response.end(archive);
      case "cut":
        return response.write(archive.subarray(0, half), () => response.destroy());
      case "held":
        held.push(response);
        return response.write(archive.subarray(0, half));
      case "missing":
        response.removeHeader("content-length");
        return response.writeHead(404).end();
      default:
        return manner satisfies never;
    }
  };

  const server = await serve((request, response) => {
    const name = request.url.split("/").at(-1) ?? "";
    requests.push(name);
    if (name === asset) answerArchive(response);
    else if (name === `k6-v${k6Version}-checksums.txt`) response.end(checksums);
    else response.writeHead(404).end();
  });
  return {
    baseUrl: server.url,
    requests,
    archiveRequested: asked.promise,
    letGo() {
      for (const response of held.splice(0)) response.end(archive.subarray(half));
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
