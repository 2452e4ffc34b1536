import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { calibrate } from "./calibrate.ts";
import { calibrationWarning, readCalibration, renderCalibration } from "./calibration.ts";
import { resolveK6 } from "./k6/resolve.ts";

const example = { host: "h", cores: 2, lookupsPerSecond: 500, cpuMicroseconds: 120, measuredAt: "" };

test("warns before a run above the calibrated rate", () => {
  expect(calibrationWarning(example, 500)).toBeUndefined();
  expect(calibrationWarning(undefined, 500)).toBeUndefined();
  expect(calibrationWarning(example, 501)).toContain(
    "above the rate that this machine reached in calibration",
  );
});

test("prints rate and cost", () => {
  expect(renderCalibration(example)).toContain("500 checked lookups per second on time, at 120 µs");
  expect(renderCalibration({ ...example, lookupsPerSecond: 0 })).toContain("too busy");
});

test("is measured with real k6 and stored for this machine", async () => {
  const cache = await mkdtemp(join(tmpdir(), "shelfcheck-calibration-"));
  const env = { ...process.env, XDG_CACHE_HOME: cache };
  try {
    const lines: string[] = [];
    const k6Path = (await resolveK6({ env: process.env, progress: () => undefined })).path;
    const calibration = await calibrate({ k6Path, env, rates: [20], progress: (line) => lines.push(line) });
    expect(lines).toHaveLength(1);
    expect(await readCalibration(env)).toEqual(calibration);
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
}, 300_000);
