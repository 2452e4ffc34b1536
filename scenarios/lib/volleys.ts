import { load as onDemand } from "virtual:on-demand";
import http from "k6/http";
import { Counter } from "k6/metrics";
import { createSender, isWaitOver, type Sender } from "./client.ts";
import { metrics } from "./metrics.ts";
import { batchResult, productList } from "./quick-check.ts";
import type { Response } from "./response-checker.ts";
import { arrival, type Environment, guarded } from "./script.ts";
import { type TenantCall, volley } from "./tenant-calls.ts";
import { createFit, type createMisfitReporter, type SentExchange } from "./tenant-fit.ts";

const fitMetrics = {
  /** Fit the key that requested them, although they overlapped with another organization's. */
  fitting: new Counter("fitting_responses"),
  /** Responses that belong to another organization. */
  foreign: new Counter("foreign_responses"),
};

/**
 * Requests of all organizations at the same time, on every endpoint. One virtual user sends all of them, so
 * that it is known which overlapped, however many users, processes or pods there are.
 */
export function volleys(environment: Environment): () => void {
  const { catalog, settings } = environment;
  const { tenants = [] } = catalog;
  const listChecks = { "category-page": productList, batch: batchResult };
  const senders = tenants.map(({ key }) => createSender(environment, listChecks, key));
  const misfitOf = createFit(tenants, catalog.fieldNames);
  const arrive = arrival(environment, "tenants");
  let report: ReturnType<typeof createMisfitReporter> | undefined;
  /** The time (Unix milliseconds) until which no organization sends. */
  let notBefore = 0;
  let isShared = false;

  return guarded(environment.redaction, () => {
    const calls = volley(catalog, settings.seed, arrive());
    if (!isWaitOver(notBefore)) return metrics.abandonedIterations(1);
    const responses = http.batch(calls.map(prepare)) as Response[];
    const exchanges = calls.map((call, place) => take(call, responses[place] as Response));
    // A refused request is not sent again, since the others of its volley would be missing.
    if (exchanges.some(({ status }) => status === 429)) metrics.abandonedIterations(1);
    let foreign = 0;
    let fitting = 0;
    for (const [at, { status }] of exchanges.entries()) {
      if (status === 0 || status === 429 || status >= 500) continue;
      const misfit = misfitOf(exchanges, at);
      if (misfit === undefined) {
        fitting += 1;
        continue;
      }
      report ??= onDemand().createMisfitReporter(environment, misfitOf);
      if (report(misfit, exchanges, at, sendAlone)) foreign += 1;
    }
    fitMetrics.fitting.add(fitting);
    fitMetrics.foreign.add(foreign);
  });

  function prepare(call: TenantCall) {
    const { kindOf, paramsOf } = senders[call.tenant] as Sender;
    return {
      method: call.body === undefined ? "GET" : "POST",
      url: settings.baseUrl + call.path,
      body: call.body ?? null,
      // Which of them gets the complete check is decided when the responses are there.
      params: paramsOf(kindOf(call.name), true),
    } as const;
  }

  function take(call: TenantCall, response: Response): SentExchange {
    const { kindOf, isDue, accepted, check } = senders[call.tenant] as Sender;
    const kind = kindOf(call.name);
    isShared ||= response.proto === "HTTP/2.0";
    if (isDue(kind) || accepted(kind, call, response) === undefined) {
      const { waitSeconds } = check(kind, call, response, { isShared });
      if (waitSeconds > 0) notBefore = Math.max(notBefore, Date.now() + waitSeconds * 1000);
    }
    return exchangeOf(call, response);
  }

  /** Neither counted nor checked. */
  function sendAlone(call: TenantCall): SentExchange {
    const { method, url, body, params } = prepare(call);
    return exchangeOf(
      call,
      http.request(method, url, body, { ...params, tags: { name: "repeated", part: "repeated" } }),
    );
  }

  function exchangeOf(call: TenantCall, response: Response): SentExchange {
    const exchange = { call, response, status: response.status, key: tenants[call.tenant]?.key ?? "primary" };
    try {
      return { ...exchange, body: response.json() };
    } catch {
      return { ...exchange, body: undefined };
    }
  }
}
