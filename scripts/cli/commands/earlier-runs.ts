import type { Command } from "commander";
import { redactValue } from "../../../conformance/client/redaction.ts";
import { defaults, resolveSettings, type Settings } from "../../config/settings.ts";
import type { Io } from "../../io.ts";
import {
  type AnyResults,
  type EarlierRun,
  type RunPlaces,
  readAnyRun,
  readRun,
  runArgument,
} from "../../runs/read-run.ts";
import { withConfig, withJson, withOut } from "./flags.ts";

// What the commands that read earlier runs share. They send no request.

/** How the help describes an argument that names runs. */
export const runNames = "a run: latest, the name of its folder, or its path";

/** Flags of every command that reads earlier runs. */
export interface EarlierRunFlags {
  readonly out?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export function withEarlierRuns(command: Command): Command {
  return withJson(withConfig(withOut(command)));
}

/** The settings of a command that reads earlier runs: folders, names and redaction, and no target. */
export function settingsWithoutTarget(
  { out, config, baseline }: Omit<EarlierRunFlags, "json"> & { readonly baseline?: string },
  io: Io,
): Promise<Settings> {
  return resolveSettings({ out, config, baseline, target: defaults.target }, io);
}

/**
 * Reads a run to show it: without keys, and with its name in commands.
 *
 * @throws UsageError as readRun.
 */
export function readToShow(run: string, flags: EarlierRunFlags, io: Io): Promise<EarlierRun> {
  return readBy(readRun, run, flags, io);
}

/** As `readToShow`, for runs of every kind. */
export function readAnyToShow(run: string, flags: EarlierRunFlags, io: Io): Promise<EarlierRun<AnyResults>> {
  return readBy(readAnyRun, run, flags, io);
}

async function readBy<R>(
  read: (places: RunPlaces, run: string) => Promise<EarlierRun<R>>,
  run: string,
  flags: EarlierRunFlags,
  io: Io,
): Promise<EarlierRun<R>> {
  const settings = await settingsWithoutTarget(flags, io);
  const { path, results } = await read({ out: settings.out, cwd: io.cwd }, run);
  const name = await runArgument(path, settings, io.cwd);
  // The file may come from elsewhere, or from a version that redacted less.
  return { name, path, results: redactValue(results, settings.redaction) };
}
