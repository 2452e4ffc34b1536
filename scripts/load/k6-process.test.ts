import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stubTarget } from "../../test/support/stub-client.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { boundedLines } from "./k6/child-process.ts";
import { runK6 } from "./k6-process.ts";
import { type K6Bounds, supervise } from "./supervision.ts";

const folder = await temporaryFolder("k6-process");

/** Runs a Node program in place of k6, with these limits. */
async function supervised(
  name: string,
  program: string,
  bounds: Partial<K6Bounds>,
  logFile = join(folder, `${name}.log`),
) {
  const path = join(folder, name);
  await writeFile(path, `#!${process.execPath}\n${program}\n`, { mode: 0o755 });
  const supervisor = supervise({ memoryBytes: 64e9, seconds: 3600, ...bounds });
  const exit = await runK6({
    path,
    args: [],
    env: {},
    logFile,
    target: stubTarget("http://127.0.0.1:9/v1", { keys: { primary: "key-of-the-test" } }),
    supervisor,
  });
  return { exit, use: supervisor.use };
}

test("a k6 whose memory keeps growing is killed, and its peak is known", async () => {
  const { exit, use } = await supervised(
    "hungry",
    'process.on("SIGINT", () => {}); const kept = []; setInterval(() => kept.push(Buffer.alloc(20e6, 1)), 50);',
    { memoryBytes: 200e6 },
  );
  expect(exit).toMatchObject({ signal: "SIGKILL", interrupted: false, stopped: { code: "k6-memory" } });
  if (process.platform === "linux") expect(use?.memoryBytes).toBeGreaterThan(200e6);
});

test("an overdue k6 is interrupted, and its last output is kept", async () => {
  const { exit } = await supervised(
    "slow",
    'process.on("SIGINT", () => { console.log("asked to end"); process.exit(105); }); setInterval(() => {}, 1000);',
    { seconds: 1 },
  );
  expect(exit).toMatchObject({ code: 105, interrupted: false, stopped: { code: "k6-overdue", unit: "s" } });
  expect(await readFile(join(folder, "slow.log"), "utf8")).toContain("asked to end");
});

test("endless output is limited in the log", async () => {
  const { exit } = await supervised(
    "chatty",
    'const { writeSync } = require("node:fs"); setInterval(() => { try { writeSync(1, "x\\n".repeat(500) + "y".repeat(1e6) + "\\n"); } catch {} }, 20);',
    { seconds: 1 },
  );
  expect(exit).toMatchObject({ signal: "SIGINT", stopped: { code: "k6-overdue" } });
  expect((await stat(join(folder, "chatty.log"))).size).toBeLessThan(9e6);
});

test.runIf(process.platform === "linux")("a log that cannot be written does not end the run", async () => {
  const program = 'console.error("x".repeat(100_000));';
  const { exit } = await supervised("talkative", program, {}, "/dev/full");
  expect(exit).toMatchObject({ code: 0, interrupted: false });
});

test("an endless line is dropped, and the next one is read", async () => {
  const parts = async function* () {
    yield "first\r\nsec";
    yield "ond\n";
    for (let part = 0; part < 9; part++) yield "k".repeat(1e6);
    yield "end\nlast";
  };
  const lines: string[] = [];
  for await (const line of boundedLines(parts())) lines.push(line);
  expect(lines.map((line) => line.slice(0, 40))).toEqual([
    "first",
    "second",
    "(a line of more than 4194304 characters ",
    "last",
  ]);
});
