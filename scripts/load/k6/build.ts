import { writeFile } from "node:fs/promises";
import { platform } from "node:os";
import { join } from "node:path";
import type { Progress } from "../../io.ts";
import { run } from "./child-process.ts";
import { filesOnPath } from "./on-path.ts";
import type { Release } from "./version.ts";

export interface BuildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
  readonly heartbeatMilliseconds: number;
}

// A build takes about two minutes on two cores, longer on a small machine. Without a network it hangs silently.
const buildMilliseconds = 30 * 60 * 1000;

/**
 * Builds a release of k6 from source with Go in `folder`, as a dependency of an empty module. `go install` would also
 * contact the website of the module, which some networks block. Go uses its own caches for downloads.
 *
 * @returns the path of the binary.
 * @throws Error with a readable message: Go is not on the PATH, or the last output of Go.
 */
export async function buildK6(
  { version, module }: Release,
  folder: string,
  binaryName: string,
  options: BuildOptions,
): Promise<string> {
  // GOOS and GOARCH, if set for cross-compiling, would produce a binary that does not run here.
  const { GOOS: _os, GOARCH: _arch, ...env } = options.env;
  const startedAt = performance.now();
  const [go] = await filesOnPath(platform() === "win32" ? "go.exe" : "go", env);
  if (go === undefined) throw new Error("Go is not on the PATH");
  options.progress(`k6: building v${version} from source with Go, once; this takes about two minutes`);
  const elapsed = () => Math.round((performance.now() - startedAt) / 1000);
  const heartbeat = setInterval(
    () => options.progress(`k6: still building (${elapsed()} s)`, "passing"),
    options.heartbeatMilliseconds,
  );
  try {
    await writeFile(join(folder, "go.mod"), `module k6\n\ngo 1.25\n\nrequire ${module} v${version}\n`);
    const ended = await run(go, ["build", "-mod=mod", "-o", binaryName, module], {
      // Without cgo, as in the official release, so that no C compiler is needed.
      // Temporary files are beside the binary, so that they are removed with the folder even if the build fails.
      env: { ...env, GOTMPDIR: folder, CGO_ENABLED: env.CGO_ENABLED ?? "0" },
      cwd: folder,
      signal: options.signal,
      timeoutMilliseconds: buildMilliseconds,
    });
    switch (ended.kind) {
      case "not-started":
        throw new Error(`${go} does not start (${ended.reason})`);
      case "timed-out":
        throw new Error(`go build took longer than ${buildMilliseconds / 60_000} min`);
      case "exited":
        if (ended.code !== 0)
          throw new Error(`go build failed (${ended.status}): ${lastOutput(ended.stderr)}`);
        options.progress(`k6: built in ${elapsed()} s`);
        return join(folder, binaryName);
      default:
        return ended satisfies never;
    }
  } finally {
    clearInterval(heartbeat);
  }
}

/** The last output of Go in one line, without its list of downloads. */
function lastOutput(stderr: string): string {
  const lines = stderr
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("go: downloading "));
  return lines.slice(-3).join(" / ") || "it printed nothing";
}
