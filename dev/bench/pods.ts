import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { frameMark, type PodResult } from "../../scenarios/lib/pod-result.ts";
import { latencies, podLog, podResult } from "../../test/support/stub-pods.ts";
import { type Bench, type BenchIo, held } from "./bench.ts";

const mostBytes = 64 * 1024;
/** CPU, since other work on the machine makes a run longer. */
const mostSeconds = 5;
const mostMegabytes = 300;

/**
 * Measures the size of a pod's result by length of the run and kinds of request, and the time and memory of
 * `load --collect` for the logs of 100 and 1,000 pods. Exit code 1 if one exceeds its limit.
 */
export const podsBench: Bench = {
  summary: "size of a pod's result, and time and memory to collect those of 1,000 pods",
  run: async ({ stdout, env, folder, signal }) => {
    const isSmall = sizes(stdout);
    let isFast = true;
    for (const pods of [100, 1000]) {
      if (signal.aborted) return 1;
      isFast = (await collecting(pods, { stdout, env, folder })) && isFast;
    }
    return isSmall && isFast ? 0 : 1;
  },
};

/** The samples of a pod at 100 requests a second of each kind. */
const lengths = { "10 s": 1_000, "10 min": 60_000, "4 h": 1_440_000 } as const;

function sizes(stdout: BenchIo["stdout"]): boolean {
  stdout.write(
    `bytes of a pod's result, of at most ${mostBytes}\n${"".padEnd(10)}  1 distribution  15 distributions\n`,
  );
  let largest = 0;
  for (const [length, samples] of Object.entries(lengths)) {
    // More samples only change the count: a distribution always has the same number of slices.
    const drawn = latencies(1, Math.min(samples, 200_000));
    const whole = podResult(0, 1, { samples: drawn });
    const [name = "", only] = Object.entries(whole.summary.distributions)[0] ?? [];
    const one =
      only === undefined
        ? whole
        : { ...whole, summary: { ...whole.summary, distributions: { [name]: only } } };
    const [least, most] = [bytesOf(one), bytesOf(whole)];
    largest = Math.max(largest, most);
    stdout.write(`${length.padEnd(10)}${String(least).padStart(16)}${String(most).padStart(18)}\n`);
  }
  return held(stdout, `at most ${mostBytes} bytes`, largest <= mostBytes);
}

function bytesOf(result: PodResult): number {
  const frames = podLog(result).filter((line) => line.startsWith(frameMark));
  return frames.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

const entry = fileURLToPath(new URL("../../scripts/cli/entry.ts", import.meta.url));

/** Runs the real command on the log of a number of pods. */
async function collecting(
  pods: number,
  { stdout, env, folder }: Pick<BenchIo, "stdout" | "env" | "folder">,
): Promise<boolean> {
  const log = join(folder, `${pods}-pods.log`);
  let bytes = 0;
  for (let place = 0; place < pods; place += 1) {
    // Ten different results are enough; each pod has its own segment and process id.
    const samples = latencies(place % 10, 2000);
    const text = `${podLog(podResult(place, pods, { samples })).join("\n")}\n`;
    bytes += Buffer.byteLength(text);
    await appendFile(log, text);
  }
  const startedAt = performance.now();
  const child = spawn(
    "/usr/bin/time",
    ["-f", "%U %S %M", process.execPath, entry, "load", "--collect", log],
    {
      cwd: folder,
      env: { ...env, CI: "" },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  const seconds = (performance.now() - startedAt) / 1000;
  const [user = 0, system = 0, kilobytes = 0] = (said.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  const megabytes = kilobytes / 1000;
  stdout.write(
    `${pods} pods: ${(bytes / 1e6).toFixed(1)} MB of logs, ${seconds.toFixed(1)} s, CPU ${(user + system).toFixed(1)} s, ${megabytes.toFixed(0)} MB, exit code ${code}\n`,
  );
  const isFast = held(stdout, `CPU of at most ${mostSeconds} s`, user + system <= mostSeconds);
  return held(stdout, `at most ${mostMegabytes} MB`, megabytes <= mostMegabytes) && isFast && code === 0;
}
