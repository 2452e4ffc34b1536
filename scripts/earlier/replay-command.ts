import { join } from "node:path";
import { redactionFor, redactValue } from "../../conformance/client/redaction.ts";
import { keyFingerprint, type Target } from "../../conformance/client/target.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { counted } from "../../schemas/words/format.ts";
import { defineCommand, print } from "../cli/commands/command.ts";
import { thoroughEffort } from "../cli/commands/conformance.ts";
import { runNames } from "../cli/commands/earlier-runs.ts";
import { type CommonFlags, withMaxRequests, withOut, withTargetFlags } from "../cli/commands/flags.ts";
import { loadConfig } from "../config/config-file.ts";
import { defaults, resolveSettings, type Settings } from "../config/settings.ts";
import { CannotRunError, type ExitCode, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { loadCommand } from "../report/subjects/run/commands.ts";
import { consoleStyle, printable } from "../report/terminal.ts";
import { readRun } from "../runs/read-run.ts";
import { requireBurstAllowed, waitLine } from "../runs/stages/conformance-stage.ts";
import { openTarget } from "../runs/stages/open-target.ts";
import {
  checksToRun,
  type Replay,
  type ReplayVerdict,
  recordedChecks,
  renderReplay,
  replayChecks,
} from "./replay.ts";

interface ReplayFlags extends CommonFlags {
  readonly changedKey?: boolean;
}

/** `replay RUN [ID]`: runs the failed checks of a run again. */
export const replay = defineCommand<ReplayFlags>({
  flags: (command) =>
    withMaxRequests(withOut(withTargetFlags(command)), `${defaults.maxSeconds}`)
      .argument("<run>", runNames)
      .argument("[id]", "a requirement, check or section that the run judged (default: all that failed)")
      .option("--changed-key", "replay even if the primary key differs from the one used in that run"),
  run: async (flags, io, [run = "", id]) => {
    const { json } = flags;
    // Only for the reports folder. The target is decided below.
    const { baseUrl: _address, ...others } = flags;
    const { out } = await resolveSettings({ ...others, target: defaults.target }, io);
    const { path, results } = await readRun({ out, cwd: io.cwd }, run);
    const recorded = recordedChecks(results, id);
    if (recorded.length === 0) {
      const { verdict, text } = withoutFailures(results);
      print(io, { json, value: { verdict, checks: [] } satisfies Replay, text: () => `${text}\n` });
      return exitCodes[verdict];
    }
    const file = join(path, "results.json");
    const settings = await settingsFor(results.target, file, flags, io);
    const checks = checksToRun(recorded, results);
    requireBurstAllowed(settings, { only: checks.map((check) => check.id), skip: [] });
    // A run with --thorough found what is rare.
    const isThorough = results.environment?.commandLine?.split(" ").includes("--thorough") === true;
    const effort = isThorough ? thoroughEffort : 1;
    const { maxSeconds } = settings;
    const maxRequests = settings.maxRequests * effort;
    await using opened = await openTarget(settings);
    const { target } = opened;
    if (target.name !== defaults.target && flags.changedKey !== true) requireSameKey(results, target, file);
    io.stderr.write(`replay on ${target.name} at ${target.baseUrl}: ${counted(checks.length, "check")}\n`);
    const onWait = (seconds: number) => void io.stderr.write(`${waitLine(seconds)}\n`);
    const options = { target, effort, maxRequests, maxSeconds, signal: io.signal, onWait };
    const found = redactValue(await replayChecks(recorded, checks, options), redactionFor(target));
    print(io, { json, value: found, text: () => renderReplay(found, id, consoleStyle(io)) });
    // A failure decides the exit code even if the target stopped responding later.
    if (found.problem !== undefined && found.verdict === "could not tell")
      throw new CannotRunError(found.problem);
    return exitCodes[found.verdict];
  },
});

const exitCodes = {
  "passes now": 0,
  "still failing": 1,
  "could not tell": 4,
} as const satisfies Record<ReplayVerdict, ExitCode>;

/** What a run shows in which no check failed. Of a run that judged nothing, and of load, no check can be repeated. */
function withoutFailures(results: Results) {
  const { requirements, load } = results;
  const failed = load.find(({ verdict }) => verdict !== "pass");
  const isJudged = requirements.some(
    ({ verdict }) => verdict !== "inconclusive" && verdict !== "notApplicable",
  );
  if (failed === undefined && (isJudged || load.length > 0))
    return { verdict: "passes now", text: "In the run, no check failed." } as const;
  const text =
    failed === undefined
      ? "The run judged nothing, so there is nothing to replay."
      : `Only its load did not pass. To send it again: ${loadCommand(results, failed)}`;
  return { verdict: "could not tell", text } as const;
}

/**
 * The target that a flag names, or else the target of the run if environment or config have it with the same address. The
 * results file may come from elsewhere, so it must not decide where a key is sent.
 */
async function settingsFor(
  { name, baseUrl }: Results["target"],
  file: string,
  flags: ReplayFlags,
  io: Io,
): Promise<Settings> {
  if (flags.target !== undefined || flags.baseUrl !== undefined) return await resolveSettings(flags, io);
  const { config } = await loadConfig(flags.config, io.cwd);
  const isKnown = name === defaults.target || Object.hasOwn(config.targets ?? {}, name);
  const settings = await resolveSettings(isKnown ? { ...flags, target: name } : flags, io);
  const configured = settings.choice.kind === "remote" ? settings.choice.target.baseUrl : undefined;
  if (configured === baseUrl || name === defaults.target) return settings;
  throw new UsageError({
    what:
      configured === undefined
        ? `No target is named; only the results file names ${printable(baseUrl)}`
        : `The run was made at ${printable(baseUrl)}, and the configured address is ${configured}`,
    where: file,
    fix: "Keys are not sent to an address that only a results file names: name the target with --base-url.",
  });
}

function requireSameKey(results: Results, target: Target, file: string): void {
  const [now, then] = [keyFingerprint(target.keys.primary), results.target.keyFingerprint];
  if (now === then) return;
  throw new UsageError({
    what: `The primary key is not the one of that run: its fingerprint is ${now}, and was ${printable(then)}`,
    where: file,
    fix: "Another key may see other products, so the responses would not be comparable. Set the key of that run, or replay anyway with --changed-key.",
  });
}
