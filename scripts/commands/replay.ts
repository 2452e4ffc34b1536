import { redactionFor } from "../../conformance/client/redaction.ts";
import { keyFingerprint } from "../../conformance/client/target.ts";
import type { Results } from "../../schemas/types.ts";
import { loadConfig } from "../config/config-file.ts";
import { defaults, resolveSettings, type Settings } from "../config/settings.ts";
import { readRun } from "../earlier/earlier-run.ts";
import type { ExitCode } from "../errors.ts";
import type { Io } from "../io.ts";
import { renderReplay } from "../replay/render.ts";
import { type Replay, replayFinding } from "../replay/replay.ts";
import { saidOf } from "../replay/said.ts";
import { consoleStyle } from "../report/style.ts";
import { openTarget } from "../run/open-target.ts";
import { redactValue } from "../run/redact.ts";
import type { CommandEntry } from "./command.ts";
import { type CommonFlags, withMaxRequests, withOut, withTargetFlags } from "./flags.ts";

/** `replay RUN ID`: asks the target again what an earlier run found. */
export const replay: CommandEntry = (command, io, done) => {
  withMaxRequests(withOut(withTargetFlags(command)))
    .argument("<run>", "folder of the run below the reports folder, or latest")
    .argument("<id>", "a requirement or a check that the run judged")
    .action(async (run: string, id: string, flags: CommonFlags) => done(await ask(run, id, flags, io)));
};

async function ask(run: string, id: string, flags: CommonFlags, io: Io): Promise<ExitCode> {
  // Only the reports folder: whom to ask, the run says.
  const { baseUrl: _address, ...others } = flags;
  const { out } = await resolveSettings({ ...others, target: defaults.target }, io);
  const { results } = await readRun({ out, cwd: io.cwd }, run);
  const said = saidOf(results, id);
  const settings = await settingsFor(results, flags, io);
  await using opened = await openTarget(settings);
  const { target } = opened;
  const redaction = redactionFor(target.keys);
  const ownKey = target.name !== defaults.target;
  if (ownKey && keyFingerprint(target.keys.primary) !== results.target.keyFingerprint) {
    io.stderr.write("The primary key is another than in that run: what it may see can differ.\n");
  }
  io.stderr.write(`replay of ${said.id} on ${target.name} at ${target.baseUrl}\n`);
  const { maxRequests } = settings;
  const recordedBase = results.target.baseUrl;
  const found = await replayFinding(said, { target, recordedBase, maxRequests, signal: io.signal });
  const clean = redactValue(found, redaction);
  io.stdout.write(
    flags.json === true ? `${JSON.stringify(clean, null, 2)}\n` : renderReplay(clean, consoleStyle(io)),
  );
  return exitCodeOf(clean.verdict);
}

// The target of that run, unless a flag names another: under its name when the config still knows it, else by address.
async function settingsFor({ target }: Results, flags: CommonFlags, io: Io): Promise<Settings> {
  if (flags.target !== undefined || flags.baseUrl !== undefined) return await resolveSettings(flags, io);
  if (target.name === defaults.target) return await resolveSettings({ ...flags, target: target.name }, io);
  const { config } = await loadConfig(flags.config, io.cwd);
  const known = Object.hasOwn(config.targets ?? {}, target.name) ? { target: target.name } : {};
  return await resolveSettings({ ...flags, ...known, baseUrl: target.baseUrl }, io);
}

function exitCodeOf(verdict: Replay["verdict"]): ExitCode {
  switch (verdict) {
    case "fixed":
    case "holds":
      return 0;
    case "still failing":
      return 1;
    case "could not tell":
      return 4;
    default:
      return verdict satisfies never;
  }
}
