import { execFileSync, spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { commandLines } from "../../../test/support/command-lines.ts";
import { startRelay } from "../../../test/support/server.ts";
import { openWorkspace } from "../../../test/support/workspace.ts";

const workspace = await openWorkspace();
const { cwd, shared, through, run, start, resultsOf } = workspace;
afterAll(() => workspace[Symbol.asyncDispose]());

describe.concurrent("how a run ends", () => {
  test("a target that goes down: results up to that point are written", async () => {
    await using relay = await startRelay(shared.ready.base_url, ({ number, socket }) => {
      if (number < 50) return false;
      socket.destroy();
      return true;
    });
    const env = through(relay.baseUrl);
    const { exitCode, stdout } = await run(["gate", "--out", "died"], env);
    const { problem, summary, discovered, requests } = await resultsOf("died");
    expect(exitCode, stdout).toBe(3);
    expect(problem?.where).toContain(relay.baseUrl);
    expect(discovered.retailers.length).toBeGreaterThan(0);
    expect(summary.pass).toBeGreaterThan(0);
    expect(summary.fail).toBe(0);
    expect(requests.total).toBeGreaterThanOrEqual(50);
  });

  /** Starts a load run against the shared service and waits until k6 sends requests. */
  async function loading(out: string) {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const relay = await startRelay(shared.ready.base_url, ({ headers }) => {
      if (headers["user-agent"]?.toLowerCase().includes("k6")) resolve();
      return false;
    });
    const argv = ["load", "--scenario", "lookup", "--duration", "60s", "--out", out];
    const command = start(argv, through(relay.baseUrl));
    await Promise.race([reached, command.finished]);
    const running = () => [...commandLines().values()].filter((line) => line.includes(join(cwd, out)));
    return {
      command,
      running,
      async [Symbol.asyncDispose]() {
        await command[Symbol.asyncDispose]();
        await relay[Symbol.asyncDispose]();
      },
    };
  }

  // SIGTERM and SIGHUP are rows of test/acceptance/machine.acceptance.ts.
  test.runIf(process.platform === "linux")(
    "SIGINT while k6 runs: every report is written, no process stays",
    async () => {
      const out = "load-SIGINT";
      await using run = await loading(out);
      const { command, running } = run;
      expect(running().some((line) => line.includes("k6"))).toBe(true);
      // The processes that a terminal would end on Ctrl-C. The reports must need none of them.
      const children = execFileSync("ps", ["--ppid", String(command.pid), "-o", "args="], {
        encoding: "utf8",
      });
      expect(children).toContain("k6 run");
      expect(children).not.toContain("esbuild");
      command.kill("SIGINT");
      const { exitCode, stdout, stderr } = await command.finished;
      expect(exitCode, stdout + stderr).toBe(130);
      expect((await resultsOf(out)).exitCode).toBe(130);
      expect(await readdir(join(cwd, out, "latest"))).toContain("report.html");
      expect(running()).toEqual([]);
    },
  );

  test.runIf(process.platform === "linux")("k6 ends soon after its parent is killed", async ({ expect }) => {
    await using run = await loading("load-killed");
    const { command, running } = run;
    expect(running().some((line) => line.includes("k6"))).toBe(true);
    command.kill("SIGKILL");
    await expect.poll(running, { timeout: 30_000, interval: 100 }).toEqual([]);
  });

  test.runIf(process.platform === "linux")("k6 ends soon after npx is ended", async ({ expect }) => {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    await using relay = await startRelay(shared.ready.base_url, ({ headers }) => {
      if (headers["user-agent"]?.toLowerCase().includes("k6")) resolve();
      return false;
    });
    const out = join(cwd, "load-npm");
    const argv = ["shelfcheck", "load", "--duration", "60s", "--out", out];
    const { PATH, HOME, XDG_CACHE_HOME, K6_BIN } = process.env;
    const npm = spawn("npx", argv, {
      cwd: fileURLToPath(new URL("../../..", import.meta.url)),
      env: { PATH, HOME, XDG_CACHE_HOME, K6_BIN, ...through(relay.baseUrl) },
      stdio: "ignore",
    });
    const running = (name: string) =>
      [...commandLines().values()].filter((line) => line.includes(out) && line.includes(name));
    await reached;
    expect(running("k6 run")).toHaveLength(1);
    npm.kill("SIGTERM");
    await expect.poll(() => running("k6 run"), { timeout: 30_000, interval: 100 }).toEqual([]);
    // The command writes its results and ends by itself.
    await expect.poll(() => running(""), { timeout: 60_000, interval: 500 }).toEqual([]);
    expect(await readdir(join(out, "latest"))).toContain("report.html");
  });
});
