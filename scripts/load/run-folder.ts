import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunSummary } from "../../scenarios/lib/summary.ts";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import { bundleScenario } from "./bundle/bundle.ts";
import type { LoadPlan } from "./plan.ts";

/** The folder of one run of one scenario. */
export type LoadFolder = Awaited<ReturnType<typeof writeRunFolder>>;

/** Writes the files that k6 needs to `<outDir>/load/<scenario>/`, after deleting what is there. */
export async function writeRunFolder(outDir: string, plan: LoadPlan, input: LoadFixtures) {
  const path = join(outDir, "load", plan.scenario);
  const folder = {
    path,
    fixtures: join(path, "fixtures.json"),
    profile: join(path, "profile.json"),
    summary: join(path, "summary.json"),
    log: join(path, "k6.log"),
    timeSeries: join(path, "time-series.ndjson"),
    dashboard: join(path, "dashboard.html"),
  };
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
  await writeFile(folder.fixtures, `${JSON.stringify(input, undefined, 2)}\n`);
  await writeFile(folder.profile, `${JSON.stringify(plan.profile, undefined, 2)}\n`);
  return { ...folder, bundle: await bundleScenario(plan.scenario, path) };
}

/** Reads the summary that k6 wrote; undefined without a whole one. */
export async function readSummary(path: string): Promise<RunSummary | undefined> {
  try {
    const summary = JSON.parse(await readFile(path, "utf8")) as Partial<RunSummary> | null;
    const isWhole = summary?.schemaVersion === 1 && Array.isArray(summary.thresholds) && summary.metrics;
    return isWhole ? (summary as RunSummary) : undefined;
  } catch {
    return undefined;
  }
}
