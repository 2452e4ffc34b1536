import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Redaction, redactValue } from "../../conformance/client/redaction.ts";
import type { Results } from "../../schemas/types.ts";
import { type FailedReport, writeReports } from "../report/write.ts";
import { pointLatest, type RunFolder } from "./folder.ts";
import { resultsMistakes } from "./validate.ts";

/** Where a run is written, and what keeps its keys out. */
interface WriteOptions {
  readonly out: string;
  readonly folder: RunFolder;
  readonly redaction: Redaction;
  /** Default: every report of the table. */
  readonly report?: typeof writeReports;
}

/**
 * Writes `results.json` and its reports into the run's folder and points `latest` at it; no key leaves in any of them.
 *
 * @returns What was written. When it does not fit its own schema, or a report cannot be made of it, that is our mistake:
 *   it is written all the same, with the problem named; verdict `error` and exit code 3 unless a failure was seen.
 */
export async function writeResults(
  results: Results,
  { out, folder, redaction, report = writeReports }: WriteOptions,
): Promise<Results> {
  const clean = redactValue(results, redaction);
  const mistakes = resultsMistakes(clean);
  const fitting = mistakes.length === 0 ? clean : unfit(clean, mistakes);
  await redactFolder(folder.path, redaction);
  await writeJson(fitting, folder);
  const place = { folder: folder.path, run: folder.name, redact: redaction.redactReport };
  const { failed } = await report(fitting, place);
  const written = failed.length === 0 ? fitting : redactValue(unreported(fitting, failed), redaction);
  if (written !== fitting) {
    await writeJson(written, folder);
    // Those that can be made must tell of it too.
    await report(written, place);
  }
  await pointLatest(out, folder);
  return written;
}

/** Replaces every key in every file of a run's folder: logs and summaries of k6 included. */
async function redactFolder(folder: string, { redact }: Redaction): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const path = join(entry.parentPath, entry.name);
    // Latin-1 maps every byte to one character and back, so that a file that is not text stays as it is.
    const text = await readFile(path, "latin1");
    const redacted = redact(text);
    if (redacted !== text) await writeFile(path, redacted, "latin1");
  }
}

async function writeJson(results: Results, { path }: RunFolder): Promise<void> {
  await writeFile(join(path, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
}

function unfit(results: Results, mistakes: readonly string[]): Results {
  return {
    ...results,
    verdict: "error",
    exitCode: 3,
    cause: "problem",
    problem: {
      what: "shelfcheck made results that do not fit their schema",
      where: mistakes.slice(0, 3).join("; "),
      fix: "This is a mistake of shelfcheck, not of the target: please report it with results.json.",
    },
  };
}

function unreported(results: Results, failed: readonly FailedReport[]): Results {
  const problem = {
    what: "shelfcheck could not make a report of the results",
    where: failed.map(({ fileName, reason }) => `${fileName}: ${reason}`).join("; "),
    fix: "This is a mistake of shelfcheck, not of the target: please report it with results.json, which is whole.",
  };
  // A failure that was seen stands, and so does an interruption or a problem before.
  if (results.exitCode !== 0 && results.exitCode !== 4) return { problem, ...results };
  return { ...results, problem, verdict: "error", exitCode: 3, cause: "problem" };
}
