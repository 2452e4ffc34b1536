import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLiveFigures, followLines, renderProgress, sumFigures } from "./progress.ts";

const line = (event: string, data: unknown) => JSON.stringify({ event, data });

test("are read by the sorted names known so far", () => {
  const figures = createLiveFigures();
  figures.take(line("param", { period: 1000 }));
  figures.take(line("metric", { http_reqs: {}, http_req_failed: {}, time: {} }));
  figures.take(line("cumulative", [[0.25], [40, 10], [1000]]));
  expect(figures.now).toMatchObject({ requests: 40, failedShare: 0.25, refused: 0 });
  figures.take(line("metric", { refusals: {}, a_first: {} }));
  figures.take(line("snapshot", [[1], [1], [1], [1]]));
  figures.take("half a li");
  figures.take(line("cumulative", [[9], [0.5], [80, 10], [7], [3000]]));
  expect(figures.now).toEqual({
    requests: 80,
    failedShare: 0.5,
    refused: 7,
    rate: 20,
    seconds: 2,
    recordedAt: 3000,
  });
});

test("time counts from the first request of the load, and the rate is that of the last period", () => {
  const figures = createLiveFigures();
  figures.take(line("metric", { http_reqs: {}, time: {} }));
  // Names are sorted: the requests, then the time.
  for (const [requests, at] of [
    [0, 0],
    [1, 2000],
    [1, 4000],
    [11, 5000],
    [31, 7000],
  ]) {
    figures.take(line("cumulative", [[requests], [at]]));
  }
  expect(figures.now).toMatchObject({ requests: 31, rate: 10, seconds: 3 });
});

test("the first second counts from the start of k6", () => {
  const figures = createLiveFigures();
  figures.take(line("metric", { http_reqs: {}, time: {} }));
  figures.take(line("start", [[], [1000]]));
  figures.take(line("cumulative", [[10, 10], [2000]]));
  expect(figures.now).toMatchObject({ requests: 10, rate: 10, seconds: 1 });
});

test("are shown with rate, failures, refusals and remaining time", () => {
  const figures = { requests: 100, failedShare: 0.014, refused: 3, rate: 25, seconds: 4, recordedAt: 5000 };
  const text = "Lookup: 100 requests, now 25/s, 1.4 % failed, 429 responses: 3, ";
  expect(renderProgress("lookup", figures, { seconds: 60 })).toBe(`${text}56 s left`);
  expect(renderProgress("lookup", { ...figures, seconds: 61 }, { seconds: 60 })).toBe(
    `${text}waiting for the last responses`,
  );
  expect(renderProgress("lookup", figures, undefined)).toBe(`${text}4 s so far`);
  expect(renderProgress("lookup", figures, { seconds: 60, isMost: true })).toBe(`${text}at most 56 s left`);
  expect(renderProgress("lookup", { ...figures, seconds: 4.2 }, { seconds: 600 }, 9.9)).toBe(
    `${text}9 min 56 s left`,
  );
});

test("no rate is shown when k6 has not reported for a while", () => {
  const figures = { requests: 100, failedShare: 0.014, refused: 0, rate: 25, seconds: 26, recordedAt: 5000 };
  expect(renderProgress("lookup", figures, { seconds: 60 }, 22.4)).toBe(
    "Lookup: no new figures for 22 s, 100 requests so far, 1.4 % failed, 429 responses: none, 34 s left",
  );
});

test("of several processes are added", () => {
  const one = { requests: 100, failedShare: 0.5, refused: 3, rate: 25, seconds: 4, recordedAt: 5000 };
  const other = { requests: 300, failedShare: 0.1, refused: 1, rate: 75, seconds: 5, recordedAt: 6000 };
  expect(sumFigures([one, other])).toEqual({
    requests: 400,
    failedShare: 0.2,
    refused: 4,
    rate: 100,
    seconds: 5,
    recordedAt: 6000,
  });
});

test("a growing file is read line by line, without incomplete lines", async () => {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-follow-"));
  const path = join(folder, "lines");
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: string[] = [];
  await writeFile(path, "one\ntwo\nthr");
  const follower = followLines(path, (text) => {
    seen.push(text);
    if (seen.length === 2) void writeFile(path, "ee\n", { flag: "a" });
    if (seen.length === 3) resolve();
  });
  await promise;
  await follower.stop();
  expect(seen).toEqual(["one", "two", "three"]);
  await rm(folder, { recursive: true });
});
