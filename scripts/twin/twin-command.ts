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
import { requireLoadAllowed } from "../config/load-permission.ts";
import { resolveSettings, type Settings } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { openTarget } from "../runs/stages/open-target.ts";
import { recordRun } from "../runs/stages/record.ts";
import { defaultRule } from "./latency.ts";
import { twinStage } from "./twin-stage.ts";

interface TwinFlags extends CommonFlags {
  readonly against?: string;
  readonly minimumEffect?: number;
  readonly minimumMilliseconds?: number;
  readonly duration?: number;
  readonly seed?: number;
}

const defaultSeconds = 60;
const defaultSeed = 1;

/** Adds the flags that say with what the target is compared, which difference matters, and how long it may take. */
function withTwinFlags(command: Command): Command {
  const { minimumEffect, minimumMilliseconds } = defaultRule;
  return command
    .option(
      "--against <target>",
      "the old deployment: a target in the configuration file, or a base URL, which then gets the keys of the target",
    )
    .option(
      "--minimum-effect <percent>",
      `a kind of request is not judged as long as it may be this much slower (default: ${minimumEffect * 100})`,
      (text) => positiveNumber(text) / 100,
    )
    .option(
      "--minimum-milliseconds <ms>",
      `difference of latency up to which nothing is slower, in milliseconds (default: ${minimumMilliseconds})`,
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
 * @throws UsageError as resolveSettings, and as requireLoadAllowed
 */
async function againstSettings(against: string, flags: TwinFlags, io: Io): Promise<Settings> {
  const { target, baseUrl: _address, ...others } = flags;
  // A target that is named by its address, and the built-in one, have no settings for another address.
  const own = target === undefined || target === "embedded" || isAddress(target) ? {} : { target };
  // The address in the environment is that of the target.
  const { SHELFCHECK_BASE_URL: _other, ...env } = io.env;
  const settings = isAddress(against)
    ? await resolveSettings({ ...others, ...own, baseUrl: against }, io)
    : await resolveSettings({ ...others, target: against }, { ...io, env });
  const { choice } = settings;
  requireLoadAllowed(choice, "load");
  if (choice.kind === "embedded" || !isAddress(against)) return settings;
  const name = new URL(choice.target.baseUrl).host;
  return { ...settings, choice: { ...choice, target: { ...choice.target, name } } };
}

/** `twin`: sends the same requests to two deployments, in turn, and compares responses and latency. */
export const twin = defineCommand<TwinFlags>({
  flags: (command) => withTwinFlags(withMaxRequests(withOut(withTargetFlags(command)))),
  run: async (given, io) => {
    const { against } = given;
    if (against === undefined) {
      throw new UsageError({
        what: "The deployment to compare with is not named",
        where: "twin",
        fix: "Name it with --against: a target of the configuration file, or a base URL.",
      });
    }
    // Either deployment may be named by its address.
    const { target, ...others } = given;
    const flags: TwinFlags =
      target !== undefined && isAddress(target) ? { ...others, baseUrl: target } : given;
    const settings = await resolveSettings(flags, io);
    requireLoadAllowed(settings.choice, "load");
    const old = await againstSettings(against, flags, io);
    const { minimumEffect, minimumMilliseconds } = { ...defaultRule, ...flags };
    return recordRun({ command: "twin", settings, io, json: flags.json === true }, async (run) => {
      await using opened = await openTarget(old);
      await twinStage(run, {
        old: opened.target,
        seed: flags.seed ?? defaultSeed,
        seconds: flags.duration ?? defaultSeconds,
        rule: { minimumEffect, minimumMilliseconds },
        maxRequests: settings.maxRequests,
        maxSeconds: settings.lookSeconds,
      });
    });
  },
});
