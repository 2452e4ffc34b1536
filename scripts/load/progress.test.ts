import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { followLines, renderProgress } from "./recording.ts";

const folder = await temporaryFolder("follow");

test("are shown with failures, refusals and remaining time", () => {
  const figures = { requests: 1000, failed: 14, refused: 3, seconds: 4 };
  const text = "Lookup: 1,000 requests, 1.4 % failed, 429 responses: 3, ";
  expect(renderProgress("lookup", figures, { seconds: 60 })).toBe(`${text}56 s left`);
  expect(renderProgress("lookup", { ...figures, seconds: 40, requests: 10_000 }, { seconds: 40 })).toBe(
    "Lookup: 10,000 requests, 0.14 % failed, 429 responses: 3, waiting for k6 to end",
  );
  const first = { ...figures, requests: 1, failed: 0, refused: 0, seconds: 0 };
  expect(renderProgress("lookup", first, { seconds: 50 })).toBe(
    "Lookup: 1 request, none failed, 429 responses: none, 50 s left",
  );
  expect(renderProgress("lookup", figures, undefined)).toBe(`${text}4 s so far`);
  expect(renderProgress("lookup", figures, { seconds: 60, isMost: true })).toBe(`${text}at most 56 s left`);
  expect(renderProgress("lookup", figures, { seconds: 600 })).toBe(`${text}9 min 56 s left`);
});

test("a growing file is read line by line, without incomplete lines", async () => {
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
  await writeFile(path, "last\n", { flag: "a" });
  await follower.stop();
  expect(seen).toEqual(["one", "two", "three", "last"]);
});
