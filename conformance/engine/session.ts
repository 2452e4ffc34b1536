import { setTimeout } from "node:timers/promises";
import type { Coverage, Finding, Results } from "../../schemas/types.ts";
import { type Exchange, secondsToWait } from "../client/exchange.ts";
import type { HttpClient } from "../client/http-client.ts";
import { lossOnTheWay } from "../client/on-the-way.ts";
import { type PoliteClient, politely } from "../client/polite-client.ts";
import type { Request } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import { coverageOf } from "../discovery/coverage.ts";
import type { Discovery } from "../discovery/discover.ts";
import { type Survey, surveyOf } from "../discovery/survey.ts";
import type { CheckContext, Fuzz } from "./check.ts";
import { NotJudged, statusOf } from "./outcome.ts";

/** What a session works with. */
export interface SessionOptions {
  readonly target: Target;
  readonly http: HttpClient;
  readonly discovery: Discovery;
  /** Default: 1 */
  readonly effort?: number;
  readonly fuzz?: Fuzz;
  /** The one that discovery asked with, which knows whether the target is still there. Default: a new one */
  readonly client?: PoliteClient;
}

/** One run of the suite: what was discovered, and what was asked already. */
export interface Session {
  /**
   * A context for one attempt of a check. Its exchanges are collected in `seen`; a fresh one asks its
   * controls anew.
   */
  context(seen: Exchange[], options: { readonly fresh: boolean; readonly signal: AbortSignal }): CheckContext;
  /** What was sent and met until now, discovery included. */
  traffic(): SessionTraffic;
}

/** What a run sent, and what it met of the limit and of the contract. */
export interface SessionTraffic {
  readonly requests: Results["requests"];
  /** What gateways answered in the service's place. */
  readonly onTheWay?: Finding;
  /** Responses with 429. */
  readonly refused: number;
  readonly longestRetryAfterSeconds?: number;
  /** Requests accepted in the burst that provoked the limit, before its first 429; all when none came. */
  readonly accepted?: number;
  readonly survey: Survey;
  /** What is special about the identifiers that were seen and asked for. */
  readonly coverage: readonly Coverage[];
  /** Why nothing more could be asked, where the target stopped answering or limited everything. */
  readonly gone?: Finding;
}

/** Opens the session that all checks of a run share: the rate limit, the budget and the controls are theirs together. */
export function openSession({
  target,
  http,
  discovery,
  effort = 1,
  fuzz,
  client = politely(http),
}: SessionOptions): Session {
  const memory = new Map<string, Promise<unknown>>();
  const burst = { accepted: 0, sent: false, refused: false };

  async function sendAtOnce(request: Request, signal: AbortSignal): Promise<Exchange> {
    if (target.avoid?.includes("burst")) throw new NotJudged({ code: "avoided", subject: "burst" });
    const exchange = await client.sendAtOnce(request, signal);
    if (request.caller !== "primary" || burst.refused) return exchange;
    burst.sent = true;
    if (exchange.response.status === 429) burst.refused = true;
    else burst.accepted++;
    return exchange;
  }

  return {
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
        known: <T>(name: string) => memory.get(name) as Promise<T> | undefined,
        sendAtOnce: (request) => sendAtOnce(request, signal),
        tryOut: async (request) => {
          const answer = await client.tryOut(request, signal);
          if (!(answer instanceof Error)) seen.push(answer);
          return answer;
        },
        exchanges: http.exchanges,
        effort,
        ...(fuzz === undefined ? {} : { fuzz }),
        sleep: async (milliseconds) => await setTimeout(milliseconds, undefined, { signal }),
        control: async (request) => mustSucceed(await shared(request)),
      };
    },
    traffic() {
      return {
        ...trafficOf(http, discovery, client),
        ...(burst.sent ? { accepted: burst.accepted } : {}),
      };
    },
  };
}

/** What an HTTP client sent and met until now. */
export function trafficOf(
  http: HttpClient,
  { dialect }: Pick<Discovery, "dialect">,
  client: PoliteClient,
): SessionTraffic {
  const gone = client.gone();
  const refused = http.exchanges.filter(({ response }) => response.status === 429);
  const waits = refused.flatMap((exchange) => secondsToWait(exchange) ?? []);
  const onTheWay = lossOnTheWay(http.exchanges, http.requests().total);
  return {
    ...(onTheWay === undefined ? {} : { onTheWay }),
    requests: http.requests(),
    refused: refused.length,
    ...(waits.length === 0 ? {} : { longestRetryAfterSeconds: Math.max(...waits) }),
    survey: surveyOf(http.exchanges, dialect),
    coverage: coverageOf(http.exchanges, dialect),
    ...(gone === undefined ? {} : { gone }),
  };
}

function mustSucceed(exchange: Exchange): Exchange {
  if (exchange.response.status === 200) return exchange;
  throw new NotJudged({ code: "control-failed", ...statusOf(exchange) }, { exchange });
}
