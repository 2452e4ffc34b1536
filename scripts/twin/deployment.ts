import type { Exchange } from "../../conformance/client/exchange.ts";
import type { HttpClient } from "../../conformance/client/http-client.ts";
import { NoResponse, TransportError } from "../../conformance/client/no-response.ts";
import { createPoliteClient } from "../../conformance/client/polite-client.ts";
import type { Redaction } from "../../conformance/client/redaction.ts";
import type { Request } from "../../conformance/client/requests.ts";
import type { Target } from "../../conformance/client/target.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { observe, type SeenResponse, withoutResponse } from "./observation.ts";

/** What a deployment answered. That there was no response is an answer as well. */
export interface TwinAnswer {
  readonly observation: SeenResponse;
  readonly exchange?: Exchange;
  /** It was sent once and at once, so that its latency can be compared. */
  readonly isPrompt: boolean;
}

/** Of requests that the rate limit did not refuse: a status of 500 or above, or no response. */
export interface Failures {
  readonly count: number;
  readonly total: number;
}

/** One of the two deployments, ready to be asked. */
export interface Deployment {
  ask(request: Request): Promise<TwinAnswer>;
  /** Milliseconds until it may be asked without waiting for its rate limit. */
  wait(): number;
  readonly redaction: Redaction;
  failures(): Failures;
  /** Why it is no longer asked. */
  gone(): Finding | undefined;
}

/** A request that left later was held back or repeated. */
const promptMilliseconds = 50;

export function deploymentOn(http: HttpClient, { baseUrl }: Target): Deployment {
  let [count, total] = [0, 0];
  const client = createPoliteClient({
    ...http,
    async send(request, options) {
      try {
        const exchange = await http.send(request, options);
        const { status } = exchange.response;
        if (status !== 429) total++;
        if (status >= 500) count++;
        return exchange;
      } catch (error) {
        if (error instanceof TransportError) [count, total] = [count + 1, total + 1];
        throw error;
      }
    },
  });
  return {
    async ask(request) {
      const started = performance.now();
      try {
        const exchange = await client.ask(request);
        const idle = performance.now() - started - exchange.response.milliseconds;
        return { observation: observe(exchange, baseUrl), exchange, isPrompt: idle < promptMilliseconds };
      } catch (error) {
        if (!(error instanceof NoResponse)) throw error;
        return { observation: withoutResponse(error.reason.actual ?? "no response"), isPrompt: false };
      }
    },
    wait: () => http.limit("primary").refusal(),
    redaction: http.redaction,
    failures: () => ({ count, total }),
    gone: () => client.gone(),
  };
}
