import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { frameMark, type PodName, type PodResult } from "../../scenarios/lib/pod-result.ts";
import type { JudgedLimit } from "../../scenarios/lib/thresholds.ts";
import { createRedaction } from "../../schemas/redaction.ts";
import { latencies, podLog, podResult } from "../../test/support/stub-pods.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Settings } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { collectPods, collectRun, readPodLogs } from "./collect.ts";

const folder = await temporaryFolder("pods");

const none: Pick<Settings, "choice"> = { choice: { kind: "embedded" } };

/** Collects from a file of these lines. */
async function collected(lines: readonly string[], redaction = createRedaction([])) {
  const all = join(folder, "all.log");
  await writeFile(all, lines.join("\r\n"));
  return collectRun(await readPodLogs(all, redaction), none).result;
}

const four = [0, 1, 2, 3].map((place) => podResult(place, 4));
const logs = four.map(podLog);
const metric = "http_req_duration{name:lookup-by-id,status:200}";

/** Takes a line of each log in turn. */
function interleaved(all: readonly (readonly string[])[]): string[] {
  const longest = Math.max(...all.map(({ length }) => length));
  return Array.from({ length: longest }, (_, line) => all.flatMap((log) => log[line] ?? [])).flat();
}

describe("the results of all pods", () => {
  test.each([
    ["one after the other", logs.flat()],
    ["interleaved", interleaved(logs)],
    [
      "with the name of the pod",
      logs.flatMap((log, pod) => log.map((line) => `[pod/run-${pod}/k6] ${line}`)),
    ],
    ["with a timestamp", logs.flat().map((line) => `2026-11-22T10:00:00.123456789Z stdout F ${line}`)],
    ["wrapped in JSON", logs.flat().map((line) => JSON.stringify({ log: `${line}\n`, stream: "stdout" }))],
    ["in reverse", logs.flat().toReversed()],
    ["collected twice", [...logs, ...logs].flat()],
    ["joined in one line", [logs.flat().join(" ")]],
  ])("make one run, %s", async (_, lines) => {
    const result = await collected(lines);
    expect(result.findings).toEqual([]);
    expect(result.metrics[metric]?.count).toBe(2000);
  });

  test("are read from a folder with a file for each pod", async () => {
    const pods = join(folder, "pods");
    await mkdir(pods);
    await Promise.all(logs.map((log, pod) => writeFile(join(pods, `${pod}.log`), log.join("\n"))));
    const { result } = collectRun(await readPodLogs(pods, createRedaction([])), none);
    expect(result.metrics[metric]?.count).toBe(2000);
  });
});

/** Replaces one result of the four. */
function withPod(place: number, change: Partial<PodName & PodResult>): string[] {
  return four.flatMap((pod, at) => podLog(at === place ? { ...pod, ...change } : pod));
}

const isFrame = (line: string) => line.startsWith(frameMark);
const cut = (line: string) => line.slice(0, -100);

test.each([
  ["a pod is missing", logs.slice(1).flat(), [{ code: "pod-result-missing", subject: "0:1/4" }]],
  [
    "a line is lost",
    [
      ...(logs[1] ?? []).filter((_line, at, all) => at !== all.findIndex(isFrame)),
      ...logs.toSpliced(1, 1).flat(),
    ],
    [{ code: "pod-result-missing", subject: "1/4:2/4" }],
  ],
  [
    "a line is cut",
    [...(logs[3] ?? []).map((line) => (isFrame(line) ? cut(line) : line)), ...logs.slice(0, 3).flat()],
    [{ code: "pod-result-missing", subject: "3/4:1" }],
  ],
  [
    "a pod sent its part twice",
    [...logs.flat(), ...podLog({ ...(four[2] as PodName & PodResult), process: "0bad" })],
    [{ code: "pod-result-doubled", subject: "2/4:3/4", actual: 2 }],
  ],
])("a run is invalid and names the segment when %s", async (_, lines, findings) => {
  const result = await collected(lines);
  expect(result.verdict).toBe("invalid");
  expect(result.findings).toMatchObject(findings);
});

test("a pod that was short of CPU makes the run invalid, even if the target was slow", async () => {
  const [first] = four;
  if (first === undefined) throw new Error("no pod");
  const limits: JudgedLimit[] = [
    {
      metric: "schedule_lag",
      measure: "schedule_lag",
      statistic: "p95",
      bound: "most",
      limit: 500,
      met: false,
    },
    { metric, measure: "http_req_duration", statistic: "p95", bound: "most", limit: 1, met: false },
  ];
  const metrics = {
    ...first.summary.metrics,
    schedule_lag: { count: 90, "p(95)": 900 },
  };
  const summary = { ...first.summary, metrics, thresholds: limits };
  const result = await collected(withPod(0, { summary }));
  expect(result.verdict).toBe("invalid");
  expect(result.findings[0]).toEqual({
    ...{ code: "pod-starved", subject: "0:1/4" },
    ...{ actual: 900, expected: 500, unit: "ms" },
  });
});

test.each([
  ["no complete result", ["nothing", `${frameMark}torn`], "hold no complete result"],
  ["those of two runs", withPod(0, { run: "run-2" }), "those of 2 runs (run-2, run-1)"],
])("logs with %s make no run", async (_, lines, text) => {
  await writeFile(join(folder, "others.log"), lines.join("\n"));
  const settings = { ...none, redaction: createRedaction([]) } as Settings;
  const io = { cwd: folder } as Io;
  await expect(collectPods("others.log", { settings, io, json: true })).rejects.toThrow(text);
});

test("a key in a log comes nowhere, and what the script reported is kept", async () => {
  const key = "pcl_0123456789abcdef";
  const finding = { code: "status-before-load", actual: 503, subject: `http://x/${key}` };
  const line = JSON.stringify({ level: "error", msg: `shelfcheck-finding ${JSON.stringify(finding)}` });
  const lines = [...logs.flat(), `[pod/a] ${line}`, `some line with ${key}`];
  const run = await collected(lines, createRedaction([{ key, shownAs: "$KEY" }]));
  expect(run.findings).toMatchObject([{ code: "status-before-load", subject: "http://x/$KEY" }]);
  expect(JSON.stringify(run)).not.toContain(key);
});

test.each([10, 1000, 100_000])(
  "the size of a result is at most 64 KiB with %d samples of every kind",
  (count) => {
    const log = podLog(podResult(0, 1, latencies(0, count))).filter(isFrame);
    expect(log.reduce((sum, line) => sum + line.length + 1, 0)).toBeLessThan(64 * 1024);
    expect(Math.max(...log.map(({ length }) => length))).toBeLessThan(8 * 1024);
  },
);
