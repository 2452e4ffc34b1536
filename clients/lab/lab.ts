import { startService } from "../../service/start.ts";
import type { WireChange } from "../../service/wire.ts";
import {
  type ClientTask,
  clientTaskNames,
  documentOf,
  type TaskDocument,
  type TaskName,
} from "../contract/tasks.ts";
import { largestOf, readCatalog, tasksFrom } from "./catalog-tasks.ts";
import { type ClientExchange, readRequest, readResponse } from "./exchange.ts";
import { createStage } from "./stage.ts";
import { createStallWatch, type Stall } from "./stalls.ts";

export interface LabOptions {
  /** Decides the catalog, the tasks, and the order of what is played. Default: 1 */
  readonly seed?: number;
  /** Products of the generated catalog. Default: 400 */
  readonly products?: number;
  /** NDJSON file to import instead of generating a catalog. */
  readonly catalog?: string | undefined;
  /** The tasks to set. Default: all */
  readonly tasks?: readonly TaskName[] | undefined;
  /** Seconds of the task `keep-looking-up`. Default: 20 */
  readonly keepSeconds?: number;
  readonly port?: number;
}

/** The observer remembers so many requests; a client that sends more has no end. */
export const mostRequests = 20_000;

/** The reference service with an observer in front, ready for a client. Times are in milliseconds since it began to watch. */
export interface Lab {
  /** http://127.0.0.1:PORT/v1 */
  readonly baseUrl: string;
  /** The key that the client is given. */
  readonly key: string;
  readonly categories: readonly string[];
  readonly tasks: readonly ClientTask[];
  readonly document: TaskDocument;
  /** When the observer itself stood still: what it saw then may have arrived before. */
  readonly stalls: readonly Stall[];
  /** Connections that sent bytes that are no HTTP request. */
  readonly malformed: { readonly connections: number; readonly tls: boolean };
  /** What was seen until now: the first requests, as many as `mostRequests`. */
  exchanges(): readonly ClientExchange[];
  /** How many requests have arrived, and when the last one did. */
  arrived(): { readonly count: number; readonly lastAt: number | undefined };
  now(): number;
  stop(): Promise<void>;
}

/** First byte of a connection that begins with TLS. */
const tlsHandshake = 0x16;

/**
 * Starts the reference service for a client to be watched.
 * @throws what `startService` throws.
 */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const { seed = 1, products = 400, catalog, keepSeconds = 20, port } = options;
  const seen: ClientExchange[] = [];
  const malformed = { connections: 0, tls: false };
  let stage: ReturnType<typeof createStage> | undefined;
  let startedAt = performance.now();
  let count = 0;
  let lastAt: number | undefined;
  const now = () => performance.now() - startedAt;
  const observer: WireChange = (send) => async (request) => {
    if (stage === undefined) return send(request);
    const at = now();
    const index = count++;
    lastAt = at;
    if (index >= mostRequests) return send(request);
    const read = readRequest(request);
    const { response, situations } = await stage.play(send, read);
    const connectedAt = (request.connection?.openedAt ?? performance.now()) - startedAt;
    seen.push({ ...read, ...readResponse(response), index, at, end: now(), connectedAt, situations });
    return response;
  };
  const { baseUrl, categories, keys, stop } = await startService({
    seed,
    products,
    // A careful client is not slowed down by a limit that nothing announces.
    rate: 1000,
    burst: 2000,
    wire: [observer],
    malformed(bytes) {
      malformed.connections++;
      malformed.tls ||= bytes[0] === tlsHandshake;
    },
    catalog,
    port,
  });
  const known = await readCatalog(baseUrl, keys.primary, categories);
  const names = options.tasks ?? clientTaskNames;
  const tasks = tasksFrom(known, { seed, keepSeconds }).filter((task) => names.includes(task.do));
  const pageSize = Math.max(1, Math.min(5, Math.floor(largestOf(known).products.length / 12)));
  startedAt = performance.now();
  stage = createStage({ seed, tasks, pageSize });
  const watch = createStallWatch(now);
  return {
    baseUrl,
    key: keys.primary,
    categories,
    tasks,
    document: documentOf(tasks),
    stalls: watch.stalls,
    malformed,
    exchanges: () => seen.toSorted((a, b) => a.index - b.index),
    arrived: () => ({ count, lastAt }),
    now,
    stop: () => {
      watch.stop();
      return stop();
    },
  };
}
