import type { Command } from "commander";
import { defineCommand } from "../cli/commands/command.ts";
import {
  type CommonFlags,
  durationInSeconds,
  positiveNumber,
  wholeNumber,
  withMaxRequests,
  withOut,
  withTargetFlags,
} from "../cli/commands/flags.ts";
import { parseBaseUrl } from "../config/base-url.ts";
import { requireLoadAllowed } from "../config/load-permission.ts";
import { resolveSettings, type Settings } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { openTarget } from "../runs/stages/open-target.ts";
import { recordRun } from "../runs/stages/record.ts";
import { usualMilliseconds } from "./latency.ts";
import { twinStage } from "./twin-stage.ts";

interface TwinFlags extends CommonFlags {
  readonly against?: string;
  readonly minimumMilliseconds?: number;
  readonly duration?: number;
  readonly seed?: number;
}

const defaultSeconds = 60;
const defaultSeed = 1;

function withTwinFlags(command: Command): Command {
  return command
    .option(
      "--against <target>",
      "the old deployment: a target in the configuration file, or a base URL, which then gets the keys of the target",
    )
    .option(
      "--minimum-milliseconds <ms>",
      `difference of latency up to which nothing is slower, in milliseconds (default: ${usualMilliseconds})`,
      positiveNumber,
    )
    .option("--duration <time>", `longest comparison (default: ${defaultSeconds}s)`, durationInSeconds)
    .option(
      "--seed <n>",
      `seed: the same seed sends the same requests in the same order (default: ${defaultSeed})`,
      wholeNumber(0),
    );
}

function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/**
 * The deployment of `--against`: a target of the config with its own keys, or a base URL with the keys and settings of the
 * target, but not with its name.
 * @throws UsageError as resolveSettings
 */
async function againstSettings(against: string, flags: TwinFlags, io: Io): Promise<Settings> {
  const { target, baseUrl: _address, ...others } = flags;
  // A target that is named by its address, and the built-in one, have no settings for another address.
  const own = target === undefined || target === "embedded" || isAddress(target) ? {} : { target };
  // The address in the environment is that of the target.
  const { SHELFCHECK_BASE_URL: _other, ...env } = io.env;
  if (isAddress(against)) parseBaseUrl(against, "--against");
  const settings = isAddress(against)
    ? await resolveSettings({ ...others, ...own, baseUrl: against }, io)
    : await resolveSettings({ ...others, target: against }, { ...io, env });
  const { choice } = settings;
  if (choice.kind === "embedded" || !isAddress(against)) return settings;
  const name = new URL(choice.target.baseUrl).host;
  return { ...settings, choice: { ...choice, target: { ...choice.target, name } } };
}

/** `twin`: sends the same requests to two deployments, in turn, and compares responses and latency. */
export const twin = defineCommand<TwinFlags>({
  flags: (command) => withTwinFlags(withMaxRequests(withOut(withTargetFlags(command)))),
  run: async ({ target, ...given }, io) => {
    const { against } = given;
    if (against === undefined) {
      throw new UsageError({
        what: "The deployment to compare with is not named",
        where: "twin",
        fix: "Name it with --against: a target of the configuration file, or a base URL.",
      });
    }
    // Either deployment may be named by its address.
    const named = target === undefined ? {} : isAddress(target) ? { baseUrl: target } : { target };
    const flags: TwinFlags = { ...given, ...named };
    const settings = await resolveSettings(flags, io);
    const old = await againstSettings(against, flags, io);
    for (const { choice } of [settings, old]) requireLoadAllowed(choice, "load");
    return recordRun({ command: "twin", settings, io, json: flags.json === true }, async (run) => {
      await using opened = await openTarget(old);
      await twinStage(run, {
        old: opened.target,
        seed: flags.seed ?? defaultSeed,
        seconds: flags.duration ?? defaultSeconds,
        minimumMilliseconds: flags.minimumMilliseconds,
        maxRequests: settings.maxRequests,
        maxSeconds: settings.lookSeconds,
      });
    });
  },
});
