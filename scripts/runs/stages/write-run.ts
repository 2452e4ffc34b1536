import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Redaction, redactValue } from "../../../conformance/client/redaction.ts";
import type { AnyResults, Problem } from "../../../schemas/contracts/results.ts";
import { reportOf } from "../../core/report-of.ts";
import type { ProblemText } from "../../errors.ts";
import { fileProblem, writeWhole } from "../../files.ts";
import { type FailedReport, type Formats, writeReports } from "../../report/writers/write.ts";
import { pointLatest, type RunFolder } from "../folder.ts";

interface WritePlace {
  readonly out: string;
  readonly folder: RunFolder;
  /** Name of the run in commands. Default: the name of its folder */
  readonly run?: string;
  readonly redaction: Redaction;
  /** Default: writes the file atomically */
  readonly write?: typeof writeWhole;
  /** Default: all usual formats */
  readonly table?: Formats;
}

/**
 * Writes `results.json` and the reports to the folder of the run, without keys, and makes `latest` a link to it.
 *
 * @returns The results. If they cannot be written or rendered as a report, they state that as their problem, with the verdict
 *   `error` and exit code 3 unless something failed.
 */
export async function writeResults<R extends AnyResults>(results: R, place: WritePlace): Promise<R> {
  const clean = redactValue(results, place.redaction);
  const problem = await writeAll(clean, place);
  if (problem === undefined) return clean;
  const stated = redactValue(withProblem(clean, problem), place.redaction);
  // What can be written states the problem, too.
  await writeAll(stated, place);
  return stated;
}

/** Writes what can be written, and returns why not all of it was. */
async function writeAll(
  results: AnyResults,
  { out, folder, run = folder.name, redaction, table, write = writeWhole }: WritePlace,
): Promise<Problem | undefined> {
  const file = join(folder.path, "results.json");
  const works: readonly (readonly [place: string, work: () => Promise<void>])[] = [
    [folder.path, () => redactFolder(folder.path, redaction)],
    [file, () => write(file, `${JSON.stringify(results, null, 2)}\n`)],
    [join(out, "latest"), () => pointLatest(out, folder)],
  ];
  const refused: ProblemText[] = [];
  for (const [place, work] of works)
    await work().catch((error: unknown) => {
      const problem = fileProblem(error, place);
      if (problem === undefined) throw error;
      refused.push(problem);
    });
  const place = { folder: folder.path, redact: redaction.redactReport, table };
  const { failed } = await writeReports(reportOf(results, run), place);
  const [first] = [...refused, ...failed.flatMap((one) => one.refused ?? [])];
  const isKept = refused.every(({ where }) => where !== file);
  if (first !== undefined) return notWrittenProblem(first, folder, isKept);
  return failed.length === 0 ? undefined : notRenderedProblem(failed);
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
    try {
      await writeWhole(path, redacted, "latin1");
    } catch (error) {
      // A file whose keys cannot be removed is deleted.
      await rm(path, { force: true });
      throw error;
    }
  }
}

/** @param isKept `results.json` is written. */
function notWrittenProblem({ what, where, fix }: ProblemText, { name }: RunFolder, isKept: boolean): Problem {
  const rest = isKept
    ? `results.json is complete; to write the other files from it, run: npx shelfcheck report ${name}`
    : "The results are shown on the console only.";
  return {
    what: `The results could not be written completely: ${what.charAt(0).toLowerCase()}${what.slice(1)}`,
    where,
    fix: `${fix} ${rest}`,
  };
}

function notRenderedProblem(failed: readonly FailedReport[]): Problem {
  return {
    what: "shelfcheck could not write a report of the results",
    where: failed.map(({ fileName, reason }) => `${fileName}: ${reason}`).join("; "),
    fix: "This is a bug in shelfcheck, not in the target: please report it with results.json, which is complete.",
  };
}

/** Adds a problem. An earlier problem, a failure and an interruption keep their verdict. */
function withProblem<R extends AnyResults>(results: R, problem: Problem): R {
  if (results.exitCode !== 0 && results.exitCode !== 4) return { problem, ...results };
  return { ...results, problem, verdict: "error", exitCode: 3, cause: "problem" };
}
