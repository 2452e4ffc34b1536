import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Redaction, redactionFor, redactValue } from "../../../conformance/client/redaction.ts";
import { keyFingerprint, type Target } from "../../../conformance/client/target.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import {
  type AnyResults,
  type Problem,
  type ResultParts,
  type Results,
  schemaVersion,
} from "../../../schemas/contracts/results.ts";
import { countByVerdict, judge } from "../../../schemas/contracts/verdicts.ts";
import type { Settings } from "../../config/settings.ts";
import { added, reportOf } from "../../core/added.ts";
import { bugIn, type ExitCode, knownProblem, UsageError } from "../../errors.ts";
import { type Io, type Progress, progressOn } from "../../io.ts";
import { againCommand } from "../../report/subjects/run/commands.ts";
import { consoleStyle } from "../../report/terminal.ts";
import { writeConsole } from "../../report/writers/console.ts";
import { version } from "../../version.ts";
import { environmentOf, type RunEnvironment } from "../environment.ts";
import { neededByRuns, openTarget, requireAll } from "../preflight.ts";
import { namesOfRun } from "../read-run.ts";
import { saidResults } from "../said.ts";
import { makeRunFolder, type RunFolder, writeResults } from "../write-run.ts";

/** What a run has found so far. Filled during the run, so that an interruption keeps it. */
export interface RunState
  extends Pick<
    Results<Finding>,
    "requirements" | "requests" | "discovered" | "load" | "waivers" | "problem" | "scope"
  > {
  notices: Finding[];
  parts: ResultParts;
}

export function emptyRun(): RunState {
  return {
    requirements: [],
    requests: { total: 0 },
    discovered: { dialect: {}, fields: {}, rateLimit: { refused: 0 }, fixtures: [] },
    load: [],
    notices: [],
    parts: {},
  };
}

/** What a command works with during a run. */
export interface Run {
  readonly target: Target;
  readonly settings: Settings;
  readonly startedAt: Date;
  /** Absolute path of the run's folder, for files beside `results.json`. */
  readonly folder: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Add findings as soon as they are known. When the run ends, for whatever reason, they are written. */
  readonly state: RunState;
}

interface RunToRecord {
  readonly command: Results["command"];
  readonly settings: Settings;
  readonly io: Io;
}

/**
 * Records a run and shows it.
 *
 * @returns Its exit code.
 * @throws as record.
 */
export async function recordRun(
  { json, ...recording }: RunToRecord & { readonly json: boolean },
  work: (run: Run) => Promise<void>,
): Promise<ExitCode> {
  const { results, ...written } = await record(recording, work);
  await showResults(results, { ...recording, ...written, json });
  return results.exitCode;
}

interface WrittenRun extends Omit<RunToRecord, "command"> {
  readonly json: boolean;
  readonly folder: RunFolder;
  readonly redaction: Redaction;
}

/** Shows a run on stdout: as JSON, or as text. */
export async function showResults(results: AnyResults, run: WrittenRun): Promise<void> {
  const { settings, io, json, folder, redaction } = run;
  if (json) return void io.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  const isWritten = existsSync(join(folder.path, "results.json"));
  const resultsFile = isWritten ? join(settings.outShown, folder.name, "results.json") : undefined;
  const { now } = await namesOfRun(folder.path, settings, io.cwd);
  const text = writeConsole(reportOf(results, now), { resultsFile, style: consoleStyle(io) });
  // A blank line separates it from what was printed while the run went on.
  io.stdout.write(redaction.redact(`\n${text}`));
}

/**
 * Opens the target, calls `work`, then writes the results and reports, even after an interruption or an
 * error.
 * @throws the first refusal of the set-up, and UsageError from `work`. In that case no results are written.
 */
