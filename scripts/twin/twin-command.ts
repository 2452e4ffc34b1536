import { setTimeout } from "node:timers/promises";
import { type ClientOptions, openClient } from "../../conformance/client/http-client.ts";
import { redactionFor } from "../../conformance/client/redaction.ts";
import type { Target } from "../../conformance/client/target.ts";
import { discover } from "../../conformance/discovery/discover.ts";
import { acceptedKeyHeader } from "../../conformance/discovery/first-contact.ts";
import type { ProductFixture } from "../../conformance/discovery/fixtures.ts";
import { given } from "../../schemas/json.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import type { CommandDefinition } from "../cli/commands/command.ts";
import {
  type CommonFlags,
  durationInSeconds,
  ofTarget,
  wholeNumber,
  withFlags,
} from "../cli/commands/flags.ts";
import { requireLoadAllowed } from "../config/load-permission.ts";
import { parseBaseUrl, resolveSettings, type Settings } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { openTarget } from "../runs/preflight.ts";
import { waitLine, withExitCode } from "../runs/stages/conformance-stage.ts";
import { loadFixturesOf } from "../runs/stages/load-fixtures.ts";
import { type Run, recordRun } from "../runs/stages/record.ts";
import { deploymentOn } from "./deployment.ts";
import { measure } from "./measure.ts";
import { probesOf, randomOf } from "./probes.ts";
import { sides, type TwinResult } from "./twin-result.ts";

interface TwinFlags extends CommonFlags {
  readonly against: string;
  readonly duration?: number;
  readonly seed?: number;
}

const defaultSeconds = 60;
const defaultSeed = 1;

function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/** Of `--against`: a target of the config with its keys, or a base URL with all else of the target. */
async function againstSettings({ against, target, ...flags }: TwinFlags, io: Io): Promise<Settings> {
  const { baseUrl: _address, ...others } = flags;
  if (!isAddress(against)) {
    // The address in the environment is that of the target.
    const { SHELFCHECK_BASE_URL: _other, ...env } = io.env;
    return await resolveSettings({ ...others, target: against }, { ...io, env });
  }
  parseBaseUrl(against, "--against");
  // A target that is named by its address, and the built-in one, have no settings for another address.
  const own = target === undefined || target === "embedded" || isAddress(target) ? {} : { target };
  return namedByAddress(await resolveSettings({ ...others, ...own, baseUrl: against }, io));
}

/** Each deployment has its own name, also with the settings of another one. */
function namedByAddress(settings: Settings): Settings {
  const { choice } = settings;
  if (choice.kind === "embedded") return settings;
  const name = new URL(choice.target.baseUrl).host;
  return { ...settings, choice: { ...choice, target: { ...choice.target, name } } };
}

/** `twin`: sends the same requests to two deployments, in turn, and compares responses and latency. */
export const twin: CommandDefinition<TwinFlags> = {
  flags: (command) =>
    withFlags(command, ...ofTarget, "out", "maxRequests", "maxTime")
      .requiredOption(
        "--against <target>",
        "the old deployment: a target in the configuration file, or a base URL, which then gets the keys of the target",
      )
      .option("--duration <time>", `longest comparison (default: ${defaultSeconds}s)`, durationInSeconds)
      .option(
        "--seed <n>",
        `seed: the same seed sends the same requests in the same order (default: ${defaultSeed})`,
        wholeNumber(0),
      ),
  run: async ({ target, ...given }, io) => {
    // Either deployment may be named by its address.
    const named = target === undefined ? {} : isAddress(target) ? { baseUrl: target } : { target };
    const flags: TwinFlags = { ...given, ...named };
    const { seed = defaultSeed, duration = defaultSeconds, json = false } = flags;
    const resolved = await resolveSettings(flags, io);
    const isBare = flags.target === undefined && flags.baseUrl !== undefined;
    const settings = isBare ? namedByAddress(resolved) : resolved;
    const old = await againstSettings(flags, io);
    for (const { choice } of [settings, old]) requireLoadAllowed(choice, "load");
    return recordRun({ command: "twin", settings, io, json }, async (run) => {
      await using opened = await openTarget(old);
      await compareDeployments(run, { old: opened.target, seed, seconds: duration, settings });
    });
  },
};

