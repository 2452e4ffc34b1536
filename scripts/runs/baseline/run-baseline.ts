import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { compiledOnce } from "../../../conformance/response/compile-schema.ts";
import { listChecks } from "../../../conformance/suite/all.ts";
import { type Baseline, baseline } from "../../../schemas/contracts/baseline.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import type { WaiverResult } from "../../../schemas/contracts/waivers.ts";
import type { Settings } from "../../config/settings.ts";
import { type ContractSource, contractOf, driftBetween } from "../../earlier/drift.ts";
import { UsageError } from "../../errors.ts";
import { makeFolder, writeWhole } from "../../files.ts";
import type { Io } from "../../io.ts";
import { refuseOtherVersion } from "../other-version.ts";
import { dayOf, inForce, type RunWaivers, waiverStates, waiversOf } from "./waiver-states.ts";

/** Waivers and recorded contract of a target, read before any request is sent. */
export interface RunBaseline {
  readonly waivers: RunWaivers;
  /** Undefined when no contract is recorded for the target. */
  readonly recorded: Baseline | undefined;
}

export function targetNameOf({ choice }: Settings): string {
  return choice.kind === "embedded" ? "embedded" : choice.target.name;
}

/**
 * Reads the waivers and the recorded contract of the target.
 * @throws UsageError for a mistake in either.
 */
export async function readBaseline(settings: Settings, { now }: Pick<Io, "now">): Promise<RunBaseline> {
  const name = targetNameOf(settings);
  const known = { targets: [...settings.targetNames, name] };
  const file = waiversFile(settings);
  const text = await readText(file);
  // Imported late, because it loads yaml, which a run without waivers does not need.
  const all = text === undefined ? [] : (await import("./waivers.ts")).parseWaivers(text, file.shown, known);
  return {
    waivers: { listed: waiversOf(name, all), today: dayOf(now()) },
    recorded: await readRecorded(recordedFile(settings, name), name),
  };
}

export function waiversInForce({ waivers }: RunBaseline) {
  return inForce(waivers).map(({ waiver }) => waiver);
}

/** The state of each waiver after a run. */
export function waiverResults(
  { waivers }: RunBaseline,
  judged: Pick<Results<Finding>, "requirements" | "load">,
): WaiverResult[] {
  return waiverStates(waivers, judged, listChecks());
}

/** The changes of the contract in a run since it was recorded. */
export function driftSince({ since, contract }: Baseline, run: ContractSource): Results["drift"] & object {
  return { since, changes: driftBetween(contract, contractOf(run)) };
}

/**
 * Reads the recorded baseline of a target; undefined when there is none.
 * @throws UsageError when the file is not a baseline, or is the baseline of another target.
 */
export async function readRecorded(file: BaselineFile, target: string): Promise<Baseline | undefined> {
  const text = await readText(file);
  if (text === undefined) return undefined;
  const baseline = parseBaseline(text, file);
  if (baseline.target === target) return baseline;
  throw new UsageError({
    what: `The recorded baseline belongs to the target ${JSON.stringify(baseline.target)}`,
    where: file.shown,
    fix: `Remove the file and record one for ${target}: npx shelfcheck baseline accept RUN. If only the name of the target has changed, change it in the file.`,
  });
}

const compiled = compiledOnce(baseline, {
  formats: { "date-time": (moment: string) => !Number.isNaN(Date.parse(moment)) },
});

/**
 * Parses a baseline.
 * @throws UsageError when it is from another version of shelfcheck, or does not fit its schema.
 */
export function parseBaseline(text: string, { shown }: Pick<BaselineFile, "shown">): Baseline {
  const value = parse(text);
  refuseOtherVersion(value, {
    what: "The recorded baseline is",
    where: shown,
    again: "Remove the file, run again and accept that run: npx shelfcheck baseline accept RUN.",
  });
  const validate = compiled();
  if (validate(value)) return value;
  const [error] = validate.errors ?? [];
  const at = value === undefined ? "it is not valid JSON" : `${error?.instancePath || "/"} ${error?.message}`;
  throw new UsageError({
    what: `The recorded baseline does not fit its schema (${at})`,
    where: shown,
    fix: "Restore the file from version control, or record it again: npx shelfcheck baseline accept RUN.",
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
