import type { Command } from "commander";
import { redactValue } from "../../../conformance/client/redaction.ts";
import type { AnyResults } from "../../../schemas/contracts/results.ts";
import { defaults, resolveSettings, type Settings } from "../../config/settings.ts";
import type { Io } from "../../io.ts";
import { type EarlierRun, namesOfRun, readAnyRun } from "../../runs/read-run.ts";
import { withFlags } from "./flags.ts";

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
  return withFlags(command, "out", "config", "json");
}

/** The settings of a command that reads earlier runs: folders, names and redaction, and no target. */
export function settingsWithoutTarget(
  { out, config }: Omit<EarlierRunFlags, "json">,
  io: Io,
): Promise<Settings> {
  return resolveSettings({ out, config, target: defaults.target }, io);
}

/**
 * Reads a run of any kind to show it: without keys, and with its names in commands: one for files, and `now`
 * for a console, which is `latest` while it is the latest.
 * @throws UsageError as readAnyRun.
 */
export async function readAnyToShow(
  run: string,
  flags: EarlierRunFlags,
  io: Io,
): Promise<EarlierRun<AnyResults> & { readonly now: string }> {
  const settings = await settingsWithoutTarget(flags, io);
  const { path, results } = await readAnyRun({ out: settings.out, cwd: io.cwd }, run);
  // The file may come from elsewhere, or from a version that redacted less.
  const names = await namesOfRun(path, settings, io.cwd);
  return { ...names, path, results: redactValue(results, settings.redaction) };
}
