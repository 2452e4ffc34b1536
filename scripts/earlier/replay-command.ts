import { join } from "node:path";
import { redactionFor, redactValue } from "../../conformance/client/redaction.ts";
import { keyFingerprint } from "../../conformance/client/target.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { counted } from "../../schemas/words/format.ts";
import { defineCommand, print } from "../cli/commands/command.ts";
import { runNames } from "../cli/commands/earlier-runs.ts";
import { type CommonFlags, ofTarget, withFlags } from "../cli/commands/flags.ts";
import { loadConfig } from "../config/config-file.ts";
import { defaults, resolveSettings, type Settings } from "../config/settings.ts";
import { CannotRunError, type ExitCode, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { loadCommand } from "../report/subjects/run/commands.ts";
import { consoleStyle, printable } from "../report/terminal.ts";
import { openTarget } from "../runs/preflight.ts";
import { readRun } from "../runs/read-run.ts";
import { judgeTarget, requireBurstAllowed, waitLine } from "../runs/stages/conformance-stage.ts";
import {
  checksToRun,
  fuzzOf,
  type Replay,
  type ReplayVerdict,
  recordedChecks,
  renderReplay,
  replayOf,
} from "./replay.ts";

/** `replay RUN [ID]`: runs checks of a run again, above all those that failed. */
export const replay = defineCommand<CommonFlags>({
  flags: (command) =>
    withFlags(command, ...ofTarget, "out", "maxRequests", "maxTime")
      .argument("<run>", runNames)
      .argument("[id]", "a requirement, check or section that the run judged (default: all that failed)"),
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
    const settings = await settingsFor(results.target, join(path, "results.json"), flags, io);
    const selection = { only: checksToRun(recorded, results).map((check) => check.id), skip: [] };
    requireBurstAllowed(settings, selection);
    await using opened = await openTarget(settings);
    const { target } = opened;
    const say = (line: string) => void io.stderr.write(`${line}\n`);
    say(`replay on ${target.name} at ${target.baseUrl}: ${counted(selection.only.length, "check")}`);
    const isOtherKey = keyFingerprint(target.keys.primary) !== results.target.keyFingerprint;
    if (isOtherKey && results.target.builtIn !== true)
      say("The primary key is not the one of that run: it may see other products.");
    const { requirements, traffic } = await judgeTarget({
      ...{ target, selection, fuzz: fuzzOf(recorded), signal: io.signal },
      maxRequests: settings.maxRequests,
      maxSeconds: settings.maxSeconds,
      onWait: (seconds: number) => say(waitLine(seconds)),
    });
    const judged = replayOf(recorded, { requirements, gone: traffic.gone }, target);
    const found = redactValue(judged, redactionFor(target));
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
  // As in a run, a warning fails nothing.
  "warned again": 0,
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
  flags: CommonFlags,
  io: Io,
): Promise<Settings> {
  if (flags.target !== undefined || flags.baseUrl !== undefined) return await resolveSettings(flags, io);
  const { config } = await loadConfig(flags.config, io.cwd);
  const isKnown = name === defaults.target || Object.hasOwn(config.targets ?? {}, name);
  const settings = await resolveSettings(isKnown ? { ...flags, target: name } : flags, io);
  const configured = settings.choice.kind === "remote" ? settings.choice.target.baseUrl : undefined;
  if (configured === baseUrl || name === defaults.target) return settings;
  const what =
    configured === undefined
      ? `No target is named; only the results file names ${printable(baseUrl)}`
      : `The run was made at ${printable(baseUrl)}, and the configured address is ${configured}`;
  const fix =
    "Keys are not sent to an address that only a results file names: name the target with --base-url.";
  throw new UsageError({ what, where: file, fix });
}
