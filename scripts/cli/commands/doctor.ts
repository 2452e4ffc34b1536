import { constants, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { openClient } from "../../../conformance/client/http-client.ts";
import { redactionFor, redactValue } from "../../../conformance/client/redaction.ts";
import { customaryEnvFile } from "../../config/env-file.ts";
import { requireLoadAllowed } from "../../config/load-permission.ts";
import { requireNamedTarget, resolveSettings, type Settings } from "../../config/settings.ts";
import type { Io } from "../../io.ts";
import { refuseK6Options } from "../../load/k6/options-in-environment.ts";
import { consoleStyle } from "../../report/terminal.ts";
import { waitLine } from "../../runs/stages/conformance-stage.ts";
import { openChoice } from "../../runs/stages/open-target.ts";
import {
  type Diagnosis,
  diagnoseBounds,
  diagnoseK6,
  diagnoseNode,
  diagnoseTarget,
  refusalOf,
  renderDiagnoses,
} from "../../setup/doctor.ts";
import { defineCommand, print, printBounds } from "./command.ts";
import { type CommonFlags, type PlanFlags, withMaxTime, withPlan, withTargetFlags } from "./flags.ts";
import { planGate } from "./gate.ts";

/** Most requests of doctor. */
const maxRequests = 200;
/** Usual requests of doctor, to foresee that it will not be done in time. */
const expectedRequests = 30;
/** Longest time of doctor. */
const usualSeconds = 25;
/** Longest wait of doctor for one response, in milliseconds. */
const longestSilence = 8000;

/** `doctor`: checks what a run needs. Exit 3 when something is missing, 2 when the keys are in the wrong roles. */
export const doctor = defineCommand<CommonFlags & PlanFlags>({
  flags: (command) => withPlan(withMaxTime(withTargetFlags(command), `${usualSeconds}`)),
  run: async (flags, io) => {
    const settings = await resolveSettings(flags, io);
    const { maxTime: maxSeconds = usualSeconds } = flags;
    if (flags.plan === true) return printBounds(io, flags.json, { requests: maxRequests, maxSeconds });
    const diagnoses = await diagnose(io, settings, maxSeconds);
    const text = () => renderDiagnoses(diagnoses, consoleStyle(io));
    print(io, { json: flags.json, value: diagnoses, text });
    const problems = diagnoses.filter(({ status }) => status === "problem");
    if (problems.length === 0) return 0;
    return problems.some(({ exitCode }) => exitCode === 2) ? 2 : 3;
  },
});

async function diagnose(io: Io, settings: Settings, maxSeconds: number): Promise<Diagnosis[]> {
  await using opened = await openChoice(settings.choice);
  const { target } = opened;
  const progress = (line: string): void => {
    io.stderr.write(`${line}\n`);
  };
  const timeoutMilliseconds = Math.min(target.timeoutMilliseconds, longestSilence);
  const hasty = { ...target, timeoutMilliseconds };
  await using http = openClient({
    target: hasty,
    maxRequests,
    maxSeconds,
    expectedRequests,
    signal: io.signal,
    onWait: (wait) => progress(waitLine(wait)),
  });
  const diagnoses = [
    diagnoseNode(io.nodeVersion),
    await diagnoseK6({ env: settings.toolEnv, progress, signal: io.signal }),
    ...(await refusalOf("environment", () => refuseK6Options(io.env))),
    ...diagnoseEnvFile(settings),
    ...(await refusalOf("target", () => requireNamedTarget(settings, io.env))),
    ...(await diagnoseTarget({ target, missing: settings.missingKeys }, http)),
    ...diagnoseBounds(target, settings),
    ...(await refusalOf("load", () => requireLoadAllowed(settings.choice, "load"))),
    ...(await refusalOf("gate", () => planGate({}, settings))),
    ...(await refusalOf("reports", () => access(`${nearestExisting(settings.out)}/.`, constants.W_OK))),
  ];
  return redactValue(diagnoses, redactionFor(target));
}

/** A file that many tools read by themselves. Without this note, its keys would seem to be in use. */
function diagnoseEnvFile({ ignoresEnvFile }: Settings): Diagnosis[] {
  if (!ignoresEnvFile) return [];
  const fix = `To use its variables: npx shelfcheck doctor --env-file ${customaryEnvFile}, and the same flag for other commands.`;
  const found = `${customaryEnvFile} is in this folder and was not read`;
  return [{ about: "environment", status: "note", found, fix }];
}

/** The path itself, or the nearest one above it that exists: there a run creates the folder. */
function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}
