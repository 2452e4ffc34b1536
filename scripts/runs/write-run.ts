import { randomBytes } from "node:crypto";
import { cp, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Redaction, redactValue } from "../../conformance/client/redaction.ts";
import type { AnyResults, Problem } from "../../schemas/contracts/results.ts";
import { reportOf } from "../core/added.ts";
import { CannotRunError, fileProblem, type ProblemText } from "../errors.ts";
import { writeWhole } from "../files.ts";
import { type Formats, writeReports } from "../report/writers/write.ts";

/** The folder of one run in the reports folder. */
export interface RunFolder {
  /** Unique, and sorts by time: `2026-11-21T08-57-10-123Z-gate-a1b2c3`. */
  readonly name: string;
  readonly path: string;
}

/** Creates the folder of a run. @throws CannotRunError when the reports folder cannot be written. */
export async function makeRunFolder(out: string, command: string, startedAt: Date): Promise<RunFolder> {
  const time = startedAt.toISOString().replaceAll(/[:.]/g, "-");
  const name = `${time}-${command}-${randomBytes(3).toString("hex")}`;
  const path = join(out, name);
  await mkdir(path, { recursive: true }).catch((error: unknown) => {
    throw notWritable(out, error);
  });
  return { name, path };
}

/** That no run can be written below a folder, and why. */
export function notWritable(out: string, error: unknown): CannotRunError {
  const why = fileProblem(error)?.what ?? String(error instanceof Error ? error.message : error);
  const fix = `${why}. Name another folder with --out.`;
  return new CannotRunError(
    { what: "The reports folder is not writable", where: out, fix },
    { cause: error },
  );
}

/**
 * Makes `<out>/latest` a link to a run: created under another name and moved, so that parallel runs do not
 * interfere. Where links are not possible (Windows without permission, a folder `latest`), the run is copied.
 */
async function pointLatest(out: string, run: RunFolder): Promise<void> {
  const latest = join(out, "latest");
  const aside = join(out, `.latest-${run.name}`);
  try {
    await symlink(run.name, aside, "dir");
    await rename(aside, latest);
  } catch {
    await rm(aside, { force: true });
    await rm(latest, { recursive: true, force: true });
    await cp(run.path, latest, { recursive: true });
  }
}

interface WritePlace {
  readonly out: string;
  readonly folder: RunFolder;
  /** Name of the run in commands. */
  readonly run: string;
  readonly redaction: Redaction;
  /** Default: writes the file atomically */
  readonly write?: typeof writeWhole;
  /** Default: all usual formats */
  readonly table?: Formats;
}

/**
 * Writes `results.json` and the reports to the folder of the run, without keys, and makes `latest` a link to
 * it.
 * @param resultsWith The results, with the problem that they could not be written or rendered, if any.
 * @returns The results as written.
 */
export async function writeResults<R extends AnyResults>(
  resultsWith: (unwritten?: Problem) => R,
  place: WritePlace,
): Promise<R> {
  const results = redactValue(resultsWith(), place.redaction);
  const problem = await writeAll(results, place);
  if (problem === undefined) return results;
  // What can be written states the problem, too.
  const stated = redactValue(resultsWith(problem), place.redaction);
  await writeAll(stated, place);
  return stated;
}

/** Writes what can be written, and returns why not all of it was. */
async function writeAll(
  results: AnyResults,
  { out, folder, run, redaction, table, write = writeWhole }: WritePlace,
): Promise<Problem | undefined> {
  const file = join(folder.path, "results.json");
  const refused: ProblemText[] = [];
  const attempt = async (place: string, work: Promise<void>) => {
    await work.catch((error: unknown) => {
      const problem = fileProblem(error, place);
      if (problem === undefined) throw error;
      refused.push(problem);
    });
  };
  await attempt(folder.path, redactFolder(folder.path, redaction));
  await attempt(file, write(file, `${JSON.stringify(results, null, 2)}\n`));
  await attempt(join(out, "latest"), pointLatest(out, folder));
  const place = { folder: folder.path, redact: redaction.redactReport, table };
  const { failed } = await writeReports(reportOf(results, run), place);
  const [first] = [...refused, ...failed];
  if (first === undefined) return undefined;
  const rest = refused.some(({ where }) => where === file)
    ? "The results are shown on the console only."
    : `results.json is complete: after that, npx shelfcheck report ${run} writes the other files from it.`;
  const what = `${first.what.charAt(0).toLowerCase()}${first.what.slice(1)}`;
  return {
    what: `The results could not be written completely: ${what}`,
    where: first.where,
    fix: `${first.fix} ${rest}`,
  };
}

/** Replaces every key in all files in the folder of a run, including logs and summaries of k6. */
async function redactFolder(folder: string, { redact }: Redaction): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const path = join(entry.parentPath, entry.name);
    // Latin-1 maps each byte to one character and back, so binary files stay unchanged.
    const text = await readFile(path, "latin1");
    const redacted = redact(text);
    if (redacted === text) continue;
    await writeWhole(path, redacted, "latin1").catch(async (error: unknown) => {
      // A file whose keys cannot be removed is deleted.
      await rm(path, { force: true });
      throw error;
    });
  }
}
