import { type Exchange, type HttpClient, openClient, secondsToWait } from "../client/exchange.ts";
import { type PoliteClient, politely } from "../client/polite-client.ts";
import type { Request } from "../client/requests.ts";
import { createSurvey } from "../discovery/survey.ts";
import type { CheckContext } from "./check.ts";
import { NotJudged, statusOf } from "./outcome.ts";
import type { Provided, Traffic } from "./provided.ts";

/** One run of the suite: the HTTP client, what was discovered, and what was asked already. */
export interface Session {
  readonly provided: Provided;
  readonly http: HttpClient;
  /**
   * A context for one attempt of a check. Its exchanges are collected in `seen`; a fresh one asks its
   * controls anew.
   */
  context(seen: Exchange[], options: { readonly fresh: boolean; readonly signal: AbortSignal }): CheckContext;
  traffic(): Traffic;
  close(): Promise<void>;
}

/** Opens the session that all files of the suite share. */
export function openSession(provided: Provided): Session {
  const { target, discovery, maxRequests } = provided;
  const http = openClient({ target, maxRequests, from: provided.http });
  const client = politely(http);
  const started = performance.now();
  const cpuAtStart = process.threadCpuUsage();
  const cost = () => {
    const { user, system } = process.threadCpuUsage(cpuAtStart);
    return { wall: performance.now() - started, cpu: (user + system) / 1000 };
  };
  const memory = new Map<string, Promise<unknown>>();
  const survey = createSurvey(discovery.dialect);
  const burst = { accepted: 0, sent: false, refused: false };

  async function sendAtOnce(request: Request, signal: AbortSignal): Promise<Exchange> {
    const exchange = await client.sendAtOnce(request, signal);
    if (request.caller !== "primary" || burst.refused) return exchange;
    burst.sent = true;
    if (exchange.response.status === 429) burst.refused = true;
    else burst.accepted++;
    return exchange;
  }

  return {
    provided,
    http,
    context(seen, { fresh, signal }) {
      const ask = async (request: Request) => {
        const exchange = await client.ask(request, signal);
        seen.push(exchange);
        return exchange;
      };
      // What is remembered of an earlier attempt does not serve one that is to ask anew.
      const renewed = new Set<string>();
      const once = <T>(name: string, work: () => Promise<T>): Promise<T> => {
        const known = fresh && !renewed.has(name) ? undefined : memory.get(name);
        renewed.add(name);
        const done = (known as Promise<T> | undefined) ?? work();
        memory.set(name, done);
        // What did not work out may the next time.
        done.catch(() => memory.get(name) === done && memory.delete(name));
        return done;
      };
      const shared = async (request: Request) => {
        const exchange = await once(`shared ${JSON.stringify(request)}`, () => client.ask(request, signal));
        seen.push(exchange);
        return exchange;
      };
      return {
        ...discovery,
        target,
        ask,
        shared,
        once,
        sendAtOnce: (request) => sendAtOnce(request, signal),
        control: async (request) => mustSucceed(await shared(request)),
      };
    },
    traffic: () => ({
      ...trafficOf(http, client),
      cost: cost(),
      ...(burst.sent ? { accepted: burst.accepted } : {}),
      surveyed: survey.upTo(http.exchanges),
    }),
    close: () => http.close(),
  };
}

function mustSucceed(exchange: Exchange): Exchange {
  if (exchange.response.status === 200) return exchange;
  throw new NotJudged({ code: "control-failed", ...statusOf(exchange) }, { exchange });
}

function trafficOf(http: HttpClient, client: PoliteClient): Omit<Traffic, "cost"> {
  const { sent, byEndpoint, exchanges } = http.state();
  const refused = exchanges.filter(({ response }) => response.status === 429);
  const waits = refused.flatMap((exchange) => secondsToWait(exchange) ?? []);
  const gone = client.gone();
  return {
    requests: { total: sent, byEndpoint: { ...byEndpoint } },
    refused: refused.length,
    ...(waits.length === 0 ? {} : { longestRetryAfterSeconds: Math.max(...waits) }),
    ...(gone === undefined
      ? {}
      : {
          gone: { what: `the target stopped answering (${gone.failure})`, where: gone.url, fix: gone.fix },
        }),
  };
}
