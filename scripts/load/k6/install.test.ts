import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { k6Script, openFakeMachine } from "../../../test/support/k6/fake-machine.ts";
import { serve } from "../../../test/support/server.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { CannotRunError } from "../../errors.ts";
import { releases } from "./install.ts";
import { resolveK6 } from "./resolve.ts";

const home = await temporaryFolder("install");
const [{ version }] = releases;

const suffix = "linux-amd64.tar.gz";
const binary = `#!/bin/sh\n${k6Script("2.3.0")}\n`;
const installed = ["k6-v2.3.0-linux-x64", "k6-v2.3.0-linux-x64/k6"];
// What `go build` writes. On this PATH, the shell has only its builtins.
const goBuilds = (version: string) =>
  `printf '%s\\n' '#!/bin/sh' '${k6Script(version)}' > k6; /bin/chmod +x k6`;
const goBuildsK6 = goBuilds("2.3.0");

interface FakeReleaseOptions {
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
async function archiveOf(suffix: string, binaryName: string, content: string): Promise<Uint8Array> {
  const name = `k6-v${version}-${suffix.replace(/\.(tar\.gz|zip)$/, "")}/${binaryName}`;
  const folder = await mkdtemp(join(home, "archive-"));
  await mkdir(dirname(join(folder, name)));
  await writeFile(join(folder, name), content, { mode: 0o755 });
  return execFileSync("tar", ["-cz", name], { cwd: folder });
}

/** A server with a k6 release, on a free port. */
async function openFakeRelease(options: FakeReleaseOptions) {
  const { archive, manner = "whole" } = options;
  const asset = `k6-v${version}-${options.suffix}`;
  const sha256 = createHash("sha256").update(archive).digest("hex");
  const checksums = options.checksums ?? `${"0".repeat(64)}  k6-v${version}-other.zip\n${sha256}  ${asset}\n`;
  const requests: string[] = [];
  const server = await serve((request, response) => {
    const name = request.url.split("/").at(-1) ?? "";
    requests.push(name);
    if (name === `k6-v${version}-checksums.txt`) return response.end(checksums);
    if (name !== asset || manner === "missing") return response.writeHead(404).end();
    response.setHeader("content-length", archive.byteLength);
    if (manner === "whole") return response.end(archive);
    return response.write(archive.subarray(0, archive.byteLength / 2), () => response.destroy());
  });
  return { ...server, baseUrl: server.url, requests };
}

async function openRelease(more: Partial<FakeReleaseOptions> = {}) {
  const archive = await archiveOf(more.suffix ?? suffix, "k6", binary);
  return await openFakeRelease({ suffix, archive, ...more });
}

describe("from the release", async () => {
  test.each([
    ["linux", "x64", "linux-amd64.tar.gz", "k6"],
    ["linux", "arm64", "linux-arm64.tar.gz", "k6"],
    ["darwin", "arm64", "macos-arm64.zip", "k6"],
    ["darwin", "x64", "macos-amd64.zip", "k6"],
    ["win32", "x64", "windows-amd64.zip", "k6.exe"],
  ] as const)("%s-%s downloads %s, once", async (platform, arch, suffix, name) => {
    await using machine = await openFakeMachine();
    await using release = await openFakeRelease({ suffix, archive: await archiveOf(suffix, name, binary) });
    const options = machine.options({ platform, arch, releaseBaseUrl: release.baseUrl });
    const path = join(machine.cacheFolder, `k6-v2.3.0-${platform}-${arch}`, name);
    expect(await resolveK6(options)).toEqual({ path, version: "2.3.0", source: "release" });
    expect(await resolveK6(options)).toEqual({ path, version: "2.3.0", source: "cache" });
    expect(release.requests).toEqual(["k6-v2.3.0-checksums.txt", `k6-v2.3.0-${suffix}`]);
    expect(await machine.cached()).toEqual([
      `k6-v2.3.0-${platform}-${arch}`,
      `k6-v2.3.0-${platform}-${arch}/${name}`,
    ]);
    expect(machine.lines).toEqual([`k6: downloading k6-v2.3.0-${suffix}`]);
  });

  const wrong = "a".repeat(64);
  test.each<[string, Partial<FakeReleaseOptions>, RegExp]>([
    ["a wrong checksum", { checksums: `${wrong}  k6-v2.3.0-${suffix}\n` }, /wrong checksum/],
    ["checksums without this platform", { checksums: `${wrong}  k6-v2.3.0-x.zip\n` }, /do not list k6-v2/],
    ["a connection cut half-way", { manner: "cut" }, /stopped before its end/],
    ["a missing archive", { manner: "missing" }, /returned status 404/],
    ["a file that is not an archive", { archive: Buffer.from("not a tar") }, /release: .+; go:/],
    ["no k6 in it", { archive: await archiveOf(suffix, "README.md", "hello") }, /does not contain k6/],
    ["a k6 that fails", { archive: await archiveOf(suffix, "k6", "#!/bin/sh\nexit 9\n") }, /exit code 9/],
  ])("%s: nothing is kept, and the reason is reported", async (_title, more, reason) => {
    await using machine = await openFakeMachine();
    await using release = await openRelease(more);
    const error = await resolveK6(machine.options({ releaseBaseUrl: release.baseUrl })).catch(
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(CannotRunError);
    expect(error.where).toMatch(reason);
    expect(error.where).toMatch(/go: Go is not on the PATH$/);
    expect(await machine.cached()).toEqual([]);
  });

  test("HTTP_PROXY and NO_PROXY are respected", async () => {
    await using machine = await openFakeMachine();
    await using release = await openRelease();
    const releaseBaseUrl = "http://release.invalid/v1";
    const env = { HTTP_PROXY: release.baseUrl };
    await expect(
      resolveK6(machine.options({ releaseBaseUrl, env: { ...env, NO_PROXY: "release.invalid" } })),
    ).rejects.toThrow(/release\.invalid\/v1\/\S+ could not be reached/);
    expect(release.requests).toEqual([]);
    expect(await resolveK6(machine.options({ releaseBaseUrl, env }))).toMatchObject({ source: "release" });
  });

  test("an invalid proxy URL is reported without its value", async () => {
    await using machine = await openFakeMachine();
    const options = machine.options({
      releaseBaseUrl: "https://release.invalid/v1",
      env: { HTTPS_PROXY: "user:canary@:::" },
    });
    const error = await resolveK6(options).catch((thrown) => thrown);
    expect(error.message).toContain("not the URL of an HTTP proxy: HTTPS_PROXY");
    expect(`${error.message}${machine.lines}`).not.toContain("canary");
  });
});

test("two runs at once end up with one binary", async () => {
  await using machine = await openFakeMachine();
  await using release = await openRelease();
  const options = machine.options({ releaseBaseUrl: release.baseUrl });
  const both = await Promise.all([resolveK6(options), resolveK6(options)]);
  expect(both.map(({ path }) => path)).toEqual([machine.cachedBinary, machine.cachedBinary]);
  expect(await machine.cached()).toEqual(installed);
});

describe("built with Go", () => {
  test("when there is no download: pinned version, no cross-compiling, then from the cache", async () => {
    await using machine = await openFakeMachine();
    const asked = join(machine.home, "asked");
    await machine.script(
      join(machine.bin, "go"),
      `echo "$* GOOS=$GOOS GOFLAGS=$GOFLAGS" > ${asked}; ${goBuildsK6}`,
    );
    const options = machine.options({ env: { GOOS: "plan9", GOFLAGS: "-trimpath" } });
    expect(await resolveK6(options)).toEqual({ path: machine.cachedBinary, version: "2.3.0", source: "go" });
    expect(await readFile(asked, "utf8")).toEqual(
      expect.stringMatching(/^build -mod=mod -o k6 go.k6.io\/k6\/v2 GOOS= GOFLAGS=-trimpath\n$/),
    );
    expect(await resolveK6(options)).toMatchObject({ source: "cache" });
    expect(await machine.cached()).toEqual(installed);
    expect(machine.lines[0]).toMatch(
      /^k6: could not be downloaded \(http:\S+ could not be reached: .*ECONNREFUSED/,
    );
    expect(machine.lines[1]).toContain("building v2.3.0 from source with Go");
    expect(machine.lines.join("\n")).not.toMatch(/\n\s+at /);
  });

  test("the older release, where the source of the preferred one cannot be had", async () => {
    await using machine = await openFakeMachine();
    const body = `case "$*" in *k6/v2) exit 1;; *) ${goBuilds("1.8.1")};; esac`;
    await machine.script(join(machine.bin, "go"), body);
    const path = join(machine.cacheFolder, "k6-v1.8.1-linux-x64", "k6");
    expect(await resolveK6(machine.options())).toEqual({ path, version: "1.8.1", source: "go" });
    expect(await resolveK6(machine.options())).toMatchObject({ path, source: "cache" });
  });

  test("a failed build: the last output of Go, and the fixes", async () => {
    await using machine = await openFakeMachine();
    const body = `echo "go: downloading go.k6.io/k6 v2.3.0" >&2; echo "go: module requires go >= 1.25.0" >&2; exit 1`;
    await machine.script(join(machine.bin, "go"), body);
    const error = await resolveK6(machine.options()).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(CannotRunError);
    expect(error.where).toMatch(/go: go build failed \(exit code 1\): go: module requires go >= 1\.25\.0$/);
    expect(error.fix).toMatch(/K6_BIN.*PATH.*download.*Go/);
    expect(await machine.cached()).toEqual([]);
  });

  test("an interrupted build ends its compilers and leaves nothing", async () => {
    await using machine = await openFakeMachine();
    const gate = fifoIn(machine.home);
    // The sleeping child holds the pipes of `go`, so this promise settles only when it has ended.
    await machine.script(join(machine.bin, "go"), `/bin/sleep 600 & echo $$ > ${gate}; wait`);
    const controller = new AbortController();
    const reason = new Error("interrupted");
    const k6 = resolveK6(machine.options({ signal: controller.signal }));
    const pid = Number(await readFile(gate, "utf8"));
    controller.abort(reason);
    await expect(k6).rejects.toBe(reason);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect(await readdir(machine.cacheFolder)).toEqual([]);
  });
});

/** A named pipe. Its reader waits for its writer, so tests need no polling. */
function fifoIn(folder: string): string {
  const path = join(folder, "gate");
  execFileSync("/usr/bin/mkfifo", [path]);
  return path;
}
