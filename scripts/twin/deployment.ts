import type { HttpClient } from "../../conformance/client/http-client.ts";
import { NoResponse } from "../../conformance/client/no-response.ts";
import { createPoliteClient } from "../../conformance/client/polite-client.ts";
import type { Redaction } from "../../conformance/client/redaction.ts";
import { byCategory, type Request } from "../../conformance/client/requests.ts";
import type { Target } from "../../conformance/client/target.ts";
import { TransportError } from "../../conformance/client/transport-error.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { given, valueAt } from "../../schemas/json.ts";
import type { TwinAnswer } from "./answers.ts";
import { observe, observeAll, statusPlace } from "./observation.ts";
import type { PageWalk, TwinRequest } from "./probes.ts";

/** One of the two deployments, ready to be asked. */
export interface Deployment {
  /** The response to a probe. That there was none is an answer as well. */
  ask(probe: TwinRequest): Promise<TwinAnswer>;
  /** Milliseconds until it may be asked without waiting for its rate limit. */
  wait(): number;
  readonly redaction: Redaction;
  /** Requests that failed, out of those that were not refused by the rate limit. */
  failures(): { readonly count: number; readonly total: number };
  /** Why it is no longer asked. */
  gone(): Finding | undefined;
}

/** A request that left later was held back or repeated. */
const promptMilliseconds = 50;
const rateLimited = 429;
const leastFailed = 500;

export function deploymentOn(http: HttpClient, { baseUrl }: Target): Deployment {
  let [failed, total] = [0, 0];
  const client = createPoliteClient({
    ...http,
    async send(request, options) {
      try {
        const exchange = await http.send(request, options);
        const { status } = exchange.response;
        if (status !== rateLimited) total++;
        if (status >= leastFailed) failed++;
        return exchange;
      } catch (error) {
        if (error instanceof TransportError) [failed, total] = [failed + 1, total + 1];
        throw error;
      }
    },
  });

  async function askOne(request: Request): Promise<TwinAnswer> {
    const started = performance.now();
    try {
      const exchange = await client.ask(request);
      const idle = performance.now() - started - exchange.response.milliseconds;
      const observation = observe(exchange, baseUrl);
      return { observation, exchanges: [exchange], isPrompt: idle < promptMilliseconds };
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      const value = error.reason.actual ?? "no response";
      const fact = { is: String(value), value, pattern: statusPlace, path: "" };
      return { observation: new Map([[statusPlace, fact]]), exchanges: [], isPrompt: false };
    }
  }

  /** Follows the cursors of this deployment. */
  async function walk({ category, limit, pages }: PageWalk): Promise<TwinAnswer> {
    const answers: TwinAnswer[] = [];
    let cursor: string | undefined;
    do {
      const answer = await askOne(byCategory(category, { limit, ...given({ cursor }) }));
      answers.push(answer);
      const next = valueAt(answer.exchanges[0]?.response.json, "/meta/next_cursor");
      cursor = typeof next === "string" && next !== "" ? next : undefined;
    } while (cursor !== undefined && answers.length < pages);
    return {
      observation: observeAll(answers.map(({ observation }) => observation)),
      exchanges: answers.flatMap(({ exchanges }) => exchanges),
      isPrompt: false,
    };
  }

  return {
    ask: (probe) => ("walk" in probe ? walk(probe.walk) : askOne(probe.request)),
    wait: () => http.limit("primary").refusal(),
    redaction: http.redaction,
    failures: () => ({ count: failed, total }),
    gone: () => client.gone(),
  };
}
