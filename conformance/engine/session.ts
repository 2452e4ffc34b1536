import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Discovered, Results } from "../../schemas/contracts/results.ts";
import { type Exchange, requestOf, secondsToWait } from "../client/exchange.ts";
import type { HttpClient } from "../client/http-client.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import type { Request } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import type { Discovery } from "../discovery/discover.ts";
import { surveyOf } from "../discovery/survey.ts";
import { mustSucceed, NotJudged } from "../requirements/outcome.ts";
import type { CheckContext, Fuzz } from "../suite/check/check.ts";
import { failedRequests, lostRequests, noticesOf } from "./notices.ts";

interface SessionOptions {
  readonly target: Target;
  readonly http: HttpClient;
  /** The client that discovery used, which knows whether the target is still reachable. */
  readonly client: PoliteClient;
  readonly discovery: Discovery;
  readonly fuzz?: Fuzz | undefined;
}

/** The state that all checks of a run share. */
export type Session = ReturnType<typeof openSession>;

/** Opens the session of a run. Its checks share the rate limit, the request budget and the controls. */
export function openSession({ target, http, client, discovery, fuzz }: SessionOptions) {
  // Products that discovery found need not be requested again.
  const memory = new Map<string, Promise<unknown>>(
    http.exchanges
      .filter(findsProducts)
      .map((exchange) => [nameOfShared(requestOf(exchange, target)), Promise.resolve(exchange)]),
  );
  return {
    /** Ends the run. */
    signal: http.signal,
    /**
     * For one attempt of a check; appends its exchanges. With `fresh`, controls are requested again.
     * @param choices those of the attempts before
     */
    context(seen: Exchange[], fresh?: "fresh", choices: CheckContext["choices"] = new Map()): CheckContext {
      const noted = async <Response>(response: Promise<Response>): Promise<Response> => {
        const result = await response;
        if (!(result instanceof Error)) seen.push(result as Exchange);
        return result;
      };
      const ask = (request: Request) => noted(client.ask(request));
      // A fresh attempt does not reuse results of an earlier one.
      const renewed = new Set<string>();
      const once = <T>(name: string, work: () => Promise<T>): Promise<T> => {
        const earlier = fresh && !renewed.has(name) ? undefined : memory.get(name);
        renewed.add(name);
        const done = (earlier as Promise<T> | undefined) ?? work();
        memory.set(name, done);
        // A failed attempt may succeed next time.
        done.catch(() => memory.get(name) === done && memory.delete(name));
        return done;
      };
      const shared = (request: Request) => noted(once(nameOfShared(request), () => client.ask(request)));
      return {
        ...discovery,
        target,
        ask,
        shared,
        once,
        cached: <T>(name: string) => memory.get(name) as Promise<T> | undefined,
        async sendAtOnce(request) {
          if (target.avoid?.includes("burst")) throw new NotJudged({ code: "avoided", subject: "burst" });
          return await client.sendAtOnce(request);
        },
        tryOut: (request) => noted(client.tryOut(request)),
        exchanges: http.exchanges,
        choices,
        fuzz,
        async sleep(milliseconds, why) {
          if (why !== undefined) http.report(milliseconds);
          await http.clock.sleep(milliseconds);
        },
        control: async (request) => mustSucceed(await shared(request)),
      };
    },
  };
}

function nameOfShared({ method, path, caller, keyHeader, headers, body }: Request): string {
  return `shared ${JSON.stringify([method, path, caller, keyHeader, headers, body])}`;
}

/** Whether products were looked up and found. Lists may change, and the cursor of a page may expire. */
function findsProducts({ endpoint, response }: Exchange): boolean {
  return response.status === 200 && (endpoint.startsWith("lookup-") || endpoint === "batch");
}

/** The traffic of a run: requests, rate limit, and statistics about the contract. */
export type SessionTraffic = ReturnType<typeof trafficOf>;

/** The traffic so far, discovery included. */
export function trafficOf(
  http: Pick<HttpClient, "exchanges" | "requests">,
  { fieldNames }: Pick<Discovery, "fieldNames">,
  client: Pick<PoliteClient, "gone">,
) {
  const { exchanges } = http;
  const { total, burst: ofBursts = 0, ...counts } = http.requests();
  const ordinary = total - ofBursts;
  const failed = failedRequests(exchanges, ordinary);
  const requests: Results<Finding>["requests"] = { total, burst: ofBursts, ...counts, failed };
  const refusals = exchanges.filter(({ response }) => response.status === 429);
  const waits = refusals.flatMap((exchange) => secondsToWait(exchange) ?? []);
  const burst = exchanges.filter(({ purpose, caller }) => purpose === "burst" && caller === "primary");
  const first = burst.findIndex(({ response }) => response.status === 429);
  const before = first < 0 ? burst : burst.slice(0, first);
  const rateLimit: Discovered["rateLimit"] = {
    refused: refusals.length,
    longestRetryAfterSeconds: waits.length === 0 ? undefined : Math.max(...waits),
    ...(burst.length > 0 && { accepted: before.filter(({ response }) => response.status === 200).length }),
  };
  return {
    /** Responses of gateways in the service's place. */
    lost: lostRequests(exchanges, ordinary),
    /** What no requirement is about, and the user of the service should know. */
    notices: noticesOf(exchanges, ordinary),
    requests,
    rateLimit,
    survey: surveyOf(exchanges, fieldNames),
    /** Why no more requests could be sent: the target stopped responding, or limited every request. */
    gone: client.gone(),
  };
}
