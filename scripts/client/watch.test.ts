import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mostRequests } from "../../clients/lab/lab.ts";
import { createRedaction } from "../../schemas/redaction.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type WatchedClient, type WatchedLab, watchClient } from "./watch.ts";

const folder = await temporaryFolder("watch");
const key = "sk_watched_0123456789";

function watch(source: string, lab: Partial<WatchedLab> = {}, change: Partial<WatchedClient> = {}) {
  const lines: string[] = [];
  const ending = watchClient(
    { arrived: () => ({ count: 1, lastAt: 0 }), now: () => 1000, ...lab },
    {
      command: [process.execPath, "-e", source],
      cwd: folder,
      env: { PATH: process.env.PATH, KEY: key },
      redaction: createRedaction([{ key, shownAs: "$KEY" }]),
      signal: new AbortController().signal,
      timeout: { milliseconds: 600_000, isWanted: false },
      print: (line) => lines.push(line),
      ...change,
    },
  );
  return { ending, lines };
}

const forever = "setInterval(() => undefined, 1000)";

describe.concurrent("a client", () => {
  test("ends by itself, with what it printed, without keys", async () => {
    const { ending, lines } = watch("console.log('key', process.env.KEY); console.error('done')");
    expect(await ending).toMatchObject({ ended: "exited", status: "exit code 0" });
    expect(lines.toSorted()).toEqual(["done", "key $KEY"]);
  });

  test("fails with its exit code, or by its signal", async () => {
    expect(await watch("process.exit(3)").ending).toMatchObject({ ended: "failed", status: "exit code 3" });
    const killed = watch("process.kill(process.pid, 'SIGKILL')");
    expect(await killed.ending).toMatchObject({ ended: "failed", status: "signal SIGKILL" });
  });

  test("that does not exist is not started", async () => {
    const { ending } = watch("", {}, { command: ["no-such-program"] });
    expect(await ending).toMatchObject({ ended: "not-started" });
  });

  test("that sends nothing more is ended", async () => {
    const { ending } = watch(forever, { arrived: () => ({ count: 5, lastAt: 1000 }), now: () => 61_001 });
    expect(await ending).toMatchObject({ ended: "silent" });
  });

  test("that has not sent anything yet has time: it may have to be built first", async () => {
    const { ending } = watch("setTimeout(() => undefined, 400)", {
      arrived: () => ({ count: 0, lastAt: undefined }),
      now: () => 61_001,
    });
    expect(await ending).toMatchObject({ ended: "exited" });
  });

  test("that takes too long is ended; with --timeout, that is what the user wants", async () => {
    const late = { now: () => 600_001, arrived: () => ({ count: 1, lastAt: 600_000 }) };
    expect(await watch(forever, late).ending).toMatchObject({ ended: "too-long" });
    const timeout = { milliseconds: 600_000, isWanted: true };
    expect(await watch(forever, late, { timeout }).ending).toMatchObject({ ended: "time-over" });
  });

  test("that sends too many requests is ended", async () => {
    const flood = { arrived: () => ({ count: mostRequests + 1, lastAt: 1000 }) };
    expect(await watch(forever, flood).ending).toMatchObject({ ended: "too-many-requests" });
  });

  test("is ended by Ctrl-C", async () => {
    const stop = new AbortController();
    const { ending } = watch(
      `console.log("ready"); ${forever}`,
      {},
      { signal: stop.signal, print: () => stop.abort() },
    );
    expect(await ending).toMatchObject({ ended: "interrupted" });
  });

  test.runIf(process.platform === "linux")(
    "ends when it exits, though one that left its group keeps stdout",
    async () => {
      const { ending } = watch(
        `const child = require("node:child_process").spawn("sleep", ["20"], { stdio: "inherit", detached: true });
       child.unref();
       process.exit(4);`,
      );
      expect(await ending).toMatchObject({ ended: "failed", status: "exit code 4" });
    },
    10_000,
  );

  test.runIf(process.platform === "linux")("leaves no process behind", async ({ expect: own }) => {
    const pidFile = join(folder, "pid");
    const { ending } = watch(
      `const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(forever)}], { stdio: "inherit" });
       require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
       process.exit(0);`,
    );
    expect(await ending).toMatchObject({ ended: "exited" });
    const pid = await readFile(pidFile, "utf8");
    await own.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });
});
