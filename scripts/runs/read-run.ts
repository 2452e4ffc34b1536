import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { redactValue } from "../../conformance/client/redaction.ts";
import { type AnyResults, type Results, schemaVersion } from "../../schemas/contracts/results.ts";
import { isObject, jsonIn } from "../../schemas/json.ts";
import { type Settings, settingsWithoutTarget, type TargetFlags } from "../config/settings.ts";
import { ownOf } from "../core/added.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { quotedForShell } from "../report/text.ts";

/** A finished run. */
export interface EarlierRun<R = Results> {
  /** Of its folder, or its path where commands find it by that only. */
  readonly name: string;
  /** Absolute path of its folder. */
  readonly path: string;
  readonly results: R;
}

/** Nothing of that name is a run. */
export class NoSuchRun extends UsageError {}

type PlaceFlags = Pick<TargetFlags, "out" | "config">;

/**
 * Reads the results of an earlier run of a target, as readAnyRun.
 *
 * @throws UsageError as readAnyRun, and for a run of another kind.
 */
export async function readRun(run: string, flags: PlaceFlags, io: Io): Promise<EarlierRun> {
  const { results, ...found } = await readAnyRun(run, flags, io);
  const own = ownOf(results);
  if (own === undefined) return { ...found, results: results as Results };
  throw new UsageError({
    what: `This is the run of ${own.isOf}, and not of a service`,
    where: join(found.path, "results.json"),
    fix: `Name a run of conformance, load or gate. To show this one: npx shelfcheck report ${found.name}`,
  });
}

/**
 * Reads the results of an earlier run of any kind: without keys, and with its names in commands.
 * @param run Name of its folder in the reports folder, `latest`, or the path of the folder, of its
 * `results.json`, or of a folder of runs.
 * @throws UsageError when there is no such run, or when it cannot be read, comes from another version of
 * shelfcheck, or does not hold the results of a run.
 */
export async function readAnyRun(
  run: string,
  flags: PlaceFlags,
  io: Io,
): Promise<EarlierRun<AnyResults> & NamesOfRun> {
  const { cwd } = io;
  const settings = await settingsWithoutTarget(flags, io);
  const { out } = settings;
  // A name is one of the folder of reports, a path begins here.
  const bases = run.includes("/") ? [cwd, out] : [out, cwd];
  const places = bases.flatMap((base) => {
    const path = resolve(base, run);
    return basename(path) === "results.json" ? dirname(path) : [path, join(path, "latest")];
  });
  const path = places.find((folder) => existsSync(join(folder, "results.json"))) ?? places[0] ?? out;
  const where = join(path, "results.json");
  const refusal = (what: string, fix: string, cause?: unknown) =>
    new UsageError({ what, where, fix }, { cause });
  const text = await readFile(where, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR")
      throw refusal("The results cannot be read", error.message, error);
    throw new NoSuchRun({ what: "There is no such run", where, fix: named }, { cause: error });
  });
  const results = jsonIn(text);
  const version = isObject(results) ? results.schemaVersion : undefined;
  if (typeof version === "number" && version !== schemaVersion) {
    throw refusal(
      `The results have schemaVersion ${version}, and this version of shelfcheck reads ${schemaVersion}`,
      "Run again, or use the version that wrote the file: results of another one are not converted.",
    );
  }
  if (!isOfRun(results))
    throw refusal(
      "The file does not hold the results of a run of shelfcheck",
      "Name the folder of a run, or repeat the run: the file may have been changed or cut off.",
    );
  // The file may come from elsewhere, or from a version that redacted less.
  const shown = redactValue(results, settings.redaction);
  return { ...(await namesOfRun(path, settings, cwd)), path, results: shown };
}

/** Whether a value has the main parts of results. Only shelfcheck writes the rest. */
function isOfRun(value: unknown): value is AnyResults {
  if (!isObject(value) || value.schemaVersion !== schemaVersion) return false;
  const { command, requirements, summary, target, load } = value;
  const isOfService = isObject(target) && Array.isArray(load);
  const isOfKind = isOfService || ownOf({ command: String(command) }) !== undefined;
  return isOfKind && Array.isArray(requirements) && isObject(summary);
}

const named =
  "A run is a folder with a file results.json, in the reports folder (--out) or named by its path; the newest one is latest. If there is none yet, run conformance first.";

/** The run as an argument of suggested commands. */
interface NamesOfRun {
  /** For a file. */
  readonly name: string;
  /** For what is shown once: `latest` while that is the run. */
  readonly now: string;
}

/**
 * The names of a run: that of its folder if commands without `--out` find it, else its path.
 * @param path Absolute path of the run's folder.
 */
export async function namesOfRun(
  path: string,
  { out, placeFlags }: Pick<Settings, "out" | "placeFlags">,
  cwd: string,
): Promise<NamesOfRun> {
  const [folder, here, reports, latest] = (await Promise.all(
    [path, cwd, out, join(out, "latest")].map((one) => realpath(one).catch(() => one)),
  )) as [string, string, string, string];
  const shown = (place: string) => {
    // With --out, other commands find its runs by path only.
    if (dirname(place) === reports && placeFlags.out === undefined) return basename(place);
    const short = relative(here, place);
    return quotedForShell(short.startsWith("..") ? place : short);
  };
  const name = shown(folder);
  return { name, now: folder === latest ? shown(join(reports, "latest")) : name };
}
