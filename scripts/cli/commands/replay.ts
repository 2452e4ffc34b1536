import { join } from "node:path";
import type { Wait } from "../../../conformance/client/http-client.ts";
import { redactionFor, redactValue } from "../../../conformance/client/redaction.ts";
import { keyFingerprint, type Target } from "../../../conformance/client/target.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import { loadConfig } from "../../config/config-file.ts";
import { defaults, resolveSettings, type Settings } from "../../config/settings.ts";
import { CannotRunError, type ExitCode, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { consoleStyle, printable } from "../../report/terminal.ts";
import { readRun } from "../../runs/read-run.ts";
import { requireBurstAllowed, waitLine } from "../../runs/stages/conformance-stage.ts";
import { openTarget } from "../../runs/stages/open-target.ts";
import { discoveryRequests } from "../../runs/stages/selection.ts";
import { renderReplay, renderReplayOfRun } from "../../setup/render-replay.ts";
import {
  mostRequestsOf,
  type Replay,
  recordedChecks,
  recordedFindings,
  replayChecks,
} from "../../setup/replay.ts";
import { defineCommand, print, printBounds } from "./command.ts";
import { runNames } from "./earlier-runs.ts";
import {
  type CommonFlags,
  type PlanFlags,
  withMaxRequests,
  withOut,
  withPlan,
  withTargetFlags,
} from "./flags.ts";

interface ReplayFlags extends CommonFlags, PlanFlags {
  readonly changedKey?: boolean;
}

/** `replay RUN ID`: repeats the requests and checks of a finding, or of all findings of the run without an id. */
export const replay = defineCommand<ReplayFlags>({
  flags: (command) =>
    withPlan(withMaxRequests(withOut(withTargetFlags(command)), `${defaults.maxSeconds}`))
      .argument("<run>", runNames)
      .argument("[id]", "a requirement, check or section that the run judged (default: all its findings)")
      .option("--changed-key", "replay even if the primary key differs from the one used in that run"),
  run: replayRun,
});

async function replayRun(flags: ReplayFlags, io: Io, operands: readonly string[]): Promise<ExitCode> {
  const [run = "", id] = operands;
  // Only for the reports folder. The target is decided below.
  const { baseUrl: _address, ...others } = flags;
  const { out } = await resolveSettings({ ...others, target: defaults.target }, io);
  const { path, results } = await readRun({ out, cwd: io.cwd }, run);
  const recorded = id === undefined ? recordedFindings(results, run) : recordedChecks(results, id);
  if (recorded === undefined) {
    const { verdict, text } = withoutFindings(results);
    const nothing = { id: run, verdict, checks: [], requests: [] } satisfies Replay;
    print(io, { json: flags.json, value: nothing, text: () => `${text}\n` });
    return exitCodeOf(verdict);
  }
  const file = join(path, "results.json");
  const settings = await settingsFor(results.target, file, flags, io);
  requireBurstAllowed(settings, { only: recorded.checks.map((check) => check.id), skip: [] });
  const { maxRequests, maxSeconds } = settings;
  if (flags.plan === true) {
    const requests = Math.min(maxRequests, mostRequestsOf(recorded) + discoveryRequests);
    return printBounds(io, flags.json, { requests, maxSeconds });
  }
  await using opened = await openTarget(settings);
  const { target } = opened;
  if (target.name !== defaults.target && flags.changedKey !== true) requireSameKey(results, target, file);
  const redaction = redactionFor(target);
  io.stderr.write(`replay of ${recorded.id} on ${target.name} at ${target.baseUrl}\n`);
  const { baseUrl: recordedBase, keyVariables: recordedVariables } = results.target;
  const onWait = (wait: Wait): void => {
    io.stderr.write(`${waitLine(wait)}\n`);
  };
  const bounds = { maxRequests, maxSeconds, signal: io.signal };
  const options = { target, recordedBase, recordedVariables, ...bounds, onWait };
  const found = await replayChecks(recorded, options);
  const clean = redactValue(found, redaction);
  const style = consoleStyle(io);
  print(io, {
    json: flags.json,
    value: clean,
    text: () => (id === undefined ? renderReplayOfRun(clean, style) : renderReplay(clean, style)),
  });
  // A failure decides the exit code even if the target stopped responding later.
  if (clean.problem !== undefined && clean.verdict === "could not tell")
    throw new CannotRunError(clean.problem);
  return exitCodeOf(clean.verdict);
}

/** What a run shows in which no check failed. Of a run that judged nothing, and of load, nothing can be repeated. */
function withoutFindings({ requirements, load }: Results): Pick<Replay, "verdict"> & { text: string } {
  if (load.some(({ findings }) => findings.length > 0)) {
    const text =
      "The run has findings of load only. They are not replayed: send the load again with npx shelfcheck load.";
    return { verdict: "could not tell", text };
  }
  const isJudged = requirements.some(
    ({ verdict }) => verdict !== "inconclusive" && verdict !== "notApplicable",
  );
  return !isJudged && load.length === 0
    ? { verdict: "could not tell", text: "The run judged nothing, so there is nothing to replay." }
    : { verdict: "passed", text: "The run has no findings." };
}

/**
 * The target that a flag names, or else the target of the run if environment or config have it with the same address. The
 * results file may come from elsewhere, so it must not decide where a key is sent.
 */
async function settingsFor(
  recorded: Results["target"],
  file: string,
  flags: ReplayFlags,
  io: Io,
): Promise<Settings> {
  if (flags.target !== undefined || flags.baseUrl !== undefined) return await resolveSettings(flags, io);
  if (recorded.name === defaults.target)
    return await resolveSettings({ ...flags, target: recorded.name }, io);
  const { config } = await loadConfig(flags.config, io.cwd);
  const known = Object.hasOwn(config.targets ?? {}, recorded.name) ? { target: recorded.name } : {};
  const settings = await resolveSettings({ ...flags, ...known }, io);
  const configured = settings.choice.kind === "remote" ? settings.choice.target.baseUrl : undefined;
  if (configured === recorded.baseUrl) return settings;
  throw new UsageError({
    what:
      configured === undefined
        ? `No target is named; only the results file names ${printable(recorded.baseUrl)}`
        : `The run was made at ${printable(recorded.baseUrl)}, and the configured address is ${configured}`,
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

function exitCodeOf(verdict: Replay["verdict"]): ExitCode {
  switch (verdict) {
    case "fixed":
    case "passed":
      return 0;
    case "still failing":
      return 1;
    case "could not tell":
      return 4;
    default:
      return verdict satisfies never;
  }
}
