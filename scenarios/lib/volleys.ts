import { onDemand } from "virtual:on-demand";
import { sleep } from "k6";
import http from "k6/http";
import { Counter } from "k6/metrics";
import { createLoadClient, type LoadClient } from "./client.ts";
import type { Environment } from "./environment.ts";
import { metrics } from "./metrics.ts";
import type { MisfitReporter } from "./misfits.ts";
import { patienceSeconds } from "./options.ts";
import { batchResult, productList, type QuickChecks, single } from "./quick-check.ts";
import type { Response } from "./response-checker.ts";
import { arrival, guarded } from "./script.ts";
import { type TenantCall, volley } from "./tenant-calls.ts";
import { createFit, type TenantExchange } from "./tenant-fit.ts";

const quickChecks: QuickChecks = {
  product: single,
  "product-list": productList,
  "batch-result": batchResult,
  "retailer-list": single,
};

const fitMetrics = {
  /** Responses that fit the key that requested them, among those that overlapped with another organization's. */
  fitting: new Counter("fitting_responses"),
  /** Responses that belong to another organization. */
  foreign: new Counter("foreign_responses"),
};

/**
 * An iteration of tenants: requests of all organizations at the same time, on every endpoint. That all of them are sent by one
 * virtual user shows which exchanges overlapped, however many users, processes or pods there are.
 */
export function volleys(environment: Environment): () => void {
  const { catalog, settings } = environment;
  const { tenants = [] } = catalog;
  const keys = { primary: settings.key, otherOrg: settings.otherOrgKey };
  const clients = tenants.map(({ key }) => createLoadClient(environment, quickChecks, keys[key]));
  const misfitOf = createFit(tenants, catalog.fieldNames);
  const arrive = arrival(environment, "tenants");
  let reporter: MisfitReporter | undefined;

  return guarded(environment, () => {
    const calls = volley(catalog, settings.seed, arrive());
    if (!isWaitOver(clients)) return metrics.abandonedIterations.add(1);
    const requests = calls.map((call) => clientOf(call).prepare(call));
    const responses = http.batch(requests) as Response[];
    const exchanges = calls.map((call, place): TenantExchange => {
      const response = responses[place] as Response;
      return { call, ...clientOf(call).take(call, response) };
    });
    // A refused request is not sent again, since the others of its volley would be missing.
    if (exchanges.some(({ status }) => status === 429)) metrics.abandonedIterations.add(1);
    let foreign = 0;
    let checked = 0;
    for (let at = 0; at < exchanges.length; at += 1) {
      const status = exchanges[at]?.status ?? 0;
      if (status === 0 || status === 429 || status >= 500) continue;
      checked += 1;
      const misfit = misfitOf(exchanges, at);
      if (misfit === undefined) continue;
      reporter ??= onDemand().createMisfitReporter(environment, clients, misfitOf);
      if (
        reporter.report(misfit, {
          at,
          exchanges,
          responses,
          ids: requests.map(({ params }) => params.headers),
        })
      )
        foreign += 1;
    }
    fitMetrics.fitting.add(checked - foreign);
    fitMetrics.foreign.add(foreign);
  });

  function clientOf({ tenant }: TenantCall): LoadClient {
    return clients[tenant] as LoadClient;
  }
}

/** Waits for the longest Retry-After of the organizations; false if that takes too long. */
function isWaitOver(clients: readonly LoadClient[]): boolean {
  let until = 0;
  for (const { notBefore } of clients) until = Math.max(until, notBefore);
  const wait = (until - Date.now()) / 1000;
  if (wait > patienceSeconds) return false;
  if (wait > 0) sleep(wait + Math.random() * Math.min(1, wait));
  return true;
}
