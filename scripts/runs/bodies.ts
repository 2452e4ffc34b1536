import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KeepBody } from "../../conformance/engine/run-check.ts";

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
