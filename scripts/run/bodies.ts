import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KeepBody } from "../../conformance/engine/run-check.ts";

/** Below the folder of a run. */
const folderName = "bodies";
/** Characters of all bodies of a run, and of one. */
const most = 20_000_000;
const mostOfOne = 5_000_000;

/** Whole bodies that findings show, without keys, by the names of their files below the folder of the run. */
export interface Bodies {
  readonly keep: KeepBody;
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Collects the bodies that are too long for `results.json`, up to 20 MB in all: `bodies/<check>-<n>.json`, each text
 * once, or `.txt` for what is not JSON.
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

/** Writes them into the folder of the run; makes none where there are none. */
export async function writeBodies({ files }: Bodies, folder: string): Promise<void> {
  if (files.size === 0) return;
  await mkdir(join(folder, folderName), { recursive: true });
  for (const [name, text] of files) await writeFile(join(folder, name), text);
}
