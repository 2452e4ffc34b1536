import { openClient } from "../../../conformance/client/http-client.ts";
import { redactionFor, redactValue } from "../../../conformance/client/redaction.ts";
import { resolveSettings } from "../../config/settings.ts";
import type { Io } from "../../io.ts";
import { consoleStyle } from "../../report/terminal.ts";
import { openChoice } from "../../runs/stages/open-target.ts";
import {
  type Diagnosis,
  diagnoseK6,
  diagnoseNode,
  diagnoseTarget,
  renderDiagnoses,
} from "../../setup/doctor.ts";
import { defineCommand, print } from "./command.ts";
import { type CommonFlags, withTargetFlags } from "./flags.ts";

/** `doctor`: checks what a run needs. Exit 3 when something is missing, 2 when the keys are in the wrong roles. */
export const doctor = defineCommand<CommonFlags>({
  flags: withTargetFlags,
  run: async (flags, io) => {
    const diagnoses = await diagnose(flags, io);
    const text = () => renderDiagnoses(diagnoses, consoleStyle(io));
    print(io, { json: flags.json, value: diagnoses, text });
    const problems = diagnoses.filter(({ status }) => status === "problem");
    if (problems.length === 0) return 0;
    return problems.some(({ exitCode }) => exitCode === 2) ? 2 : 3;
  },
});

async function diagnose(flags: CommonFlags, io: Io): Promise<Diagnosis[]> {
  const settings = await resolveSettings(flags, io);
  await using opened = await openChoice(settings.choice);
  const { target } = opened;
  const progress = (line: string): void => {
    io.stderr.write(`${line}\n`);
  };
  await using http = openClient({ target, maxRequests: 200, signal: io.signal });
  const diagnoses = [
    diagnoseNode(io.nodeVersion),
    await diagnoseK6({ env: settings.toolEnv, progress, signal: io.signal }),
    ...(await diagnoseTarget({ target, missing: settings.missingKeys }, http, progress)),
  ];
  return redactValue(diagnoses, redactionFor(target));
}