/**
 * Compares the target of the run with another deployment and adds the result. If one of them stops
 * responding, that becomes the problem of the run.
 * @throws as conformanceStage, for either deployment
 */
async function compareDeployments(
  { target, progress, signal, state }: Run,
  { old, seed, seconds, settings }: { old: Target; seed: number; seconds: number; settings: Settings },
): Promise<void> {
  const random = randomOf(seed);
  const asking = { signal, onWait: (seconds: number) => progress(waitLine(seconds), "passing") };
  const { maxRequests, lookSeconds: maxSeconds } = settings;
  progress(`discovering ${old.name} at ${old.baseUrl}`);
  const found = await discovered(old, { ...asking, maxRequests, maxSeconds });
  // Time bounds the requests of a comparison, not their number.
  const comparing = { ...asking, maxRequests: Number.MAX_SAFE_INTEGER, keepsExchanges: false };
  await using oldHttp = openClient({ ...comparing, target: old });
  await using newHttp = openClient({ ...comparing, target });
  oldHttp.prefer(found.keyHeader);
  const { keyHeader } = await withExitCode(acceptedKeyHeader(newHttp, target), target);
  newHttp.prefer(keyHeader);
  const deployments = { old: deploymentOn(oldHttp, old), new: deploymentOn(newHttp, target) };
  const rates = [old, target].map(({ maxRequestsPerSecond: most = Number.POSITIVE_INFINITY }) => most);
  progress(`comparing responses, then latency, at most ${Math.round(seconds)} s`);
  const measured = await measure({
    deployments,
    ...probesOf(found.fixtures, commonKeys(old, target), random),
    ...{ random, seconds, signal, progress },
    maxRequestsPerSecond: Math.min(...rates),
    clock: { now: () => performance.now(), sleep: (milliseconds) => setTimeout(milliseconds) },
  });
  state.parts.twin = {
    old: { name: old.name, baseUrl: old.baseUrl },
    outcome: outcomeOf(measured),
    seed,
    longestSeconds: seconds,
    requests: { old: found.requests + oldHttp.requests().total, new: newHttp.requests().total },
    ...measured,
  };
  for (const side of sides) {
    const gone = deployments[side].gone();
    if (gone !== undefined) state.problem ??= problemFrom(gone, { old, new: target }[side].baseUrl);
  }
}

/** What the old deployment offers, which both are asked for, and the header in which it accepts its key. */
async function discovered(target: Target, bounds: Omit<ClientOptions, "target">) {
  await using http = openClient({ target, ...bounds });
  const discovery = await withExitCode(discover(http, target), target);
  const { unentitledProduct: foreign } = discovery.fixtures;
  const productOf = ({ retailer, productId, url, gtin }: ProductFixture) => ({
    retailer,
    product_id: productId,
    ...given({ url, gtin }),
  });
  return {
    fixtures: {
      ...loadFixturesOf(discovery, redactionFor(target)),
      unentitledProduct: foreign.present ? productOf(foreign.value) : undefined,
    },
    keyHeader: http.preferred(),
    requests: http.requests().total,
  };
}

/** The roles in which both have a key. */
function commonKeys(old: Target, now: Target): Target["keys"] {
  const { sameOrg, otherOrg } = old.keys;
  return {
    ...(now.keys.sameOrg === undefined ? {} : given({ sameOrg })),
    ...(now.keys.otherOrg === undefined ? {} : given({ otherOrg })),
  };
}

/** The worst of both parts. Faster only if every part is decided. */
function outcomeOf({ responses, latency }: Pick<TwinResult, "responses" | "latency">): TwinResult["outcome"] {
  const all = [responses, ...latency].map(({ outcome }) => outcome);
  const order = ["different", "slower", "inconclusive", "faster"] as const;
  return order.find((outcome) => all.includes(outcome)) ?? "same";
}
