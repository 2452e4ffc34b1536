import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "./errors.ts";

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
