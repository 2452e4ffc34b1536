import { redactionFor, redactValue } from "../../../conformance/client/redaction.ts";
import { resolveSettings, type Settings } from "../../config/settings.ts";
import { type Io, progressOn } from "../../io.ts";
import { consoleStyle } from "../../report/terminal.ts";
import { neededByLoad, neededByRuns } from "../../runs/preflight.ts";
import { waitLine } from "../../runs/stages/conformance-stage.ts";
import { openChoice } from "../../runs/stages/open-target.ts";
import {
  type Diagnosis,
  lookAt,
  type Note,
  noteOnK6,
  notesOnSettings,
  refusalsOf,
  renderDiagnosis,
} from "../../setup/doctor.ts";
import { defineCommand, print } from "./command.ts";
import { type CommonFlags, withMaxTime, withTargetFlags } from "./flags.ts";
import { planGate } from "./gate.ts";

/** Most requests of doctor, and its longest time without `--max-time`. */
const [maxRequests, usualSeconds] = [200, 25];

/** `doctor`: everything for which a gate would be refused, and what can be used of the target. */
export const doctor = defineCommand<CommonFlags>({
  flags: (command) => withMaxTime(withTargetFlags(command), `${usualSeconds}`),
  run: async (flags, io) => {
    const settings = await resolveSettings(flags, io);
    const diagnosis = await diagnose(settings, io, flags.maxTime ?? usualSeconds);
    const text = () => renderDiagnosis(diagnosis, consoleStyle(io));
    print(io, { json: flags.json, value: diagnosis, text });
    const [exitCode = 0] = diagnosis.refusals.map((refusal) => refusal.exitCode).toSorted();
    return exitCode;
  },
});

async function diagnose(settings: Settings, io: Io, maxSeconds: number): Promise<Diagnosis> {
  const { choice, missingKeys, toolEnv: env } = settings;
  await using opened = await openChoice(choice);
  const { target } = opened;
  const { redact } = redactionFor(target);
  const progress = progressOn(io, redact);
  const notes: Note[] = [{ found: `Node ${io.nodeVersion}` }];
  const refusals = await refusalsOf([
    ...neededByRuns(settings, io),
    ...neededByLoad(settings, io),
    () => planGate({}, settings),
    async () => notes.push(await noteOnK6({ env, progress, signal: io.signal })),
  ]);
  const onWait = (wait: Parameters<typeof waitLine>[0]) => progress(waitLine(wait));
  const seen =
    missingKeys.length > 0
      ? undefined
      : await lookAt({ target, maxRequests, maxSeconds, signal: io.signal, onWait });
  return redactValue(
    {
      refusals: [...refusals, ...(seen?.refusals ?? [])],
      notes: [...notes, ...notesOnSettings(settings), ...(seen?.notes ?? [])],
      discovered: seen?.discovered,
    },
    redactionFor(target),
  );
}
