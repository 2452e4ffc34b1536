import { openClient } from "../../conformance/client/http-client.ts";
import type { Target } from "../../conformance/client/target.ts";
import { acceptedKeyHeader } from "../../conformance/discovery/first-contact.ts";
import { discoverService } from "../../conformance/engine/judge-service.ts";
import type { Problem } from "../../schemas/contracts/results.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { code } from "../../schemas/words/values.ts";
import type { CommandDefinition } from "../cli/commands/command.ts";
import { type CommonFlags, durationInSeconds, ofTarget, withFlags } from "../cli/commands/flags.ts";
import { requireLoadAllowed } from "../config/load-permission.ts";
import { defaults, parseBaseUrl, resolveSettings, type Settings } from "../config/settings.ts";
import { CannotRunError } from "../errors.ts";
import type { Io } from "../io.ts";
import { againCommand } from "../report/subjects/run/commands.ts";
import { environmentOf } from "../runs/environment.ts";
import { openTarget } from "../runs/preflight.ts";
import { waitLine, withExitCode } from "../runs/stages/conformance-stage.ts";
import { loadFixturesOf } from "../runs/stages/load-fixtures.ts";
import { type Run, recordRun } from "../runs/stages/record.ts";
import { deploymentOn } from "./deployment.ts";
import { measure } from "./measure.ts";
import { probesOf } from "./probes.ts";

interface TwinFlags extends CommonFlags {
  readonly against: string;
  readonly duration?: number;
}

const defaultSeconds = 60;

function isAddress(name = ""): boolean {
  return /^https?:\/\//i.test(name);
}

/** Of a deployment. Given by its address, it is called by that: all else may be of the other one. */
async function settingsOf(flags: CommonFlags, io: Io): Promise<Settings> {
  const settings = await resolveSettings(flags, io);
  const { choice } = settings;
  if (choice.kind === "embedded" || flags.baseUrl === undefined) return settings;
  const { host: name } = new URL(choice.target.baseUrl);
  return { ...settings, choice: { ...choice, target: { ...choice.target, name } } };
}

/** Of `--against`: a target of the config with its keys, or a base URL with all else of the target. */
async function againstSettings(against: string, { target, ...flags }: CommonFlags, io: Io) {
  if (isAddress(against)) {
    // The built-in target has no settings for another address.
    const own = target === defaults.target ? {} : { target };
    return await settingsOf({ ...flags, ...own, baseUrl: parseBaseUrl(against, "--against") }, io);
  }
  // The addresses in flags and environment are those of the target.
  const { SHELFCHECK_BASE_URL: _address, ...env } = io.env;
  return await settingsOf({ ...flags, baseUrl: undefined, target: against }, { ...io, env });
}

/** `twin`: sends the same requests to two deployments, in turn, and compares responses and latency. */
export const twin: CommandDefinition<TwinFlags> = {
  flags: (command) =>
    withFlags(command, ...ofTarget, "out", "maxRequests", "maxTime")
      .requiredOption(
        "--against <target>",
        "the old deployment: a target in the configuration file, or a base URL, which then gets the keys of the target",
      )
      .option(
        "--duration <time>",
        `time after which no new comparison of a request begins (default: ${defaultSeconds}s)`,
        durationInSeconds,
      ),
  run: async ({ against, duration = defaultSeconds, json = false, target, ...others }, io) => {
    // Either deployment may be named by its address.
    const flags = { ...others, ...(isAddress(target) ? { baseUrl: target } : { target }) };
    const settings = await settingsOf(flags, io);
    const old = await againstSettings(against, flags, io);
    for (const { choice } of [settings, old]) requireLoadAllowed(choice, "load");
    const doctor = againCommand("doctor", { environment: environmentOf(io, old.placeFlags) });
    return recordRun({ command: "twin", settings, io, json }, async (run) => {
      await using opened = await openTarget(old);
      await compareDeployments(run, opened.target, { seconds: duration, doctor });
    });
  },
};

/**
 * Compares the target of the run with another deployment and adds the result. If one of them stops
 * responding, that becomes the problem of the run.
 * @param doctor The command that looks at the other one.
 * @throws as conformanceStage, for either deployment
 */
async function compareDeployments(
  { target, settings, progress, signal, state }: Run,
  old: Target,
  { seconds, doctor }: { readonly seconds: number; readonly doctor: string },
): Promise<void> {
  // The run is named by its target, the new one.
  const ofOld = ({ what, where, fix }: Problem): Problem => ({
    what,
    where: `${where} (${old.name})`,
    fix: `${code(old.name)} at ${code(old.baseUrl)}: ${fix}`,
    next: doctor,
  });
  const fromOld = async <T>(work: Promise<T>): Promise<T> =>
    await withExitCode(work).catch((error: unknown) => {
      throw error instanceof CannotRunError ? new CannotRunError(ofOld(error)) : error;
    });
  const asking = { signal, onWait: (wait: number) => progress(waitLine(wait), "passing") };
  const { maxRequests, lookSeconds: maxSeconds } = settings;
  progress(`discovering ${old.name} at ${old.baseUrl}`);
  // What the old deployment offers, both are asked for.
  const { discovery } = await fromOld(discoverService({ ...asking, target: old, maxRequests, maxSeconds }));
  // Time bounds the requests of a comparison, not their number.
  const comparing = { ...asking, maxRequests: Number.MAX_SAFE_INTEGER, keepsExchanges: false };
  await using oldHttp = openClient({ ...comparing, target: old });
  await using newHttp = openClient({ ...comparing, target });
  oldHttp.prefer((await fromOld(acceptedKeyHeader(oldHttp, old))).keyHeader);
  newHttp.prefer((await withExitCode(acceptedKeyHeader(newHttp, target))).keyHeader);
  const { unentitledProduct: foreign } = discovery.fixtures;
  const fixtures = {
    ...loadFixturesOf(discovery, oldHttp.redaction),
    foreign: foreign.present ? [{ ...foreign.value, product_id: foreign.value.productId }] : [],
  };
  const others = (["sameOrg", "otherOrg"] as const).filter((role) =>
    [old, target].every(({ keys }) => keys[role] !== undefined),
  );
  const deployments = { old: deploymentOn(oldHttp, old), new: deploymentOn(newHttp, target) };
  progress(`comparing responses, then latency: no new comparison begins after ${Math.round(seconds)} s`);
  const measured = await measure({
    ...{ deployments, probes: probesOf(fixtures, others), random: Math.random },
    ...{ seconds, signal, progress, clock: oldHttp.clock },
  });
  state.requests = { ...state.requests, total: newHttp.requests().total };
  state.parts.twin = {
    old: { name: old.name, baseUrl: old.baseUrl },
    longestSeconds: seconds,
    ...measured,
  };
  const [oldGone, newGone] = [deployments.old.gone(), deployments.new.gone()];
  if (oldGone !== undefined) state.problem = ofOld(problemFrom(oldGone, old));
  else if (newGone !== undefined) state.problem = problemFrom(newGone, target);
}
