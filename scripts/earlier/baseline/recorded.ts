import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import baselineSchema from "../../../schemas/baseline.schema.json" with { type: "json" };
import dialectSchema from "../../../schemas/dialect.schema.json" with { type: "json" };
import resultsSchema from "../../../schemas/results.schema.json" with { type: "json" };
import type { Baseline } from "../../../schemas/types.ts";
import { UsageError } from "../../errors.ts";
import type { RecordedLoad } from "../compare/recorded-load.ts";
import type { BaselineFile } from "./place.ts";
import { readText } from "./waivers.ts";

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

/** Writes a file of the baseline whole or not at all. */
export async function writeWhole({ path }: BaselineFile, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const aside = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    await writeFile(aside, text);
    await rename(aside, path);
  } finally {
    await rm(aside, { force: true });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
