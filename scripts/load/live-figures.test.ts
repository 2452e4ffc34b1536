import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLiveFigures, followLines, renderProgress } from "./live-figures.ts";

const line = (event: string, data: unknown) => JSON.stringify({ event, data });

test("are read by name, in the order of the names known so far", () => {
  const figures = createLiveFigures();
  figures.take(line("param", { period: 1000 }));
  figures.take(line("metric", { http_reqs: {}, http_req_failed: {} }));
  figures.take(line("cumulative", [[0.25], [40, 10]]));
  expect(figures.now).toEqual({ requests: 40, failedShare: 0.25, refused: 0 });
  figures.take(line("metric", { refusals: {}, a_first: {} }));
  figures.take(line("snapshot", [[1], [1], [1], [1]]));
  figures.take("half a li");
  figures.take(line("cumulative", [[9], [0.5], [80, 10], [7]]));
  expect(figures.now).toEqual({ requests: 80, failedShare: 0.5, refused: 7 });
});

test("are shown with rate, failures, refusals and the time left", () => {
  const figures = { requests: 100, failedShare: 0.014, refused: 3 };
  expect(renderProgress("lookup", figures, 4, 60)).toBe(
    "lookup: 100 requests, 25.0/s, 1.4 % failed, 3 answers 429, 56 s left",
  );
  expect(renderProgress("lookup", figures, 61, 60)).toContain("0 s left");
});

test("a file is followed as it grows, and a line is taken when it is whole", async () => {
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
