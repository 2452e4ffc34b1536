import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Settings } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import { makeFolder, writeWhole } from "../files.ts";

/** A file in the baseline folder: its path, and its name in messages. */
export interface BaselineFile {
  readonly path: string;
  readonly shown: string;
}

/** The file with the waivers, which users edit. */
export function waiversFile({ baseline, baselineShown }: Settings): BaselineFile {
  return fileIn(baseline, baselineShown, "waivers.yaml");
}

/** The file with the recorded contract of a target, whose name may contain any character (`127.0.0.1:8080`). */
export function recordedFile({ baseline, baselineShown }: Settings, target: string): BaselineFile {
  return fileIn(baseline, baselineShown, `${encodeURIComponent(target)}.json`);
}

function fileIn(folder: string, shown: string, name: string): BaselineFile {
  return { path: join(folder, name), shown: join(shown, name) };
}

/** The text of a baseline file; undefined when there is no file. @throws UsageError when it cannot be read. */
export async function readText({ path, shown }: BaselineFile): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new UsageError(
      {
        what: "A file of the baseline cannot be read",
        where: shown,
        fix: error instanceof Error ? error.message : String(error),
      },
      { cause: error },
    );
  }
}

/** Writes a baseline file atomically, and creates its folder. */
export async function writeBaselineFile({ path }: BaselineFile, text: string): Promise<void> {
  await makeFolder(dirname(path));
  await writeWhole(path, text);
}
