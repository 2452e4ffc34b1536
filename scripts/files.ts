import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ProblemText } from "./errors.ts";

/** `mkdir` with `recursive` never ends under /proc, and fails with ENOENT on a read-only file system. */
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

/** What failed, and how to fix it where another path is not the way. */
const systemFailures: Readonly<Record<string, readonly [what: string, fix?: string]>> = {
  ENOSPC: ["No space left on the device", "Free some space, or name another folder with --out."],
  EDQUOT: ["The disk quota is used up", "Free some space, or name another folder with --out."],
  EROFS: ["The file system is read-only", "Name a writable folder with --out."],
  EACCES: ["No permission", "Change the permissions, or name another file or folder."],
  EPERM: ["No permission", "Change the permissions, or name another file or folder."],
  ENOENT: ["The file or folder does not exist, or cannot be created there"],
  ENOTDIR: ["A part of the path is a file, not a folder"],
  EISDIR: ["This is a folder, not a file"],
  EEXIST: ["A file with the name of the folder exists", "Remove it, or name another folder."],
  EMFILE: ["Too many files are open", "Raise the limit (ulimit -n)."],
  ENFILE: ["Too many files are open on this machine", "Close other programs, or raise the limit."],
  ENAMETOOLONG: ["The path is too long", "Name a shorter one."],
  EIO: ["The device failed to read or write", "Check the system log, or name another folder."],
};

/** For errors of the file system; undefined for others. `place` replaces the path of the error. */
export function fileProblem(error: unknown, place?: string): ProblemText | undefined {
  const [what, fix = "Correct the path."] = systemFailures[codeOf(error)] ?? [];
  if (what === undefined || !(error instanceof Error) || !("syscall" in error)) return undefined;
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
  return { what, where: place ?? path ?? String(error.syscall), fix };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
