import { randomBytes } from "node:crypto";
import { cp, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { CannotRunError } from "../errors.ts";
import { fileProblem, makeFolder } from "../files.ts";

/** The folder of one run in the reports folder. */
export interface RunFolder {
  /** Unique, and sorts by time: `2026-11-21T08-57-10-123Z-gate-a1b2c3`. */
  readonly name: string;
  readonly path: string;
}

/**
 * Creates the folder of a run.
 *
 * @throws CannotRunError when the reports folder cannot be written.
 */
export async function makeRunFolder(out: string, command: string, startedAt: Date): Promise<RunFolder> {
  const time = startedAt.toISOString().replaceAll(/[:.]/g, "-");
  const name = `${time}-${command}-${randomBytes(3).toString("hex")}`;
  const path = join(out, name);
  try {
    await makeFolder(path);
  } catch (error) {
    throw notWritable(out, error);
  }
  return { name, path };
}

/** That no run can be written below a folder, and why. */
export function notWritable(out: string, error: unknown): CannotRunError {
  const why = fileProblem(error)?.what ?? String(error instanceof Error ? error.message : error);
  return new CannotRunError(
    {
      what: "The reports folder is not writable",
      where: out,
      fix: `${why}. Name another folder with --out.`,
    },
    { cause: error },
  );
}

/**
 * Makes `<out>/latest` a link to a run. The link is created under another name and moved into place, so that two parallel
 * runs do not interfere. Where links are not possible (on Windows without permission, or if `latest` is a folder), the run
 * is copied.
 */
export async function pointLatest(out: string, run: RunFolder): Promise<void> {
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
