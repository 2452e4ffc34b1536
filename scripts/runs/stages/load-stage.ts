import { join } from "node:path";
import { openClient } from "../../../conformance/client/http-client.ts";
import { byCategory, byId, retailers } from "../../../conformance/client/requests.ts";
import type { Target } from "../../../conformance/client/target.ts";
import { TransportError } from "../../../conformance/client/transport-error.ts";
import { maxBodyBytes } from "../../../schemas/api.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { LoadFixtures } from "../../../schemas/contracts/load-fixtures.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import { scenarioLabel } from "../../../schemas/scenarios.ts";
import { newRunId } from "../../cluster/planned-run.ts";
import { podConnection } from "../../cluster/pod-connection.ts";
import { type ClusterRequest, runOnCluster } from "../../cluster/run-on-cluster.ts";
import { defaults } from "../../config/settings.ts";
import { withExpectedLimit } from "../../load/expected-limit.ts";
import type { LoadPlan } from "../../load/plan.ts";
import { type LoadRequest, resultWithoutLoad, runLoad, withKnownLimit } from "../../load/run.ts";
import type { Run } from "./record.ts";
import { withTenants } from "./tenants.ts";
import { withUnknownProduct } from "./unknown-product.ts";

export type ClusterOptions = Pick<ClusterRequest, "namespace" | "podCores" | "volumeClaim" | "patch">;

/** Where load is sent from: k6 on this machine, or pods of a cluster. */
export type LoadSender = { readonly k6: LoadRequest["k6"] } | { readonly cluster: ClusterOptions };

interface LoadStage extends Pick<LoadRequest, "fixtures" | "env" | "waivers" | "noProduct" | "noBatch"> {
  readonly plans: readonly LoadPlan[];
  readonly sender: LoadSender;
}

/**
 * Sends loads, and adds their results to those of the run.
 *
 * @throws as runLoad. The results of the other loads are kept.
 */
export async function loadStage(
  { folder, progress, signal, state, target }: Run,
  { plans, sender, ...stage }: LoadStage,
): Promise<void> {
  // Requests with a rejected key would count as failed.
  const withoutOtherOrg = state.discovered.keyRoles?.otherOrg === "unusable";
  const known = await withUnknownProduct(stage.fixtures, target, signal);
  const fixtures = withoutOtherOrg
    ? known
    : await withTenants(known, {
        plans,
        target,
        signal,
      });
  const common = {
    ...stage,
    fixtures,
    target,
    withoutOtherOrg,
    categories: target.categories,
    findTooBig: () => findTooBig(target, stage.fixtures, signal),
    outDir: folder,
    progress,
    signal,
  };
  const onCluster = async (plan: LoadPlan, cluster: ClusterOptions): Promise<LoadResult> => {
    const notSent = resultWithoutLoad({ ...common, plan });
    if (notSent !== undefined) return notSent;
    const connection = podConnection(target);
    const run = (one: LoadPlan, name: string) =>
      runOnCluster({
        ...common,
        ...cluster,
        run: newRunId(),
        plan: one,
        connection,
        kubernetes: { env: stage.env, namespace: cluster.namespace, signal },
        folder: join(folder, "load", name),
      });
    const known = await withKnownLimit(plan, { target, progress }, (probe) => run(probe, "probe-before"));
    return run(known, plan.scenario);
  };
  const send = async (plan: LoadPlan): Promise<LoadResult> => {
    progress(`load: ${scenarioLabel(plan.scenario)} (${plan.profileName})`);
    const result =
      "k6" in sender
        ? await runLoad({ ...common, plan, k6: sender.k6 })
        : await onCluster(plan, sender.cluster);
    const judged = withExpectedLimit(result, target.expectedLimit);
    return { ...judged, notes: [...plan.notes, ...judged.notes] };
  };
  for (const plan of plans) {
    if (signal.aborted) return;
    state.load.push(await send(plan));
  }
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
  const bounds = { maxRequests: requests.length, maxSeconds: defaults.glanceSeconds };
  await using http = openClient({ target, ...bounds, signal });
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
