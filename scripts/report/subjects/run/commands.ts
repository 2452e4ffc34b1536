import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { quotedForShell } from "../../text.ts";

// The commands that a report names. They have the flags of the run that name its target and its folders.

/** Needs no target, as `explain`; as documents write it, for a project and for a clone. */
export function runCommand(command: string): string {
  return `npx shelfcheck ${command}`;
}

/** Sends requests again: to the target that the run's flags name, or else to the one that it recorded. */
export function againCommand(command: string, results: Pick<Results, "environment">): string {
  return runCommand(command) + givenFlags(results);
}

/** A command for the target of the run. In CI a target must be named, also the built-in one. */
export function targetCommand(command: string, results: Results, folders?: "with folders"): string {
  const out = folders === undefined ? "" : outFlag(results);
  return `${runCommand(command)}${givenFlags(results)}${builtInFlag(results)}${out}`;
}

function builtInFlag({ target, environment }: Results): string {
  return target.builtIn === true && environment?.placeFlags?.target === undefined ? " --target embedded" : "";
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

function outFlag({ environment }: Results): string {
  return flagOf("--out", environment?.placeFlags?.out);
}

function flagOf(flag: string, value: string | undefined): string {
  return value === undefined ? "" : ` ${flag} ${quotedForShell(value)}`;
}

/** The command line of the run; without its other options if a part of it is hidden. */
export function sameCommand(results: Results): string {
  return commandLineOf(results) ?? targetCommand(results.command, results, "with folders");
}

/** The command that repeats a load run: its own, with the duration, if it is known. Pods' only reads logs. */
export function loadCommand(
  results: Results,
  { scenario, profile, conditions }: Pick<LoadResult, "scenario" | "profile" | "conditions">,
): string {
  const isOwn = results.command === "load" && conditions?.host !== "pods";
  const own = isOwn ? commandLineOf(results) : undefined;
  return own ?? targetCommand(`load --scenario ${scenario} --profile ${profile}`, results, "with folders");
}

/** The command line of the run; undefined if it is not known whole. */
function commandLineOf(results: Results): string | undefined {
  const { commandLine, isIncomplete } = results.environment ?? {};
  return commandLine === undefined || isIncomplete ? undefined : `npx ${commandLine}${builtInFlag(results)}`;
}
