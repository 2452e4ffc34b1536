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

/** What is omitted comes from the config file and the environment, as on the command line. */
export interface JudgeTarget {
  /** Name of a target in the config file, or `embedded`. Default: its `defaultTarget` */
  readonly target?: string | undefined;
  /** Base URL, ending in `/v1`. */
  readonly baseUrl?: string | undefined;
  readonly keys?: Readonly<Partial<Record<"primary" | "sameOrg" | "otherOrg", string>>> | undefined;
  /** Categories to browse. Without one, most requirements are not judged. */
  readonly categories?: readonly string[] | undefined;
}

export interface JudgeSettings {
  /** Requirements, checks or sections to judge. Default: all */
  readonly only?: readonly string[] | undefined;
  /** Requirements, checks or sections to leave out. Default: none */
  readonly skip?: readonly string[] | undefined;
  /** Maximum number of requests. Default: 2000, or as the config file says */
  readonly maxRequests?: number | undefined;
  /** Longest time in which requests are sent, in seconds. Default: 300, or as the config file says */
  readonly maxSeconds?: number | undefined;
  /** Path of a config file. Default: `shelfcheck.config.ts` in the folder, if it exists */
  readonly config?: string | undefined;
  /** Folder in which the config file is looked for. Default: the working directory */
  readonly cwd?: string | undefined;
  /** Folder for the reports. Default: none are written */
  readonly out?: string | undefined;
  /** Ends the run; the results so far are returned. */
  readonly signal?: AbortSignal | undefined;
  /** Receives a line about each step. */
  readonly onProgress?: ((line: string) => void) | undefined;
}

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
