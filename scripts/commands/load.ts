import { Option } from "commander";
import { profiles as builtIn } from "../../scenarios/profiles.ts";
import type { Profile } from "../../schemas/types.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { resolveSettings, type Settings } from "../config/settings.ts";
import { discoverTarget } from "../conformance/run.ts";
import { UsageError } from "../errors.ts";
import { resolveK6 } from "../k6/resolve.ts";
import type { LoadRequest } from "../load/run.ts";
import { recordRun } from "../results/record.ts";
import { loadStage } from "../stages/load.ts";
import {
  type CommonFlags,
  collect,
  duration,
  positiveNumber,
  wholeNumber,
  withMaxRequests,
  withOut,
  withTargetFlags,
} from "./flags.ts";
import { defineVerb } from "./verb.ts";

interface LoadFlags extends CommonFlags {
  readonly scenario: LoadRequest["scenario"];
  readonly profile: string;
  readonly rate?: number;
  readonly duration?: number;
  readonly vus?: number;
  readonly k6Arg?: readonly string[];
}

const scenarios = [
  "lookup",
  "paging",
  "batch",
  "mixed",
  "rate-limit",
] as const satisfies readonly LoadRequest["scenario"][];

/** `load`: one scenario in one profile, by k6. */
export const load = defineVerb<LoadFlags>({
  flags: (command) =>
    withMaxRequests(withOut(withTargetFlags(command)))
      .addOption(new Option("--scenario <name>", "what to send").choices(scenarios).default("lookup"))
      .option(
        "--profile <name>",
        "how much, how long: smoke, average, stress, spike, soak, breakpoint or your own",
        "smoke",
      )
      .option("--rate <n>", "requests a second, instead of the profile's", positiveNumber)
      .option("--duration <time>", "how long, instead of the profile's: 30s, 5m, 1h", duration)
      .option("--vus <n>", "virtual users, instead of those that the profile works out", wholeNumber(1))
      .option("--k6-arg <argument>", "hand an argument to k6 as it is; may be repeated", collect),
  run: async (flags, io) => {
    const settings = await resolveSettings(flags, io);
    const profile = profileNamed(flags.profile, settings);
    return recordRun({ command: "load", settings, io, json: flags.json === true }, async (run) => {
      const { target, progress, signal, learned } = run;
      const k6 = await resolveK6({ env: io.env, progress, signal });
      const { maxRequests } = settings;
      const { discovered, loadFixtures } = await discoverTarget({ target, maxRequests, progress, signal });
      learned.discovered = discovered;
      await loadStage(run, {
        k6Path: k6.path,
        scenarios: [flags.scenario],
        profileName: flags.profile,
        profile,
        fixtures: loadFixtures,
        overrides: {
          ...(flags.rate === undefined ? {} : { rate: flags.rate }),
          ...(flags.duration === undefined ? {} : { durationSeconds: flags.duration }),
          ...(flags.vus === undefined ? {} : { vus: flags.vus }),
        },
        k6Args: flags.k6Arg ?? [],
      });
    });
  },
});

/** A profile of the config file, or one of ours. */
function profileNamed(name: string, settings: Settings): Profile {
  const known: Readonly<Record<string, Profile>> = { ...builtIn, ...settings.profiles };
  const profile = Object.hasOwn(known, name) ? known[name] : undefined;
  if (profile !== undefined) return profile;
  throw new UsageError({
    what: `There is no profile ${JSON.stringify(name)}`,
    where: "--profile",
    mend: didYouMean(name, Object.keys(known)),
  });
}
