import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Makes a folder that is removed after the tests of the file, at whose top it is called. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `shelfcheck-${name}-`));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
