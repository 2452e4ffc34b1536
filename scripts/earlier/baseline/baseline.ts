import { listChecks } from "../../../conformance/suite/all.ts";
import type { Baseline, Results, WaiverResult } from "../../../schemas/types.ts";
import type { Settings } from "../../config/settings.ts";
import type { Io } from "../../io.ts";
import { contractOf, type Met } from "../drift/contract.ts";
import { driftBetween } from "../drift/drift-between.ts";
import { dayOf } from "./day.ts";
import { recordedFile, waiversFile } from "./place.ts";
import { readRecorded } from "./recorded.ts";
import { inForce, type RunWaivers, waiverStates, waiversOf } from "./waiver-states.ts";
import { readWaivers } from "./waivers.ts";

/** What the user's repository says of a target, read before anything is sent. */
export interface RunBaseline {
  readonly waivers: RunWaivers;
  /** Undefined when no contract was recorded for the target. */
  readonly recorded: Baseline | undefined;
}

/** The name that a run's target will go by. */
export function targetNameOf({ choice }: Settings): string {
  return choice.kind === "embedded" ? "embedded" : choice.target.name;
}

/**
 * Reads waivers and recorded contract of the settings' target.
 * @throws UsageError for a mistake in either.
 */
export async function readBaseline(settings: Settings, { now }: Pick<Io, "now">): Promise<RunBaseline> {
  const name = targetNameOf(settings);
  const known = { targets: [...settings.targetNames, name] };
  const all = await readWaivers(waiversFile(settings), known);
  return {
    waivers: { listed: waiversOf(name, all), today: dayOf(now()) },
    recorded: await readRecorded(recordedFile(settings, name), name),
  };
}

/** The waivers that a run's verdicts are made with. */
export function waiversInForce({ waivers }: RunBaseline) {
  return inForce(waivers).map(({ waiver }) => waiver);
}

/** What became of the waivers. */
export function waiverResults(
  { waivers }: RunBaseline,
  met: Pick<Results, "requirements" | "load">,
): WaiverResult[] {
  return waiverStates(waivers, met, listChecks());
}

/** How what a run met differs from the recorded contract. */
export function driftSince({ since, contract }: Baseline, met: Met): Results["drift"] & object {
  return { since, changes: driftBetween(contract, contractOf(met)) };
}
