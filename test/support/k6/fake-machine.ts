import { mkdir, mkdtempDisposable, readdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type K6Options, releases } from "../../../scripts/load/k6/install.ts";
import { cacheOf } from "../../../scripts/load/k6/resolve.ts";

/** Body of a shell script that prints a version for `k6 version`. */
export function k6Script(version: string): string {
  return `[ "$1" = version ] && echo "k6 v${version} (go1.26.8, linux/amd64)"`;
}

/** A home directory, a PATH with one folder, and a cache for tests, isolated from the real machine. */
export async function openFakeMachine() {
  const { path: home, remove } = await mkdtempDisposable(join(tmpdir(), "shelfcheck-k6-"));
  const bin = join(home, "bin");
  await mkdir(bin);
  const env = { PATH: bin, HOME: home, XDG_CACHE_HOME: join(home, "xdg") };
  for (const tool of ["tar", "gzip"]) await symlink(`/usr/bin/${tool}`, join(bin, tool));
  const cache = cacheOf({ env, platform: "linux", arch: "x64" });
  const lines: string[] = [];
  const progress = (line: string) => lines.push(line);
  return {
    home,
    bin,
    cacheFolder: cache.folder,
    cachedBinary: cache.binaryOf(releases[0]),
    /** Progress lines so far. */
    lines,
    /** Options for a Linux machine. By default, no release can be downloaded. */
    options({ env: moreEnv, ...more }: Partial<K6Options> = {}): K6Options {
      return {
        progress,
        platform: "linux",
        arch: "x64",
        // Refuses connections at once. Not port 1, which fetch itself blocks.
        releaseBaseUrl: "http://127.0.0.1:2",
        ...more,
        env: { ...env, ...moreEnv },
      };
    },
    /** Writes an executable shell script. */
    async script(path: string, body: string): Promise<string> {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
      return path;
    },
    /** All files and folders in the cache. */
    async cached(): Promise<readonly string[]> {
      return await readdir(cache.folder, { recursive: true }).catch(() => []);
    },
    [Symbol.asyncDispose]: remove,
  };
}
