import { type ClientKind, clientKinds } from "./client-kinds.ts";
import type { Exchange } from "./exchange.ts";
import type { Request } from "./requests.ts";

/** Of this many requests, one goes out as each of the other kinds. */
const oneOf = 10;
/** After this many odd responses to a kind of client, it is not used again: they are judged, and the run goes on. */
const mostDoubts = 3;

/** Chooses clients for the requests of a run. */
export interface ClientChoice {
  /** The request as the next client sends it: the same for the same requests in the same order. */
  next(request: Request): Request;
  /** Notes a response. True when the request should be sent again as usual, because of what this kind of client sends. */
  isInDoubt(exchange: Exchange): boolean;
}

export function chooseClients(): ClientChoice {
  const sent = new Map<string, number>();
  const doubts = new Map<ClientKind, number>();
  const kinds = Object.keys(clientKinds) as ClientKind[];

  return {
    next(request) {
      const isChosen = request.client !== undefined;
      const setsOwn = Object.keys(request.headers).some((name) => /^accept/i.test(name));
      if (isChosen || setsOwn) return request;
      const name = `${request.method} ${request.path} ${request.body ?? ""} ${request.caller}`;
      const count = sent.get(name) ?? 0;
      sent.set(name, count + 1);
      const client = kinds[((hashOf(name) + count * kinds.length) % oneOf) + 1];
      return client === undefined || (doubts.get(client) ?? 0) >= mostDoubts
        ? request
        : { ...request, client };
    },
    isInDoubt({ client, response }) {
      if (client === undefined) return false;
      const isRefused = response.status === 406 || response.status === 415;
      if (!isRefused && (response.json !== undefined || response.text === "")) return false;
      doubts.set(client, (doubts.get(client) ?? 0) + 1);
      return true;
    },
  };
}

function hashOf(text: string): number {
  let hash = 2166136261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619) >>> 0;
  return hash;
}
