import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { maxBodyBytes } from "../../conformance/client/exchange.ts";
import { openClient } from "../../conformance/client/http-client.ts";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { byCategory, byId, retailers } from "../../conformance/client/requests.ts";
import type { Target } from "../../conformance/client/target.ts";
import { TransportError } from "../../conformance/client/transport-error.ts";
import { createRedaction } from "../../schemas/redaction.ts";
import { scenarioLabel } from "../../schemas/scenarios.ts";
import type { Finding, LoadFixtures, LoadResult } from "../../schemas/types.ts";
import { manifestWay } from "../cluster/manifest-way.ts";
import { type ClusterRequest, runOnCluster } from "../cluster/run-on-cluster.ts";
import { type LoadRequest, runLoad, shownSecrets } from "../load/run.ts";
import { withinBounds } from "../load/target-bounds.ts";
import type { Run } from "./record.ts";

type LoadPlan = Pick<
  LoadRequest,
  "env" | "k6Path" | "k6Version" | "shards" | "k6Args" | "waivers" | "compare" | "noProduct" | "noBatch"
> & {
  readonly loads: readonly Load[];
  readonly fixtures: LoadFixtures;
  /** Whether the loads run at the same time, and not one after the other. Default: false */
  readonly together?: boolean;
  /** Cluster whose pods send the load. Default: k6 on this machine */
  readonly cluster?: ClusterOptions | undefined;
};

/** The traffic of one load run. */
type Load = Pick<LoadRequest, "scenario" | "profileName" | "profile" | "overrides" | "seed">;

/** Options of a load run on a cluster. */
export type ClusterOptions = Pick<ClusterRequest, "volumeClaim" | "prometheus" | "patch"> & {
  readonly namespace: string;
};

/**
 * Sends loads, and adds their results to those of the run.
 *
 * @throws as runLoad. The results of the other loads are kept.
 */
export async function loadStage(run: Run, { loads, together = false, ...plan }: LoadPlan): Promise<void> {
  const { folder, progress, signal, learned } = run;
  const { baseUrl, keys, keyVariables, way, proxy } = run.target;
  const redaction = redactionFor(run.target);
  // Requests with a rejected key would count as failed.
  const otherOrgKey = learned.discovered.keyRoles?.otherOrg === "unusable" ? undefined : keys.otherOrg;
  const target = { baseUrl, key: keys.primary ?? "", otherOrgKey, keyVariables, way, proxy };
  const send = async (load: Load): Promise<LoadResult> => {
    progress(`load: ${scenarioLabel(load.scenario)} (${load.profileName})`);
    const { notes, ...bounded } = withinBounds(load, run.target);
    const request = {
      ...plan,
      ...load,
      ...bounded,
      target,
      categories: run.target.categories,
      redaction,
      findTooBig: () => findTooBig(run.target, plan.fixtures, signal),
      outDir: folder,
      progress,
      signal,
    };
    const result =
      plan.cluster === undefined ? await runLoad(request) : await loadOnCluster(request, plan.cluster);
    return { ...result, notes: [...notes, ...result.notes] };
  };
  for (const group of together ? [loads] : loads.map((load) => [load])) {
    if (signal.aborted) return;
    const ends = await Promise.allSettled(group.map(send));
    learned.load.push(...ends.flatMap((end) => (end.status === "fulfilled" ? end.value : [])));
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
}

async function loadOnCluster(
  request: LoadRequest,
  { namespace, ...cluster }: ClusterOptions,
): Promise<LoadResult> {
  const { target, redaction, waivers, compare, shards = 1, env, signal, outDir, scenario } = request;
  const secretsRedaction = redaction ?? createRedaction([]);
  return await runOnCluster({
    ...request,
    ...cluster,
    redaction: secretsRedaction,
    secrets: shownSecrets(target, secretsRedaction),
    standards: { waivers, compare },
    baseUrl: target.baseUrl,
    way: await manifestWay(target),
    parallelism: shards,
    suffix: randomBytes(3).toString("hex"),
    kubernetes: { env, namespace, signal },
    folder: join(outDir, "load", scenario),
  });
}

/** Repeats one request of each kind to find a response that is too big to read; undefined when there is none. */
export async function findTooBig(
  target: Target,
  { products: [product], categories: [category] }: Pick<LoadFixtures, "products" | "categories">,
  signal?: AbortSignal,
): Promise<Finding | undefined> {
  const requests = [
    ...(product === undefined ? [] : [byId(product.retailer, product.product_id)]),
    ...(category === undefined ? [] : [byCategory(category)]),
    retailers(),
  ];
  await using http = openClient({ target, maxRequests: requests.length, ...(signal && { signal }) });
  for (const request of requests) {
    try {
      await http.send(request);
    } catch (error) {
      if (signal?.aborted === true) return undefined;
      if (!(error instanceof TransportError) || error.failure !== "too big") continue;
      const subject = `${request.method} ${request.path}`;
      const { endpoint } = request;
      return { code: "response-too-big", endpoint, subject, actual: maxBodyBytes, unit: "bytes" };
    }
  }
  return undefined;
}
