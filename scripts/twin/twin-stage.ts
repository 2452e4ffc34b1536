import { setTimeout } from "node:timers/promises";
import { openClient, type Wait } from "../../conformance/client/http-client.ts";
import { createPoliteClient } from "../../conformance/client/polite-client.ts";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { keyFingerprint, type Target } from "../../conformance/client/target.ts";
import { discover } from "../../conformance/discovery/discover.ts";
import type { ProductFixture } from "../../conformance/discovery/fixtures.ts";
import { trafficOf } from "../../conformance/engine/session.ts";
import type { KeyHeader } from "../../schemas/api.ts";
import { given } from "../../schemas/json.ts";
import { problemFrom } from "../../schemas/words/problem.ts";
import type { ContractSource } from "../earlier/contract.ts";
import { contractChanges } from "../earlier/since.ts";
import type { ContractDifference } from "../earlier/since-result.ts";
import { commandError, waitLine } from "../runs/stages/conformance-stage.ts";
import type { Run } from "../runs/stages/record.ts";
import { discoveredOf, loadFixturesOf } from "../runs/stages/record-discovery.ts";
import { openDeployment } from "./deployment.ts";
import { type MeasuredTwins, measure } from "./measure.ts";
import type { TwinRule } from "./paired-latency.ts";
import { probesOf, randomOf, type TwinFixtures } from "./probes.ts";
import type { TwinResult } from "./twin-result.ts";

export interface TwinStage {
  /** The deployment that the target of the run is compared with. */
  readonly old: Target;
  readonly seed: number;
  /** Longest comparison, discovery excluded. */
  readonly seconds: number;
  readonly rule: TwinRule;
  /** Most requests of the discovery of each deployment. */
  readonly maxRequests: number;
  /** Longest time of the discovery of each. */
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
  progress(`discovering both deployments: ${old.name} at ${old.baseUrl}, then ${target.name}`);
  const [before, after] = [await survey(old, limits), await survey(target, limits)];
  const random = randomOf(seed);
  const probes = probesOf(before.fixtures, commonKeys(old, target), random);
  await using oldSide = openDeployment({ ...bounds, target: old, keyHeader: before.keyHeader });
  await using newSide = openDeployment({ ...bounds, target, keyHeader: after.keyHeader });
  progress(`comparing: ${probes.length} different requests, then latency, at most ${Math.round(seconds)} s`);
  const measured = await measure({
    deployments: { old: oldSide, new: newSide },
    probes,
    random,
    rule,
    seconds,
    maxRequestsPerSecond: least(old.maxRequestsPerSecond, target.maxRequestsPerSecond),
    signal,
    progress,
    clock: { now: () => performance.now(), sleep: (milliseconds) => setTimeout(milliseconds) },
  });
  const contract = contractChanges(before.source, after.source);
  state.twin = {
    old: { name: old.name, baseUrl: old.baseUrl },
    outcome: outcomeOf(measured, contract),
    seed,
    requests: {
      old: before.requests + oldSide.requests(),
      new: after.requests + newSide.requests(),
    },
    contract,
    ...measured,
  };
  const lost = [oldSide, newSide].find((side) => side.gone() !== undefined);
  const gone = lost?.gone();
  if (gone !== undefined) state.problem ??= problemFrom(gone, (lost === oldSide ? old : target).baseUrl);
}

export interface Surveyed {
  readonly source: ContractSource;
  readonly fixtures: TwinFixtures;
  readonly keyHeader: KeyHeader;
  readonly requests: number;
}

/** What a deployment offers: both are discovered with the same requests, so that their contracts can be compared. */
export async function survey(
  target: Target,
  bounds: Pick<TwinStage, "maxRequests" | "maxSeconds"> & Pick<Run, "signal">,
): Promise<Surveyed> {
  await using http = openClient({ target, ...bounds });
  const client = createPoliteClient(http);
  try {
    const discovery = await discover(http, target, client);
    const traffic = trafficOf(http, discovery, client);
    const { unentitledProduct: foreign } = discovery.fixtures;
    return {
      source: {
        target: { keyFingerprint: keyFingerprint(target.keys.primary) },
        discovered: discoveredOf(discovery, traffic),
        load: [],
      },
      fixtures: {
        ...loadFixturesOf(discovery, redactionFor(target)),
        unentitledProduct: foreign.present ? foreignOf(foreign.value) : undefined,
      },
      keyHeader: http.preferred(),
      requests: http.requests().total,
    };
  } catch (error) {
    throw commandError(error, target);
  }
}

function least(...limits: readonly (number | undefined)[]): number | undefined {
  const given = limits.filter((limit) => limit !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

function foreignOf({ retailer, productId, url, gtin }: ProductFixture): TwinFixtures["unentitledProduct"] {
  return {
    retailer,
    product_id: productId,
    ...given({ url, gtin }),
  };
}

/** The roles in which both have a key. */
function commonKeys(old: Target, now: Target): Target["keys"] {
  const { sameOrg, otherOrg } = old.keys;
  return {
    ...(sameOrg === undefined || now.keys.sameOrg === undefined ? {} : { sameOrg }),
    ...(otherOrg === undefined || now.keys.otherOrg === undefined ? {} : { otherOrg }),
  };
}

/** The worst of all parts. Faster only if every part is decided. */
function outcomeOf(
  { responses, latency }: MeasuredTwins,
  contract: readonly ContractDifference[],
): TwinResult["outcome"] {
  const any = (outcome: MeasuredTwins["latency"][number]["outcome"]) =>
    latency.some((one) => one.outcome === outcome);
  if (responses.outcome === "different" || contract.some(({ breaking }) => breaking)) return "different";
  if (any("slower")) return "slower";
  if (responses.outcome === "inconclusive" || any("inconclusive")) return "inconclusive";
  return any("faster") ? "faster" : "same";
}
