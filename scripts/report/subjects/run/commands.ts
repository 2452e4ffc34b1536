import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { quotedForShell } from "../../../runs/quoted-for-shell.ts";

// The commands that a report names. They have the flags of the run that name its target and its folders.

/** How documents write it: it works in a project and in a clone. */
const cli = "npx shelfcheck";

/** A command on a run, such as `explain`, which needs no target. */
export function runCommand(command: string): string {
  return `${cli} ${command}`;
}

/** A command on a run that sends requests again: to the target that its flags name, or else to the one that it recorded. */
export function againCommand(command: string, results: Pick<Results, "environment">): string {
  return runCommand(command) + givenFlags(results);
}

/** A command for the target of the run. */
export function targetCommand(command: string, results: Results, folders?: "with folders"): string {
  return `${cli} ${command}${targetFlag(results)}${folders === undefined ? "" : folderFlags(results)}`;
}

/** In CI a target must be named, also the built-in one. */
function targetFlag(results: Results): string {
  const isNamed = results.target.builtIn !== true || results.environment?.placeFlags?.target !== undefined;
  return `${givenFlags(results)}${isNamed ? "" : " --target embedded"}`;
}

/** The flags of the run that name its target, and the files with its settings. */
function givenFlags({ environment }: Pick<Results, "environment">): string {
  const { target, baseUrl, category = [], envFile, config } = environment?.placeFlags ?? {};
  return [
    flagOf("--env-file", envFile),
    flagOf("--config", config),
    flagOf("--base-url", baseUrl),
    flagOf("--target", target),
    ...category.map((one) => flagOf("--category", one)),
  ].join("");
}

function folderFlags({ environment }: Results): string {
  return flagOf("--out", environment?.placeFlags?.out);
}

function flagOf(flag: string, value: string | undefined): string {
  return value === undefined ? "" : ` ${flag} ${quotedForShell(value)}`;
}

/** The command line of the run; without its other options if a part of it is hidden. */
export function sameCommand(results: Results): string {
  return commandLineOf(results) ?? targetCommand(results.command, results, "with folders");
}

/**
 * The command that repeats a load run: its own command line, which has the rate and duration too, if it is known.
 *
 * @param rate Another rate, with the other settings of the profile.
 */
export function loadCommand(
  results: Results,
  { scenario, profile }: Pick<LoadResult, "scenario" | "profile">,
  rate?: number,
): string {
  const own = results.command === "load" && rate === undefined ? commandLineOf(results) : undefined;
  const out = flagOf("--out", results.environment?.placeFlags?.out);
  const slower = rate === undefined ? "" : ` --rate ${rate}`;
  return (
    own ?? `${targetCommand(`load --scenario ${scenario} --profile ${profile}`, results)}${out}${slower}`
  );
}

/** The command line of the run; undefined if it is not known whole. */
function commandLineOf({ environment = { host: "", node: "" }, target }: Results): string | undefined {
  const { commandLine, isIncomplete, placeFlags } = environment;
  if (commandLine === undefined || isIncomplete === true) return undefined;
  const isNamed = target.builtIn !== true || placeFlags?.target !== undefined;
  return `npx ${commandLine}${isNamed ? "" : " --target embedded"}`;
}
