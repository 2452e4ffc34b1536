import { rm } from "node:fs/promises";
import { join } from "node:path";
import { redactionFor } from "../../conformance/client/redaction.ts";
import type { Target } from "../../conformance/client/target.ts";
import type { Results } from "../../schemas/types.ts";
import type { Settings } from "../config/settings.ts";
import { CannotRunError, type ExitCode, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { renderConsole } from "../report/console.ts";
import { consoleStyle } from "../report/style.ts";
import { assembleResults, type Learned, nothingLearned } from "./assemble.ts";
import { makeRunFolder } from "./folder.ts";
import { openTarget } from "./open-target.ts";
import { writeResults } from "./write.ts";

/** What a command does between the start of a run and its results. */
export interface Run {
  readonly target: Target;
  /** Absolute path of the run's folder, for files beside `results.json`. */
  readonly folder: string;
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
  /** Fill it as it is learned: whatever stands here when the run ends, in whichever way, is written. */
  readonly learned: Learned;
}

/**
 * Opens the target, lets `work` learn, and in every case (done, interrupted, target gone, our own mistake)
 * writes and shows the results.
 *
 * @throws UsageError from `work` as it is: nothing was run then, so nothing is written.
 */
export async function recordRun(
  { command, settings, io, json }: { command: Results["command"]; settings: Settings; io: Io; json: boolean },
  work: (run: Run) => Promise<void>,
): Promise<ExitCode> {
  const startedAt = io.now();
  await using opened = await openTarget(settings);
  const { target } = opened;
  const redaction = redactionFor(target.keys);
  const progress = (line: string): void => {
    io.stderr.write(`${redaction.redact(line)}\n`);
  };
  const folder = await makeRunFolder(settings.out, command, startedAt);
  const learned = nothingLearned();
  progress(`${command} of ${target.name} at ${target.baseUrl}`);
  if (settings.targetIsDefault) progress(defaultNotice);
  try {
    await work({ target, folder: folder.path, progress, signal: io.signal, learned });
  } catch (error) {
    if (error instanceof UsageError) {
      await rm(folder.path, { recursive: true });
      throw error;
    }
    if (io.env.SHELFCHECK_DEBUG && error instanceof Error) progress(error.stack ?? "");
    if (!io.signal.aborted) learned.problem = problemOf(error);
  }
  const frame = { command, target, startedAt, finishedAt: io.now(), interrupted: io.signal.aborted };
  const results = await writeResults(assembleResults(frame, learned), {
    out: settings.out,
    folder,
    redaction,
  });
  const resultsFile = join(settings.outShown, folder.name, "results.json");
  if (json) io.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  else io.stdout.write(redaction.redact(renderConsole(results, { resultsFile, style: consoleStyle(io) })));
  return results.exitCode;
}

// A green run of the reference service in CI, where the address was forgotten or an empty secret, tells nothing of a release.
const defaultNotice =
  "no target was named, so this is the reference service inside and not yours: name one by --target, SHELFCHECK_BASE_URL or defaultTarget in the config";

function problemOf(error: unknown): Results["problem"] & object {
  if (error instanceof CannotRunError) return { what: error.what, where: error.where, mend: error.mend };
  return {
    what: "shelfcheck itself broke",
    where: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    mend: "This is a mistake of shelfcheck, not of the target: please report it. SHELFCHECK_DEBUG=1 shows where.",
  };
}
