import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRedaction } from "../../schemas/redaction.ts";
import { runK6 } from "./k6-process.ts";
import { watchGenerator } from "./resources.ts";
import { type K6Bounds, supervise } from "./supervision.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shelfcheck-k6-process-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const wide: K6Bounds = { memoryBytes: 64e9, seconds: 3600, silentSeconds: 3600 };

/** Runs a Node program in k6's place, under these bounds. */
async function supervised(name: string, program: string, bounds: Partial<K6Bounds>) {
  const path = join(folder, name);
  await writeFile(path, `#!${process.execPath}\n${program}\n`, { mode: 0o755 });
  const supervisor = supervise({ ...wide, ...bounds });
  let watch: ReturnType<typeof watchGenerator> | undefined;
  const exit = await runK6({
    path,
    args: [],
    env: {},
    logFile: join(folder, `${name}.log`),
    redaction: createRedaction([]),
    supervisor,
    onStart: (pid) => {
      watch = watchGenerator(pid, supervisor.look);
    },
  });
  return { exit, use: await watch?.stop() };
}

test("a k6 whose memory grows without end is killed, and its peak known", async () => {
  const { exit, use } = await supervised(
    "hungry",
    'process.on("SIGINT", () => {}); const kept = []; setInterval(() => kept.push(Buffer.alloc(20e6, 1)), 50);',
    { memoryBytes: 200e6 },
  );
  expect(exit).toMatchObject({ signal: "SIGKILL", interrupted: false, stopped: { code: "k6-memory" } });
  if (process.platform === "linux") expect(use?.memoryBytes).toBeGreaterThan(200e6);
});

test("a k6 that prints nothing is asked to end, and what it says then is kept", async () => {
  const { exit } = await supervised(
    "silent",
    'process.on("SIGINT", () => { console.log("asked to end"); process.exit(105); }); setInterval(() => {}, 1000);',
    { silentSeconds: 1 },
  );
  expect(exit).toMatchObject({ code: 105, interrupted: false, stopped: { code: "k6-silent", unit: "s" } });
  expect(await readFile(join(folder, "silent.log"), "utf8")).toContain("asked to end");
});
