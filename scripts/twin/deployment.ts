import { openClient, type Wait } from "../../conformance/client/http-client.ts";
import { NoResponse } from "../../conformance/client/no-response.ts";
import { createPoliteClient } from "../../conformance/client/polite-client.ts";
import type { Redaction } from "../../conformance/client/redaction.ts";
import { byCategory, type Request } from "../../conformance/client/requests.ts";
import type { Target } from "../../conformance/client/target.ts";
import { TransportError } from "../../conformance/client/transport-error.ts";
import type { KeyHeader } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { given, valueAt } from "../../schemas/json.ts";
import type { TwinAnswer } from "./answers.ts";
import { observe, observeAll, statusPlace } from "./observation.ts";
import type { PageWalk, TwinRequest } from "./probes.ts";

/** One of the two deployments, ready to be asked. */
export interface Deployment extends AsyncDisposable {
  /** The response to a probe. That there was none is an answer as well. */
  ask(probe: TwinRequest): Promise<TwinAnswer>;
  /** Milliseconds until it may be asked without waiting for its rate limit. */
  wait(): number;
  readonly redaction: Redaction;
  readonly requests: () => number;
  /** Requests that failed, out of those that were not refused by the rate limit. */
  failures(): { readonly count: number; readonly total: number };
  /** Why it is no longer asked. */
  gone(): Finding | undefined;
}

export interface DeploymentOptions {
  readonly target: Target;
  /** Header of the key that the deployment accepts. */
  readonly keyHeader: KeyHeader;
  readonly signal: AbortSignal;
  readonly onWait: (wait: Wait) => void;
}

/** A request that left later was held back or repeated. */
const promptMilliseconds = 50;
const rateLimited = 429;
const leastFailed = 500;

export function openDeployment({ target, keyHeader, signal, onWait }: DeploymentOptions): Deployment {
  // Time bounds the requests of a comparison, not their number.
  const maxRequests = Number.MAX_SAFE_INTEGER;
  const http = openClient({ target, maxRequests, keepsExchanges: false, signal, onWait });
  http.prefer(keyHeader);
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
      const exchange = await client.ask(request, signal);
      const idle = performance.now() - started - exchange.response.milliseconds;
      return {
        observation: observe(exchange, target.baseUrl),
        exchanges: [exchange],
        isPrompt: idle < promptMilliseconds,
      };
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      const value = error.reason.actual ?? "no response";
      const fact = { is: String(value), value, pattern: statusPlace, path: "" };
      return { observation: new Map([[statusPlace, fact]]), exchanges: [], isPrompt: false };
    }
  }

  /** Follows the cursors of this deployment. */
  async function walk({ category, limit, pages, again = [] }: PageWalk): Promise<TwinAnswer> {
    const answers: TwinAnswer[] = [];
    let [request, cursor]: [Request, string | undefined] = [byCategory(category, { limit }), undefined];
    do {
      request = byCategory(category, { limit, ...given({ cursor }) });
      const answer = await askOne(request);
      answers.push(answer);
      const next = valueAt(answer.exchanges[0]?.response.json, "/meta/next_cursor");
      cursor = typeof next === "string" && next !== "" ? next : undefined;
    } while (cursor !== undefined && answers.length < pages);
    if (answers.length > 1) for (const caller of again) answers.push(await askOne({ ...request, caller }));
    return {
      observation: observeAll(answers.map(({ observation }) => observation)),
      exchanges: answers.flatMap(({ exchanges }) => exchanges),
      isPrompt: false,
    };
  }

  return {
    ask: (probe) => ("walk" in probe ? walk(probe.walk) : askOne(probe.request)),
    wait: () => http.limit("primary").wait,
    redaction: http.redaction,
    requests: () => http.requests().total,
    failures: () => ({ count: failed, total }),
    gone: () => client.gone(),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}
