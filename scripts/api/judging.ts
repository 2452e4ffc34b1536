import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgeArguments } from "../../schemas/contracts/config.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { parseBaseUrl, resolveSettings } from "../config/settings.ts";
import { validatorOf } from "../config/validate-config.ts";
// Names the capabilities.
import "../cli/doors.ts";
import type { Io } from "../io.ts";
import {
  conformanceStage,
  requireBurstAllowed,
  type StageOptions,
} from "../runs/stages/conformance-stage.ts";
import { record } from "../runs/stages/record.ts";
import type { JudgeSettings, JudgeTarget } from "./options.ts";

const validated = validatorOf(judgeArguments, "the arguments of judge");

/**
 * Judges a service against the spec, as `shelfcheck conformance` does. Waivers apply.
 * @param surroundings The environment and the working directory of the process, and who receives each result.
 * @returns What `results.json` has, without keys; a `problem` for a service that does not respond or refuses
 * the key.
 * @throws UsageError for wrong settings, in the words of the command line; then nothing was sent.
 */
export async function judgeWith(
  judged: JudgeTarget,
  options: JudgeSettings,
  { onResult, ...surroundings }: Pick<Io, "env" | "cwd" | "nodeVersion"> & Pick<StageOptions, "onResult">,
): Promise<Results> {
  const given = validated({ target: judged, options }, "judge");
  const { target, baseUrl, keys = {}, categories } = given.target;
  const { only = [], skip = [], onProgress, signal, out, ...others } = given.options;
  const keysGiven = (Object.keys(keys) as (keyof typeof keys)[]).filter((role) => keys[role] !== undefined);
  const variables = keysGiven.map((role) => [keyVariables[role], keys[role]]);
  const folder = out ?? (await mkdtemp(join(tmpdir(), "shelfcheck-")));
  const io: Io = {
    ...surroundings,
    cwd: others.cwd ?? surroundings.cwd,
    env: { ...surroundings.env, ...Object.fromEntries(variables) },
    stdout: { write: () => undefined },
    stderr: { write: (text) => onProgress?.(text.trimEnd()) },
    now: () => new Date(),
    signal: signal ?? new AbortController().signal,
  };
  try {
    if (baseUrl !== undefined) parseBaseUrl(baseUrl, "baseUrl");
    const { config, maxRequests, maxSeconds: maxTime } = others;
    const settings = await resolveSettings(
      { target, baseUrl, category: categories, config, maxRequests, maxTime, out: folder, keysGiven },
      io,
    );
    requireBurstAllowed(settings, { only, skip });
    // A temporary folder is no flag of the user.
    const placeFlags = { ...settings.placeFlags, out };
    const running = { command: "conformance", settings: { ...settings, placeFlags }, io } as const;
    const { results } = await record(running, async (run) => {
      await conformanceStage(run, { only, skip, onResult });
    });
    return results;
  } finally {
    if (out === undefined) await rm(folder, { recursive: true, force: true });
  }
}
