import { setTimeout } from "node:timers/promises";
import { type HttpClient, openClient, type Wait } from "../../conformance/client/http-client.ts";
import { createPoliteClient, type PoliteClient } from "../../conformance/client/polite-client.ts";
import { redactionFor } from "../../conformance/client/redaction.ts";
import type { Target } from "../../conformance/client/target.ts";
import { discover } from "../../conformance/discovery/discover.ts";
import { acceptedKeyHeader } from "../../conformance/discovery/first-contact.ts";
import { given } from "../../schemas/json.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import { commandError, waitLine } from "../runs/stages/conformance-stage.ts";
import type { Run } from "../runs/stages/record.ts";
import { loadFixturesOf } from "../runs/stages/record-discovery.ts";
import { openDeployment } from "./deployment.ts";
import type { TwinRule } from "./latency.ts";
import { type MeasuredTwins, measure } from "./measure.ts";
import { probesOf, randomOf, type TwinFixtures } from "./probes.ts";
import type { TwinResult } from "./twin-result.ts";

export interface TwinStage {
  /** The deployment that the target of the run is compared with. */
  readonly old: Target;
  readonly seed: number;
  /** Longest comparison, discovery excluded. */
  readonly seconds: number;
  readonly rule: TwinRule;
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
  { old, seed, seconds, rule, maxRequests, maxSeconds }: TwinStage,
): Promise<void> {
  const bounds = { signal, onWait: (wait: Wait) => progress(waitLine(wait), "passing") };
  const limits = { ...bounds, maxRequests, maxSeconds };
  progress(`discovering ${old.name} at ${old.baseUrl}`);
  const before = await contact(old, limits, (http, client) => fixturesOf(old, http, client));
  const after = await contact(target, limits, async (http) => {
    http.prefer((await acceptedKeyHeader(http, target)).keyHeader);
  });
  const random = randomOf(seed);
  const probes = probesOf(before.found, commonKeys(old, target), random);
  await using oldSide = openDeployment({ ...bounds, target: old, keyHeader: before.keyHeader });
  await using newSide = openDeployment({ ...bounds, target, keyHeader: after.keyHeader });
  progress(`comparing: ${probes.length} different requests, then latency, at most ${Math.round(seconds)} s`);
  const measured = await measure({
    deployments: { old: oldSide, new: newSide },
    probes,
    random,
    rule,
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
    requests: {
      old: before.requests + oldSide.requests(),
      new: after.requests + newSide.requests(),
    },
    ...measured,
  };
  const lost = [oldSide, newSide].find((side) => side.gone() !== undefined);
  const gone = lost?.gone();
  if (gone !== undefined) state.problem ??= problemFrom(gone, (lost === oldSide ? old : target).baseUrl);
}

/** What is asked of a deployment before the comparison, and the header in which it accepts its key. */
async function contact<Found>(
  target: Target,
  bounds: Pick<TwinStage, "maxRequests" | "maxSeconds"> & Pick<Run, "signal">,
  ask: (http: HttpClient, client: PoliteClient) => Promise<Found>,
) {
  await using http = openClient({ target, ...bounds });
  try {
    const found = await ask(http, createPoliteClient(http));
    return { found, keyHeader: http.preferred(), requests: http.requests().total };
  } catch (error) {
    throw commandError(error, target);
  }
}

/** What the old deployment offers: both are asked for it. */
async function fixturesOf(target: Target, http: HttpClient, client: PoliteClient): Promise<TwinFixtures> {
  const discovery = await discover(http, target, client);
  const fixtures = loadFixturesOf(discovery, redactionFor(target));
  const { unentitledProduct: foreign } = discovery.fixtures;
  if (!foreign.present) return fixtures;
  const { retailer, productId, url, gtin } = foreign.value;
  return { ...fixtures, unentitledProduct: { retailer, product_id: productId, ...given({ url, gtin }) } };
}

/** The roles in which both have a key. */
function commonKeys(old: Target, now: Target): Target["keys"] {
  const { sameOrg, otherOrg } = old.keys;
  return {
    ...(sameOrg === undefined || now.keys.sameOrg === undefined ? {} : { sameOrg }),
    ...(otherOrg === undefined || now.keys.otherOrg === undefined ? {} : { otherOrg }),
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
