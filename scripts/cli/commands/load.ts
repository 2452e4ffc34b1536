import { resolveSettings, type Settings } from "../../config/settings.ts";
import { CannotRunError, type ExitCode } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { resolveK6 } from "../../load/k6/resolve.ts";
import { previewLoad, renderPreview } from "../../load/preview.ts";
import { neededByLoad, requireAll } from "../../runs/preflight.ts";
import { discoverTarget, waitLine } from "../../runs/stages/conformance-stage.ts";
import { loadStage } from "../../runs/stages/load-stage.ts";
import { recordRun } from "../../runs/stages/record.ts";
import { defineCommand, print } from "./command.ts";
import { type LoadFlags, planOf, withLoadFlags } from "./load-flags.ts";

/** `load`: runs one scenario with one profile, or prints its plan. */
export const load = defineCommand<LoadFlags>({
  flags: withLoadFlags,
  run: async (flags, io) => {
    const settings = await resolveSettings(flags, io);
    if (flags.print === true) return printPreview(flags, settings, io);
    return sendLoad(flags, settings, io);
  },
});

async function sendLoad(flags: LoadFlags, settings: Settings, io: Io): Promise<ExitCode> {
  await requireAll(neededByLoad(settings, io));
  const plan = planOf(flags, settings);
  return recordRun({ command: "load", settings, io, json: flags.json === true }, async (run) => {
    const { target, progress, signal, state } = run;
    const { maxRequests, lookSeconds: maxSeconds, toolEnv: env } = settings;
    const k6 = await resolveK6({ env, progress, signal });
    const { discovered, loadFixtures, noProduct, noBatch, problem, notices } = await discoverTarget({
      target,
      maxRequests,
      maxSeconds,
      signal,
      onWait: (wait) => progress(waitLine(wait), "passing"),
    });
    state.discovered = discovered;
    state.notices = [...notices];
    if (problem !== undefined) throw new CannotRunError(problem);
    await loadStage(run, { plans: [plan], k6, env, fixtures: loadFixtures, noProduct, noBatch });
  });
}

function printPreview(flags: LoadFlags, settings: Settings, io: Io): ExitCode {
  const preview = previewLoad(planOf(flags, settings));
  const look = `Before that, the target is discovered in at most ${settings.lookSeconds} s (--max-time).\n`;
  print(io, { json: flags.json, value: preview, text: () => `${renderPreview(preview)}${look}` });
  return 0;
}
