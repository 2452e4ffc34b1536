import { openClient } from "../../../conformance/client/http-client.ts";
import { byCategory, byId, retailers } from "../../../conformance/client/requests.ts";
import type { Target } from "../../../conformance/client/target.ts";
import { TransportError } from "../../../conformance/client/transport-error.ts";
import { maxBodyBytes } from "../../../schemas/api.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { LoadFixtures } from "../../../schemas/contracts/load-fixtures.ts";
import { scenarioLabel } from "../../../schemas/scenarios.ts";
import { isLoopback } from "../../config/proxy.ts";
import { defaults } from "../../config/settings.ts";
import { withExpectedLimit } from "../../load/expected-limit.ts";
import type { LoadPlan } from "../../load/plan.ts";
import { type LoadRequest, runLoad } from "../../load/run.ts";
import type { Run } from "./record.ts";
import { withTenants } from "./tenants.ts";
import { withUnknownProduct } from "./unknown-product.ts";

interface LoadStage extends Pick<LoadRequest, "k6" | "fixtures" | "env" | "noProduct" | "noBatch"> {
  readonly plans: readonly LoadPlan[];
}

/**
 * Sends loads, and adds their results to those of the run.
 *
 * @throws as runLoad. The results of the other loads are kept.
 */
export async function loadStage(
  { folder, progress, signal, state, target }: Run,
  { plans, ...stage }: LoadStage,
): Promise<void> {
  // Requests with a rejected key would count as failed.
  const withoutOtherOrg = state.discovered.keyRoles?.otherOrg === "unusable";
  const known = await withUnknownProduct(stage.fixtures, target, signal);
  const fixtures = withoutOtherOrg ? known : await withTenants(known, { plans, target, signal });
  const common = {
    ...stage,
    fixtures,
    target,
    withoutOtherOrg,
    servicePlace: placeOf(target),
    categories: target.categories,
    findTooBig: () => findTooBig(target, stage.fixtures, signal),
    outDir: folder,
    progress,
    signal,
  };
  for (const plan of plans) {
    if (signal.aborted) return;
    progress(`load: ${scenarioLabel(plan.scenario)} (${plan.profileName})`);
    const judged = withExpectedLimit(await runLoad({ ...common, plan }), target.expectedLimit);
    state.load.push({ ...judged, notes: [...plan.notes, ...judged.notes] });
  }
}

function placeOf({ name, baseUrl }: Target): LoadRequest["servicePlace"] {
  if (name === defaults.target) return "built-in";
  return isLoopback(new URL(baseUrl).hostname) ? "here" : undefined;
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
