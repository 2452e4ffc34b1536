import type { Command } from "commander";
import type { Target } from "../../../conformance/client/target.ts";
import { requireLoadAllowed } from "../../config/load-permission.ts";
import { resolveSettings, type Settings } from "../../config/settings.ts";
import type { Io } from "../../io.ts";
import { openTarget } from "../../runs/stages/open-target.ts";
import type { TwinStage } from "../../runs/stages/twin-stage.ts";
import { defaultRule } from "../../runs/twin/paired-latency.ts";
import { type CommonFlags, durationInSeconds, positiveNumber, wholeNumber } from "./flags.ts";

/** Flags of the commands that compare the target with another deployment. */
export interface TwinFlags extends CommonFlags {
  readonly against?: string;
  readonly duration?: number;
  readonly minimumEffect?: number;
  readonly minimumMilliseconds?: number;
  readonly seed?: number;
}

const defaultSeconds = 60;
const defaultSeed = 1;

/** Adds the flags of a comparison with another deployment. */
export function withAgainst(command: Command, about: string): Command {
  return command.option("--against <target>", about);
}

/** Adds the flags that say how two deployments are compared. */
export function withTwinFlags(command: Command): Command {
  const { minimumEffect, minimumMilliseconds } = defaultRule;
  return command
    .option(
      "--duration <time>",
      `longest comparison; it ends as soon as everything is decided (default: ${defaultSeconds}s)`,
      durationInSeconds,
    )
    .option(
      "--minimum-effect <percent>",
      `smallest difference of latency that counts, in percent (default: ${minimumEffect * 100})`,
      positiveNumber,
    )
    .option(
      "--minimum-milliseconds <ms>",
      `smallest difference of latency that counts, in milliseconds (default: ${minimumMilliseconds})`,
      positiveNumber,
    )
    .option(
      "--seed <n>",
      `seed: the same seed sends the same requests in the same order (default: ${defaultSeed})`,
      wholeNumber(0),
    );
}

export function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/**
 * The deployment of `--against`: a target of the config with its own keys, or a base URL with the keys and settings of the
 * target.
 * @throws UsageError as resolveSettings, and as requireLoadAllowed
 */
export async function againstSettings(against: string, flags: TwinFlags, io: Io): Promise<Settings> {
  const { target, baseUrl: _address, ...others } = flags;
  // A target that is named by its address, and the built-in one, have no settings for another address.
  const own = target === undefined || target === "embedded" || isAddress(target) ? {} : { target };
  const settings = isAddress(against)
    ? await resolveSettings({ ...others, ...own, baseUrl: against }, io)
    : await resolveSettings({ ...others, target: against }, withoutAddress(io));
  requireLoadAllowed(settings.choice, "load");
  return settings;
}

/** The address in the environment is that of the target, not of the deployment that it is compared with. */
function withoutAddress(io: Io): Io {
  const { SHELFCHECK_BASE_URL: _address, ...env } = io.env;
  return { ...io, env };
}

/** Opens the deployment of `--against`. */
export async function openAgainst(
  settings: Settings,
): Promise<AsyncDisposable & { readonly target: Target }> {
  const opened = await openTarget(settings);
  const { name } = opened.target;
  const target =
    settings.choice.kind === "embedded"
      ? { ...opened.target, name: `${name}, started again` }
      : opened.target;
  return { target, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** How the deployments are compared. */
export function twinOptions(flags: TwinFlags): Pick<TwinStage, "seed" | "seconds" | "rule"> {
  const { minimumEffect, minimumMilliseconds = defaultRule.minimumMilliseconds } = flags;
  return {
    seed: flags.seed ?? defaultSeed,
    seconds: flags.duration ?? defaultSeconds,
    rule: {
      ...defaultRule,
      minimumEffect: minimumEffect === undefined ? defaultRule.minimumEffect : minimumEffect / 100,
      minimumMilliseconds,
    },
  };
}