export async function record({ command, settings, io }: RunToRecord, work: (run: Run) => Promise<void>) {
  await requireAll(neededByRuns(settings, io));
  const startedAt = io.now();
  const builtIn = settings.choice.kind === "embedded";
  await using opened = await openTarget(settings);
  const { target } = opened;
  const redaction = redactionFor(target);
  const progress = progressOn(io, redaction.redact);
  const folder = await makeRunFolder(settings.out, command, startedAt);
  const state = emptyRun();
  progress(`${command} of ${target.name} at ${target.baseUrl}`);
  if (builtIn) progress(settings.targetIsDefault ? `${builtInNotice} ${howToName}` : builtInNotice);
  try {
    await work({ target, settings, startedAt, folder: folder.path, progress, signal: io.signal, state });
  } catch (error) {
    if (error instanceof UsageError) {
      await rm(folder.path, { recursive: true });
      throw error;
    }
    if (io.env.SHELFCHECK_DEBUG && error instanceof Error) progress(error.stack ?? "");
    if (!io.signal.aborted) {
      // Not every error of the file system names a file.
      const place = error instanceof Error && "path" in error ? undefined : folder.path;
      state.problem = { ...(knownProblem(error, place) ?? bugIn(error)) };
    }
  }
  progress("", "passing");
  const times = { startedAt, finishedAt: io.now(), interrupted: io.signal.aborted };
  const environment = environmentOf(io, settings.placeFlags);
  const info = { command, target, builtIn, ...times, environment, redaction };
  const { name: run } = await namesOfRun(folder.path, settings, io.cwd);
  const place = { out: settings.out, folder, run, redaction };
  const results = await writeResults((unwritten) => assembleResults(info, state, unwritten), place);
  return { results, folder, redaction };
}

const builtInNotice = "This is the built-in reference service: your own service is not tested.";
const howToName = "To test yours, name it with --target, SHELFCHECK_BASE_URL or defaultTarget in the config.";

/** What is known about a run apart from its findings. */
export interface RunInfo {
  readonly command: Results["command"];
  readonly target: Target;
  readonly builtIn: boolean;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly interrupted: boolean;
  readonly environment: RunEnvironment;
  readonly redaction: Redaction;
}

/**
 * With verdict, exit code and cause. Sentences are made last, from what is left when keys are hidden.
 * @param unwritten Why the results could not be written.
 */
export function assembleResults(info: RunInfo, state: RunState, unwritten?: Problem): Results {
  const { command, target, interrupted, startedAt, finishedAt } = info;
  const { parts } = state;
  const notices = [...state.notices, ...notProbed(info, state)];
  const problem = bothOf(state.problem, unwritten);
  const results: Results<Finding> = {
    schemaVersion,
    tool: { name: "shelfcheck", version },
    command,
    target: {
      name: target.name,
      baseUrl: target.baseUrl,
      ...(info.builtIn ? { builtIn: true as const } : {}),
      keyFingerprint: keyFingerprint(target.keys.primary),
    },
    environment: info.environment,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    ...judge(
      { ...state, command, interrupted, notices, problem },
      added.map((one) => one.causes),
    ),
    summary: countByVerdict(state.requirements),
    ...state,
    problem,
    notices: notices.length === 0 ? undefined : notices,
    parts: Object.keys(parts).length === 0 ? undefined : parts,
  };
  return saidResults(redactValue(results, info.redaction), target);
}

/** Says that a whole run left the expected rate limit out, so that nobody takes it for judged. */
function notProbed({ command, target, environment }: RunInfo, { load, scope }: RunState): Finding[] {
  const isWhole = scope === undefined && (command === "conformance" || command === "gate");
  const isProbed = load.some(({ rateLimit }) => rateLimit?.mode === "probe");
  if (target.expectedLimit === undefined || !isWhole || isProbed) return [];
  return [{ code: "limit-not-probed", subject: againCommand("load --scenario rate-limit", { environment }) }];
}

/** A problem of a run, and that its results could not be written. */
function bothOf(problem: Problem | undefined, unwritten: Problem | undefined): Problem | undefined {
  if (problem === undefined || unwritten === undefined) return problem ?? unwritten;
  return { ...problem, fix: `${problem.fix} ${unwritten.what}: ${unwritten.where}. ${unwritten.fix}` };
}
