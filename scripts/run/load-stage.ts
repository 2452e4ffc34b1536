import { maxBodyBytes } from "../../conformance/client/exchange.ts";
import { openClient } from "../../conformance/client/http-client.ts";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { byCategory, byId, retailers } from "../../conformance/client/requests.ts";
import type { Target } from "../../conformance/client/target.ts";
import { TransportError } from "../../conformance/client/transport-error.ts";
import type { Finding, LoadFixtures } from "../../schemas/types.ts";
import { type LoadRequest, runLoad } from "../load/run.ts";
import { withinBounds } from "../load/target-bounds.ts";
import type { Run } from "./record.ts";

type LoadPlan = Pick<
  LoadRequest,
  | "env"
  | "k6Path"
  | "profileName"
  | "profile"
  | "overrides"
  | "seed"
  | "shards"
  | "k6Args"
  | "waivers"
  | "compare"
  | "noProduct"
  | "noBatch"
> & {
  readonly scenarios: readonly LoadRequest["scenario"][];
  readonly fixtures: LoadFixtures;
};

/** Runs scenarios one after the other and notes each result as it comes. */
export async function loadStage(run: Run, { scenarios, ...plan }: LoadPlan): Promise<void> {
  const { folder, progress, signal, learned } = run;
  const { baseUrl, keys, keyVariables, way, proxy } = run.target;
  const redaction = redactionFor(run.target);
  // A key that the target refuses would count as failed requests.
  const otherOrgKey = learned.discovered.keyRoles?.otherOrg === "unusable" ? undefined : keys.otherOrg;
  const target = { baseUrl, key: keys.primary ?? "", otherOrgKey, keyVariables, way, proxy };
  for (const scenario of scenarios) {
    if (signal.aborted) return;
    progress(`load: ${scenario}, profile ${plan.profileName}`);
    const { notes, ...traffic } = withinBounds({ ...plan, scenario }, run.target);
    const result = await runLoad({
      ...plan,
      ...traffic,
      scenario,
      target,
      categories: run.target.categories,
      redaction,
      findTooBig: () => findTooBig(run.target, plan.fixtures, signal),
      outDir: folder,
      progress,
      signal,
    });
    learned.load.push({ ...result, notes: [...notes, ...result.notes] });
  }
}

/** Asks what a load asks, once each, for a response that is too big to read; undefined when each could be read. */
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
