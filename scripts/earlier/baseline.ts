import { Ajv2020 } from "ajv/dist/2020.js";
import { listChecks } from "../../conformance/suite/all.ts";
import baselineSchema from "../../schemas/baseline.schema.json" with { type: "json" };
import dialectSchema from "../../schemas/dialect.schema.json" with { type: "json" };
import resultsSchema from "../../schemas/results.schema.json" with { type: "json" };
import type { Baseline, Results, WaiverResult } from "../../schemas/types.ts";
import type { Settings } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { type BaselineFile, readText, recordedFile, waiversFile } from "./baseline-file.ts";
import { type ContractSource, contractOf } from "./contract.ts";
import { driftBetween } from "./drift.ts";
import type { RecordedLoad } from "./recorded-latency.ts";
import { dayOf, inForce, type RunWaivers, waiverStates, waiversOf } from "./waiver-states.ts";
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
export function driftSince({ since, contract }: Baseline, seen: ContractSource): Results["drift"] & object {
  return { since, changes: driftBetween(contract, contractOf(seen)) };
}

/**
 * The contract that was recorded of a target, or undefined when none was.
 * @throws UsageError when the file holds something else, or the contract of another target.
 */
export async function readRecorded(file: BaselineFile, target: string): Promise<Baseline | undefined> {
  const text = await readText(file);
  if (text === undefined) return undefined;
  const value = parse(text);
  const { Discovered, Count } = resultsSchema.$defs;
  const ajv = new Ajv2020({
    schemas: [dialectSchema, { $id: resultsSchema.$id, $defs: { Discovered, Count } }],
    formats: { "date-time": (moment: string) => !Number.isNaN(Date.parse(moment)) },
  });
  const validate = ajv.compile<Baseline>(baselineSchema);
  if (validate(value)) {
    if (value.target === target) return value;
    throw new UsageError({
      what: `The recorded baseline is that of the target ${JSON.stringify(value.target)}`,
      where: file.shown,
      mend: `Remove the file and record that of ${target}: shelfcheck baseline accept RUN. If the target only has another name now, write it to \`target\` there.`,
    });
  }
  const [error] = validate.errors ?? [];
  const at = value === undefined ? "it is no JSON" : `${error?.instancePath || "/"} ${error?.message}`;
  throw new UsageError({
    what: `The recorded baseline does not fit its schema (${at})`,
    where: file.shown,
    mend: "Take the file back from version control, or record it again: shelfcheck baseline accept RUN.",
  });
}

/** The load runs of a baseline, in the form in which `compare` wrote them. */
export function recordedLoadOf(baseline: Baseline | undefined): RecordedLoad | undefined {
  return baseline?.load as RecordedLoad | undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
