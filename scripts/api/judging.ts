import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Results } from "../../schemas/contracts/results.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { parseBaseUrl, resolveSettings } from "../config/settings.ts";
import "../cli/doors.ts";
import type { Io } from "../io.ts";
import {
  conformanceStage,
  requireBurstAllowed,
  type StageOptions,
} from "../runs/stages/conformance-stage.ts";
import { record } from "../runs/stages/record.ts";
import type { JudgeSettings, JudgeTarget } from "./options.ts";

// Names the capabilities.

/**
 * Judges a service against the spec, as `shelfcheck conformance` does. Waivers apply.
 * @param surroundings The environment and the working directory of the process.
 * @returns What `results.json` has, without keys; a `problem` for a service that does not respond or refuses
 * the key.
 * @throws UsageError for wrong settings, in the words of the command line; then nothing was sent.
 */
export async function judgeWith(
  { target, baseUrl, keys = {}, categories }: JudgeTarget,
  {
    only = [],
    skip = [],
    onProgress,
    onResult,
    signal,
    out,
    ...options
  }: JudgeSettings & Pick<StageOptions, "onResult">,
  surroundings: Pick<Io, "env" | "cwd" | "nodeVersion">,
): Promise<Results> {
  const keysGiven = (Object.keys(keys) as (keyof typeof keys)[]).filter((role) => keys[role] !== undefined);
  const given = keysGiven.map((role) => [keyVariables[role], keys[role]]);
  const folder = out ?? (await mkdtemp(join(tmpdir(), "shelfcheck-")));
  const io: Io = {
    ...surroundings,
    cwd: options.cwd ?? surroundings.cwd,
    env: { ...surroundings.env, ...Object.fromEntries(given) },
    stdout: { write: () => undefined },
    stderr: { write: (text) => onProgress?.(text.trimEnd()) },
    now: () => new Date(),
    signal: signal ?? new AbortController().signal,
  };
  try {
    if (baseUrl !== undefined) parseBaseUrl(baseUrl, "baseUrl");
    const { config, maxRequests, maxSeconds: maxTime } = options;
    const settings = await resolveSettings(
      { target, baseUrl, category: categories, config, maxRequests, maxTime, out: folder, keysGiven },
      io,
    );
    requireBurstAllowed(settings, { only, skip });
    const { results } = await record({ command: "conformance", settings, io }, async (run) => {
      await conformanceStage(run, { only, skip, onResult });
    });
    return results;
  } finally {
    if (out === undefined) await rm(folder, { recursive: true, force: true });
  }
}
