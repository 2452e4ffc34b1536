import { randomBytes } from "node:crypto";
import { cp, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KeepBody } from "../../conformance/engine/results.ts";
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

/** Name of the folder for bodies in the folder of a run. */
const folderName = "bodies";
/** Maximum number of characters of all bodies in a run. */
const most = 20_000_000;
const mostOfOne = 5_000_000;

/** Complete bodies of findings, redacted, by the path of their file in the folder of the run. */
export interface Bodies {
  readonly keep: KeepBody;
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Collects the bodies that are too long for `results.json`, up to 20 MB in total. Equal bodies are kept once, as
 * `bodies/<check>-<n>.json`, or `.txt` if they are not JSON.
 */
export function createBodies(room = most): Bodies {
  const files = new Map<string, string>();
  const named = new Map<string, string>();
  let left = room;
  return {
    files,
    keep(check, text) {
      const known = named.get(text);
      if (known !== undefined) return known;
      if (text.length > Math.min(left, mostOfOne)) return undefined;
      left -= text.length;
      const stem = `${folderName}/${check.replaceAll(/[^\w.-]/g, ".")}`;
      const extension = /^\s*[[{]/.test(text) ? "json" : "txt";
      let nth = 1;
      while (files.has(`${stem}-${nth}.${extension}`)) nth++;
      const file = `${stem}-${nth}.${extension}`;
      files.set(file, text);
      named.set(text, file);
      return file;
    },
  };
}

/** Writes bodies to the folder of the run. Creates no subfolder without bodies. */
export async function writeBodies({ files }: Bodies, folder: string): Promise<void> {
  if (files.size === 0) return;
  await mkdir(join(folder, folderName), { recursive: true });
  for (const [name, text] of files) await writeFile(join(folder, name), text);
}
