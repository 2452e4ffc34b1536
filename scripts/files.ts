import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ProblemText } from "./errors.ts";

/**
 * Creates a folder and its parents. `mkdir` with `recursive` is not used: under /proc it never ends, and on a read-only file
 * system it fails with ENOENT.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (await isFolder(path)) return;
    const above = dirname(path);
    if (codeOf(error) !== "ENOENT" || above === path) throw error;
    if (!(await isFolder(above))) await makeFolder(above);
    // Another run may have made it, or the folder above it, in the meantime.
    await mkdir(path).catch(async (again: unknown) => {
      if (!(await isFolder(path))) throw again;
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

/** Writes a file atomically: under a temporary name in the same folder, then renamed. */
export async function writeWhole(
  path: string,
  text: string,
  encoding: BufferEncoding = "utf8",
): Promise<void> {
  const aside = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString("hex")}`);
  try {
    await writeFile(aside, text, encoding);
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    // The error names the temporary file, or none.
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}

const systemFailures: Readonly<Record<string, Omit<ProblemText, "where">>> = {
  ENOSPC: {
    what: "No space left on the device",
    fix: "Free some space, or name another folder with --out.",
  },
  EDQUOT: {
    what: "The disk quota is used up",
    fix: "Free some space, or name another folder with --out.",
  },
  EROFS: { what: "The file system is read-only", fix: "Name a writable folder with --out." },
  EACCES: { what: "No permission", fix: "Change the permissions, or name another file or folder." },
  EPERM: { what: "No permission", fix: "Change the permissions, or name another file or folder." },
  ENOENT: {
    what: "The file or folder does not exist, and cannot be created there",
    fix: "Correct the path.",
  },
  ENOTDIR: { what: "A part of the path is a file, not a folder", fix: "Correct the path." },
  EISDIR: { what: "This is a folder, not a file", fix: "Correct the path." },
  EEXIST: { what: "A file with the name of the folder exists", fix: "Remove it, or name another folder." },
  EMFILE: { what: "Too many files are open", fix: "Raise the limit (ulimit -n)." },
  ENFILE: {
    what: "Too many files are open on this machine",
    fix: "Close other programs, or raise the limit.",
  },
  ENAMETOOLONG: { what: "The path is too long", fix: "Name a shorter one." },
  EIO: { what: "The device failed to read or write", fix: "Check the system log, or name another folder." },
};

/** Explains an error of the file system; undefined for other errors. `place` replaces the path of the error. */
export function fileProblem(error: unknown, place?: string): ProblemText | undefined {
  const failure = systemFailures[codeOf(error)];
  if (failure === undefined || !(error instanceof Error) || !("syscall" in error)) return undefined;
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
  return { ...failure, where: place ?? path ?? String(error.syscall) };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
