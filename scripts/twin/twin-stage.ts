import { setTimeout } from "node:timers/promises";
import { type ClientOptions, openClient } from "../../conformance/client/http-client.ts";
import { redactionFor } from "../../conformance/client/redaction.ts";
import type { Target } from "../../conformance/client/target.ts";
import { discover } from "../../conformance/discovery/discover.ts";
import { acceptedKeyHeader } from "../../conformance/discovery/first-contact.ts";
import { given } from "../../schemas/json.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { commandError, waitLine } from "../runs/stages/conformance-stage.ts";
import type { Run } from "../runs/stages/record.ts";
import { loadFixturesOf } from "../runs/stages/record-discovery.ts";
import { deploymentOn } from "./deployment.ts";
import { type MeasuredTwins, measure } from "./measure.ts";
import { probesOf, randomOf } from "./probes.ts";
import type { TwinResult } from "./twin-result.ts";

export interface TwinStage {
  /** The deployment that the target of the run is compared with. */
  readonly old: Target;
  readonly seed: number;
  /** Longest comparison, discovery excluded. */
  readonly seconds: number;
  /** Difference of latency up to which nothing is slower. */
  readonly minimumMilliseconds: number | undefined;
  /** Most requests of the discovery. */
  readonly maxRequests: number;
  /** Its longest time. */
  readonly maxSeconds: number;
}

/**
 * Compares the target of the run with another deployment, and adds the result to those of the run. If one of them stops
 * responding, that becomes the problem of the run.
 * @throws as conformanceStage, for either deployment
 */
export async function twinStage(
  { target, progress, signal, state }: Run,
  { old, seed, seconds, minimumMilliseconds, maxRequests, maxSeconds }: TwinStage,
): Promise<void> {
  const random = randomOf(seed);
  const onWait = (seconds: number) => progress(waitLine(seconds), "passing");
  const asking = { signal, onWait };
  progress(`discovering ${old.name} at ${old.baseUrl}`);
  const found = await discovered(old, { ...asking, maxRequests, maxSeconds });
  // Time bounds the requests of a comparison, not their number.
  const comparing = { ...asking, maxRequests: Number.MAX_SAFE_INTEGER, keepsExchanges: false };
  await using oldHttp = openClient({ ...comparing, target: old });
  await using newHttp = openClient({ ...comparing, target });
  oldHttp.prefer(found.keyHeader);
  const probes = probesOf(found.fixtures, commonKeys(old, target), random);
  const { keyHeader } = await acceptedKeyHeader(newHttp, target).catch((error) => {
    throw commandError(error, target);
  });
  newHttp.prefer(keyHeader);
  const deployments = {
    old: deploymentOn(oldHttp, old),
    new: deploymentOn(newHttp, target),
  };
  progress(`comparing: ${probes.length} different requests, then latency, at most ${Math.round(seconds)} s`);
  const measured = await measure({
    deployments,
    probes,
    random,
    minimumMilliseconds,
    seconds,
    maxRequestsPerSecond: Math.min(
      old.maxRequestsPerSecond ?? Number.POSITIVE_INFINITY,
      target.maxRequestsPerSecond ?? Number.POSITIVE_INFINITY,
    ),
    signal,
    progress,
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
  for (const [side, { baseUrl }] of [["old", old] as const, ["new", target] as const]) {
    const gone = deployments[side].gone();
    if (gone !== undefined) state.problem ??= problemFrom(gone, baseUrl);
  }
}

/** What the old deployment offers, which both are asked for, and the header in which it accepts its key. */
async function discovered(target: Target, bounds: Omit<ClientOptions, "target">) {
  await using http = openClient({ target, ...bounds });
  const discovery = await discover(http, target).catch((error) => {
    throw commandError(error, target);
  });
  const load = loadFixturesOf(discovery, redactionFor(target));
  const { unentitledProduct: foreign } = discovery.fixtures;
  const seen = { keyHeader: http.preferred(), requests: http.requests().total };
  if (!foreign.present) return { fixtures: load, ...seen };
  const { retailer, productId, url, gtin } = foreign.value;
  const unentitledProduct = { retailer, product_id: productId, ...given({ url, gtin }) };
  return { fixtures: { ...load, unentitledProduct }, ...seen };
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
function outcomeOf({ responses, latency }: MeasuredTwins): TwinResult["outcome"] {
  const any = (outcome: MeasuredTwins["latency"][number]["outcome"]) =>
    latency.some((one) => one.outcome === outcome);
  if (responses.outcome === "different") return "different";
  if (any("slower")) return "slower";
  if (responses.outcome === "inconclusive" || any("inconclusive")) return "inconclusive";
  return any("faster") ? "faster" : "same";
}
