import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { startService } from "../../service/start.ts";
import { askBehind, type Received, sentKey, serve } from "../support/server.ts";

// Services that mix up organizations only when requests of several overlap.

/** A response on its way to the client. */
interface Relayed {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the requests of a leaky service share. */
interface Shared {
  /** Requests under way, and the key of each; without lists of retailers, of which a burst sends hundreds. */
  readonly underWay: Set<{ readonly key: string }>;
  readonly buffers: Relayed[];
  readonly loading: Map<string, Promise<Relayed>>;
  next: number;
  lastCounters: unknown;
  lastKey: string;
}

interface Leaking {
  readonly request: Received;
  readonly key: string;
  readonly shared: Shared;
  /** Sends the request to the service behind, with any key. */
  forward(key: string): Promise<Relayed>;
}

export type Leak = (leaking: Leaking) => Promise<Relayed>;

/** Number of requests of other organizations under way from which on a service is busy. */
const busyFrom = 8;
const bufferCount = 4;

function isBusy({ key, shared: { underWay } }: Leaking): boolean {
  return [...underWay].filter((one) => one.key !== key).length >= busyFrom;
}

const isBatch = ({ request }: Leaking) => request.method === "POST";
/** The list of retailers is in each burst that looks for the rate limit, so these leaks leave it alone. */
const isList = ({ request }: Leaking) => request.url.endsWith("/retailers");

export const leaks = {
  /** Responses wait in buffers that are used in turn: with more responses than buffers, the last one written is sent. */
  "a shared buffer": async (leaking) => {
    const { key, shared, forward } = leaking;
    const busy = isBusy(leaking);
    const own = await forward(key);
    if (isList(leaking) || !busy) return own;
    const place = shared.next++ % bufferCount;
    shared.buffers[place] = own;
    await sleep(1);
    return shared.buffers[place] ?? own;
  },
  /** The organization is kept outside of the request while it waits for a place in a queue. */
  "a context lost across an await": async (leaking) => {
    const { key, shared, forward } = leaking;
    if (isList(leaking) || !isBusy(leaking)) return await forward(key);
    shared.lastKey = key;
    await setImmediate();
    return await forward(shared.lastKey);
  },
  /** Pages that are being loaded are cached by their category alone, until the slower of two has arrived. */
  "a cache filled by the slower of two": async (leaking) => {
    const { request, key, shared, forward } = leaking;
    const category = new URL(request.url, "http://localhost").searchParams.get("category");
    if (category === null) return await forward(key);
    const known = shared.loading.get(category);
    if (known !== undefined && isBusy(leaking)) return await known;
    const loaded = forward(key);
    shared.loading.set(category, loaded);
    try {
      return await loaded;
    } finally {
      shared.loading.delete(category);
    }
  },
  /** When no connection is free, one is shared, and it keeps the key of its last user. */
  "a pooled connection with the other's key": async (leaking) => {
    const { key, shared, forward } = leaking;
    const used = isBusy(leaking) && !isList(leaking) ? shared.lastKey : key;
    shared.lastKey = key;
    return await forward(used === "" ? key : used);
  },
  /** The counters of a batch are kept outside of the request between counting and writing. */
  "mixed counters": async (leaking) => {
    const { key, shared, forward } = leaking;
    const own = await forward(key);
    if (!isBatch(leaking) || own.status !== 200) return own;
    const body = JSON.parse(own.body) as { meta: unknown };
    shared.lastCounters = body.meta;
    if (isBusy(leaking)) await sleep(2);
    return { ...own, body: JSON.stringify({ ...body, meta: shared.lastCounters }) };
  },
} as const satisfies Record<string, Leak>;

/** Starts a leaky service, or without a leak a correct one that is as slow. */
export async function startLeaky(leak: Leak = ({ key, forward }) => forward(key)) {
  const service = await startService({ rate: 150, burst: 250 });
  const behind = new URL(service.baseUrl);
  const shared: Shared = {
    underWay: new Set(),
    buffers: [],
    loading: new Map(),
    next: 0,
    lastCounters: undefined,
    lastKey: "",
  };
  const server = await serve(async (request, response) => {
    const key = sentKey(request);
    const here = { key };
    if (!request.url.endsWith("/retailers")) shared.underWay.add(here);
    try {
      const forward = (used: string) => forwardTo(behind, request, used);
      const relayed = await leak({ request, key, shared, forward });
      response.writeHead(relayed.status, relayed.headers).end(relayed.body);
    } finally {
      shared.underWay.delete(here);
    }
  });
  return {
    baseUrl: server.baseUrl,
    keys: service.keys,
    categories: service.categories,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await service.stop();
    },
  };
}

async function forwardTo(behind: URL, request: Received, key: string): Promise<Relayed> {
  // Time in which requests overlap, as at a service with a database.
  await sleep(3);
  const back = await askBehind(request, behind, { keys: { [sentKey(request)]: key } });
  const { "content-length": _, ...headers } = back.headers;
  return { status: back.statusCode ?? 502, headers, body: await text(back) };
}
