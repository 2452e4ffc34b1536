import { existsSync } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type AnyResults, type Results, schemaVersion } from "../../schemas/contracts/results.ts";
import { isObject } from "../../schemas/json.ts";
import { nearest } from "../config/did-you-mean.ts";
import type { Settings } from "../config/settings.ts";
import { ownOf } from "../core/added.ts";
import { UsageError } from "../errors.ts";
import { refuseOtherVersion } from "./other-version.ts";
import { quotedForShell } from "./quoted-for-shell.ts";

/** Number of runs listed in the message about an unknown run. */
const shownRuns = 5;

/** A finished run. */
export interface EarlierRun<R = Results> {
  /** Name of its folder. */
  readonly name: string;
  /** Absolute path of its folder. */
  readonly path: string;
  readonly results: R;
}

export interface RunPlaces {
  /** Absolute path of the reports folder. */
  readonly out: string;
  /** Working directory, for paths that are not in the reports folder. */
  readonly cwd: string;
}

/**
 * Reads the results of an earlier run.
 *
 * @param run Name of its folder in the reports folder, `latest`, or the path of the folder or of its `results.json`.
 * @throws UsageError when there is no such run, with similar names or the newest runs, or when it cannot be read.
 */
export function readRun(places: RunPlaces, run: string): Promise<EarlierRun> {
  return readRunBy(places, run, readResults);
}

/** As `readRun`, for runs of every kind. */
export function readAnyRun(places: RunPlaces, run: string): Promise<EarlierRun<AnyResults>> {
  return readRunBy(places, run, readAnyResults);
}

async function readRunBy<R>(
  { out, cwd }: RunPlaces,
  run: string,
  read: (folder: string, howToFind: () => Promise<string>) => Promise<R>,
): Promise<EarlierRun<R>> {
  const candidates = [resolve(out, run), resolve(cwd, run)].map(folderOf);
  const path = candidates.find((folder) => existsSync(join(folder, "results.json"))) ?? resolve(out, run);
  return { name: basename(path), path, results: await read(path, () => runsThere(out, run)) };
}

/**
 * The run as an argument of commands that a report suggests: the name of its folder if commands without `--out` find it
 * by that name, otherwise its path. `latest` becomes the run itself, because it will be another run later.
 *
 * @param path Absolute path of the run's folder.
 */
export async function runArgument(
  path: string,
  { out, outWasGiven }: Pick<Settings, "out" | "outWasGiven">,
  cwd: string,
): Promise<string> {
  const folder = await realpath(path);
  const isInReports = dirname(folder) === (await realpath(out).catch(() => out));
  if (isInReports && !outWasGiven) return basename(folder);
  const short = relative(await realpath(cwd), folder);
  return quotedForShell(short.startsWith("..") ? folder : short);
}

/** As `runArgument`, for a command that is shown once: `latest` while the run is the latest. */
export async function runNow(
  path: string,
  settings: Pick<Settings, "out" | "outWasGiven">,
  cwd: string,
): Promise<string> {
  const latest = join(settings.out, "latest");
  const isLatest = (await realpath(latest).catch(() => undefined)) === (await realpath(path));
  if (!isLatest) return await runArgument(path, settings, cwd);
  if (!settings.outWasGiven) return "latest";
  const short = relative(cwd, latest);
  return quotedForShell(short.startsWith("..") ? latest : short);
}

/** Names of the runs with results in a reports folder, oldest first; empty when there is no such folder. */
async function listRuns(out: string): Promise<string[]> {
  const entries = await readdir(out, { withFileTypes: true }).catch(() => []);
  // `latest` is a symbolic link, or a copy of a run where links are not possible.
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== "latest");
  const names = folders.map(({ name }) => name).sort();
  return names.filter((name) => existsSync(join(out, name, "results.json")));
}

/**
 * Reads `results.json` in the folder of a run of a target.
 *
 * @throws UsageError as readAnyResults, and for a run of another kind.
 */
export async function readResults(folder: string, howToFind?: () => Promise<string>): Promise<Results> {
  const results = await readAnyResults(folder, howToFind);
  const own = ownOf(results);
  if (own === undefined) return results as Results;
  throw new UsageError({
    what: `This is the run of ${own.isOf}, and not of a service`,
    where: join(folder, "results.json"),
    fix: `Name a run of conformance, load or gate. To show this one: npx shelfcheck report ${basename(folder)}`,
  });
}

/**
 * Reads `results.json` in the folder of a run of any kind.
 *
 * @param howToFind The fix in the message about a missing file.
 * @throws UsageError when the file is missing, cannot be read, is not valid JSON, comes from another version of shelfcheck, or
 *   does not hold the results of a run.
 */
export async function readAnyResults(
  folder: string,
  howToFind: () => Promise<string> = async () => "Name the folder of a run.",
): Promise<AnyResults> {
  const file = join(folder, "results.json");
  let text: string;
  try {
    // A named pipe would be waited for without an end.
    if (!(await stat(file)).isFile()) {
      throw new UsageError({
        what: "The results cannot be read",
        where: file,
        fix: "It is not a regular file.",
      });
    }
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") {
      throw new UsageError(
        { what: "The results cannot be read", where: file, fix: message },
        { cause: error },
      );
    }
    throw new UsageError(
      { what: "There is no such run", where: file, fix: await howToFind() },
      { cause: error },
    );
  }
  const results = parse(text, file);
  refuseOtherVersion(results, {
    what: "The results are",
    where: file,
    again: "Run again: this version does not convert earlier results.",
  });
  if (isOfRun(results)) return results;
  throw new UsageError({
    what: "The file does not hold the results of a run of shelfcheck",
    where: file,
    fix: "Name the folder of a run, or repeat the run.",
  });
}

/** Whether a value has the head of results. Only shelfcheck writes the rest. */
function isOfRun(value: unknown): value is AnyResults {
  return (
    isObject(value) &&
    value.schemaVersion === schemaVersion &&
    typeof value.command === "string" &&
    typeof value.verdict === "string" &&
    isObject(value.summary) &&
    Array.isArray(value.requirements)
  );
}

function folderOf(path: string): string {
  return basename(path) === "results.json" ? dirname(path) : path;
}

async function runsThere(out: string, run: string): Promise<string> {
  const names = await listRuns(out);
  if (names.length === 0) {
    return "The folder has no runs. Run conformance first, or name another folder with --out.";
  }
  const near = nearest(run, ["latest", ...names]);
  const newest = `The newest runs are: ${names.slice(-shownRuns).join(", ")}.`;
  return near === undefined ? newest : `Did you mean ${near}? ${newest}`;
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      {
        what: "The results are not valid JSON",
        where: file,
        fix: "The file may have been changed or cut off. Repeat the run.",
      },
      { cause: error },
    );
  }
}
