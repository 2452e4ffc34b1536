import { type Command, Option } from "commander";
import { rateLimitMode } from "../../../scenarios/lib/schedule.ts";
import { profiles as builtIn, type ProfileName } from "../../../scenarios/profiles.ts";
import type { Profile } from "../../../schemas/contracts/profile.ts";
import { type ScenarioId, scenarioIds } from "../../../schemas/scenarios.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { defaults, resolveSettings, type Settings } from "../../config/settings.ts";
import { CannotRunError, UsageError } from "../../errors.ts";
import { resolveK6 } from "../../load/k6/resolve.ts";
import { type LoadPlan, planLoad, previewLoad, renderPreview } from "../../load/plan.ts";
import { neededByLoad, requireAll } from "../../runs/preflight.ts";
import { discoverTarget, waitLine } from "../../runs/stages/conformance-stage.ts";
import { loadStage } from "../../runs/stages/load-stage.ts";
import { recordRun } from "../../runs/stages/record.ts";
import { type CommandDefinition, print } from "./command.ts";
import {
  type CommonFlags,
  durationInSeconds,
  ofTarget,
  positiveNumber,
  repeated,
  wholeNumber,
  withFlags,
} from "./flags.ts";

export interface LoadFlags extends CommonFlags {
  readonly scenario: ScenarioId;
  readonly profile?: string;
  readonly rate?: number;
  readonly duration?: number;
  readonly vus?: number;
  readonly seed?: number;
  readonly k6Arg?: readonly string[];
  readonly print?: boolean;
}

/** `load`: runs one scenario with one profile, or prints its plan. */
export const load: CommandDefinition<LoadFlags> = {
  flags: withLoadFlags,
  run: async (flags, io) => {
    const settings = await resolveSettings(flags, io);
    const { maxRequests, lookSeconds: maxSeconds, toolEnv: env } = settings;
    const { json = false } = flags;
    if (flags.print === true) {
      const preview = previewLoad(planOf(flags, settings));
      const look = `Before that, the target is discovered in at most ${maxSeconds} s (--max-time), and the load prepared in at most ${defaults.glanceSeconds} s.\n`;
      print(io, json, { value: preview, text: () => `${renderPreview(preview)}${look}` });
      return 0;
    }
    await requireAll(neededByLoad(settings, io));
    const plan = planOf(flags, settings);
    return recordRun({ command: "load", settings, io, json }, async (run) => {
      const { target, progress, signal, state } = run;
      const k6 = await resolveK6({ env, progress, signal });
      const onWait = (wait: number) => progress(waitLine(wait), "passing");
      const found = await discoverTarget({ target, maxRequests, maxSeconds, signal, onWait });
      const { loadFixtures: fixtures, noProduct, noBatch, problem } = found;
      state.discovered = found.discovered;
      state.notices = found.notices;
      if (problem !== undefined) throw new CannotRunError(problem);
      const { probe } = settings.profiles;
      await loadStage(run, { plans: [plan], k6, env, fixtures, noProduct, noBatch, probe });
    });
  },
};

const usualProfile: ProfileName = "smoke";
const rateLimitProfile: ProfileName = "probe";

function withLoadFlags(command: Command): Command {
  return withFlags(command, ...ofTarget, "out", "maxTime")
    .addOption(new Option("--scenario <name>", "traffic to send").choices(scenarioIds).default("lookup"))
    .option(
      "--profile <name>",
      `load profile (how much and how long): ${Object.keys(builtIn).join(", ")} or your own (default: ${usualProfile}, or ${rateLimitProfile} for rate-limit)`,
    )
    .option(
      "--rate <n>",
      "peak rate of all requests together, per second; overrides the profile, within the limits of the target",
      positiveNumber,
    )
    .option(
      "--duration <time>",
      "duration, such as 30s, 5m or 1h; overrides the profile; not for a probe",
      durationInSeconds,
    )
    .option(
      "--vus <n>",
      "virtual users for each kind of traffic (default: calculated from the profile)",
      wholeNumber(1),
    )
    .option(
      "--seed <n>",
      "seed of the requests: the same seed sends the same requests (default: 1)",
      wholeNumber(0),
    )
    .addOption(repeated("--k6-arg <argument>", "pass an argument to k6 unchanged"))
    .option("--print", "print what would be sent, without sending it");
}

/**
 * Finds the profile of a scenario, in the config file or among the built-in ones.
 *
 * @param name Default: the default profile of the scenario.
 * @param where The flag or key that the name comes from.
 * @throws UsageError for an unknown name.
 */
export function profileOf(
  scenario: ScenarioId,
  name: string | undefined,
  { profiles }: Pick<Settings, "profiles">,
  where = "--profile",
): { readonly profileName: string; readonly profile: Profile } {
  const profileName = name ?? (scenario === "rate-limit" ? rateLimitProfile : usualProfile);
  const known: Readonly<Record<string, Profile>> = { ...builtIn, ...profiles };
  const profile = Object.hasOwn(known, profileName) ? known[profileName] : undefined;
  if (profile !== undefined) return { profileName, profile };
  throw new UsageError({
    what: `There is no profile ${JSON.stringify(profileName)}`,
    where,
    fix: didYouMean(profileName, Object.keys(known)),
  });
}

/**
 * The load that the flags select, within the limits of the target: for a run and its preview.
 * @throws UsageError as planLoad, for an unknown profile, and for a duration with a probe, which ignores it.
 */
export function planOf(
  flags: LoadFlags,
  { choice, profiles }: Pick<Settings, "choice" | "profiles">,
): LoadPlan {
  const { scenario, rate, duration: durationSeconds, vus, seed, k6Arg: k6Args } = flags;
  const named = profileOf(scenario, flags.profile, { profiles });
  const isProbe = scenario === "rate-limit" && rateLimitMode(named.profile) === "probe";
  if (durationSeconds !== undefined && isProbe) {
    throw new UsageError({
      what: "The duration of a probe cannot be set: a probe ends when it has found the rate limit",
      where: "--duration",
      fix: "Omit --duration, or set the time to hold the rate in the stages of your own profile.",
    });
  }
  return planLoad({ scenario, ...named, rate, durationSeconds, vus, seed, k6Args }, choice.target);
}
