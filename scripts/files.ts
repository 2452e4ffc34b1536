import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

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
