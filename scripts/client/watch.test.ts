import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { mostRequests } from "../../clients/lab/lab.ts";
import { createRedaction } from "../../schemas/redaction.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type ClientEnding, type WatchedLab, watchClient } from "./watch.ts";

const folder = await temporaryFolder("watch");

function watch(source: string, lab: Partial<WatchedLab> = {}, timeout?: number): Promise<ClientEnding> {
  return watchClient(
    { arrived: () => ({ count: 1, lastAt: 0 }), now: () => 1000, ...lab },
    {
      command: [process.execPath, "-e", source],
      env: { PATH: process.env.PATH },
      io: { cwd: folder, signal: new AbortController().signal, stderr: new PassThrough() },
      redaction: createRedaction([]),
      timeout,
    },
  );
}

const forever = "setInterval(() => undefined, 1000)";
const child = (program: string, flags: string) =>
  `const child = require("node:child_process").spawn(${program}, { stdio: "inherit", ${flags} });`;
const lab = (count: number, lastAt: number | undefined, now: number): WatchedLab => ({
  arrived: () => ({ count, lastAt }),
  now: () => now,
});

let late = 61_000;
const silent: WatchedLab = { ...lab(1, 1000, 0), now: () => ++late };

describe.concurrent("a client", () => {
  test.each<[what: string, expected: ClientEnding, source: string, seen?: WatchedLab, timeout?: number]>([
    ["is killed", { ended: "failed", status: "signal SIGKILL" }, "process.kill(process.pid, 'SIGKILL')"],
    ["sends nothing more", { ended: "silent" }, forever, lab(5, 1000, 61_001)],
    [
      "has not sent anything yet: it may have to be built first",
      { ended: "exited" },
      "setTimeout(() => undefined, 400)",
      lab(0, undefined, 61_001),
    ],
    ["takes too long", { ended: "too-long" }, forever, lab(1, 600_000, 600_001)],
    ["is silent until --timeout", { ended: "time-over" }, forever, silent, late / 1000 + 0.001],
    ["sends too many requests", { ended: "too-many-requests" }, forever, lab(mostRequests + 1, 1000, 1000)],
  ])("%s", async (_what, expected, ...watched) => {
    expect(await watch(...watched)).toMatchObject(expected);
  });

  test.runIf(process.platform === "linux")(
    "ends when it exits, though one that left its group keeps stdout",
    async () => {
      const left = child('"sleep", ["20"]', "detached: true");
      const ending = await watch(`${left} child.unref(); process.exit(4);`);
      expect(ending).toMatchObject({ ended: "failed", status: "exit code 4" });
    },
    10_000,
  );

  test.runIf(process.platform === "linux")("leaves no process behind", async ({ expect: own }) => {
    const pidFile = join(folder, "pid");
    const ending = await watch(
      `${child(`process.execPath, ["-e", ${JSON.stringify(forever)}]`, "")}
       require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
       process.exit(0);`,
    );
    expect(ending).toMatchObject({ ended: "exited" });
    const pid = await readFile(pidFile, "utf8");
    await own.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });
});
