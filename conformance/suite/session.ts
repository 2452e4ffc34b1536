import { type Asking, askThrough } from "../asking.ts";
import type { CheckContext } from "../check.ts";
import { type Door, type Exchange, openDoor } from "../exchange.ts";
import { Unjudged } from "../outcome.ts";
import type { Request } from "../requests.ts";
import { retryAfterSeconds } from "../retry-after.ts";
import type { Provided, Traffic } from "./provided.ts";

/** One run of the suite: the door, what was discovered, and the controls that were asked already. */
export interface Session {
  readonly provided: Provided;
  readonly door: Door;
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
  const door = openDoor({ target, maxRequests, from: provided.door });
  const asking = askThrough(door);
  const controls = new Map<string, Promise<Exchange>>();

  return {
    provided,
    door,
    context(seen, { fresh, signal }) {
      const ask = async (request: Request) => {
        const exchange = await asking.ask(request, signal);
        seen.push(exchange);
        return exchange;
      };
      return {
        ...discovery,
        target,
        ask,
        async control(request) {
          const key = JSON.stringify(request);
          const known = fresh ? undefined : controls.get(key);
          const asked = known ?? asking.ask(request, signal);
          controls.set(key, asked);
          const exchange = await asked;
          seen.push(exchange);
          return mustSucceed(exchange);
        },
      };
    },
    traffic: () => trafficOf(door, asking),
    close: () => door.close(),
  };
}

function mustSucceed(exchange: Exchange): Exchange {
  const { request, response } = exchange;
  if (response.status === 200) return exchange;
  throw new Unjudged(
    `the control request did not succeed (${request.method} ${request.url} gave ${response.status}), so nothing follows from changing it`,
    "See what is reported of that request itself, and run again when it succeeds.",
  );
}

function trafficOf(door: Door, asking: Asking): Traffic {
  const { sent, byEndpoint, exchanges } = door.state();
  const refused = exchanges.filter(({ response }) => response.status === 429);
  const waits = refused.flatMap(({ response }) => retryAfterSeconds(response.headers["retry-after"]) ?? []);
  const gone = asking.gone();
  return {
    requests: { total: sent, byEndpoint: { ...byEndpoint } },
    refused: refused.length,
    ...(waits.length === 0 ? {} : { longestRetryAfterSeconds: Math.max(...waits) }),
    ...(gone === undefined
      ? {}
      : {
          gone: { what: `the target stopped answering (${gone.failure})`, where: gone.url, mend: gone.mend },
        }),
  };
}
