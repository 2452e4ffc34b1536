import { join } from "node:path";
import type { Settings } from "../../config/settings.ts";

/** A file of the baseline folder: where it is, and as a message names it. */
export interface BaselineFile {
  readonly path: string;
  readonly shown: string;
}

/** The file of the waivers, written by hand. */
export function waiversFile({ baseline, baselineShown }: Settings): BaselineFile {
  return fileIn(baseline, baselineShown, "waivers.yaml");
}

/** The file of a target's recorded contract. Names of targets may hold any character (`127.0.0.1:8080`). */
export function recordedFile({ baseline, baselineShown }: Settings, target: string): BaselineFile {
  return fileIn(baseline, baselineShown, `${encodeURIComponent(target)}.json`);
}

function fileIn(folder: string, shown: string, name: string): BaselineFile {
  return { path: join(folder, name), shown: join(shown, name) };
}
