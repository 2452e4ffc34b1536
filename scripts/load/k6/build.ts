import { writeFile } from "node:fs/promises";
import { platform } from "node:os";
import { join } from "node:path";
import type { Progress } from "../../io.ts";
import { run } from "./child-process.ts";
import { filesOnPath } from "./places.ts";
import type { Release } from "./version.ts";

export interface BuildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Builds a release of k6 from source with Go in `folder`, as a dependency of an empty module. `go install` would also
 * contact the website of the module, which some networks block. Go uses its own caches for downloads.
 *
 * @throws Error with a readable message: Go is not on the PATH, or the last output of Go.
 */
export async function buildK6(
  { version, module }: Release,
  binary: string,
  folder: string,
  { env, progress, signal }: BuildOptions,
): Promise<void> {
  // GOOS and GOARCH, if set for cross-compiling, would produce a binary that does not run here.
  const { GOOS: _os, GOARCH: _arch, ...inherited } = env;
  const startedAt = performance.now();
  const [go] = await filesOnPath(platform() === "win32" ? "go.exe" : "go", env);
  if (go === undefined) throw new Error("Go is not on the PATH");
  progress(`k6: building v${version} from source with Go, once; this takes about two minutes`);
  await writeFile(join(folder, "go.mod"), `module k6\n\ngo 1.25\n\nrequire ${module} v${version}\n`);
  const ended = await run(go, ["build", "-mod=mod", "-o", binary, module], {
    // Without cgo, as in the official release, so that no C compiler is needed.
    // Temporary files are beside the binary, so that they are removed with the folder even if the build fails.
    env: { ...inherited, GOTMPDIR: folder, CGO_ENABLED: env.CGO_ENABLED ?? "0" },
    cwd: folder,
    signal,
  });
  if (ended.kind !== "exited") throw new Error(`${go} does not start`);
  if (ended.code !== 0) throw new Error(`go build failed (${ended.status}): ${lastOutput(ended.stderr)}`);
  progress(`k6: built in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

/** The last output of Go in one line, without its list of downloads. */
function lastOutput(stderr: string): string {
  const lines = stderr
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("go: downloading "));
  return lines.slice(-3).join(" / ") || "it printed nothing";
}
