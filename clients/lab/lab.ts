import { startService } from "../../service/start.ts";
import type { WireChange } from "../../service/wire.ts";
import { clientTaskNames, documentOf, type TaskName } from "../contract/tasks.ts";
import { readCatalog, tasksFrom } from "./catalog-tasks.ts";
import { type ClientExchange, readRequest, readResponse } from "./exchange.ts";
import { createStage } from "./stage.ts";

export interface LabOptions {
  /** Decides the catalog, the tasks, and the order of what is played. */
  readonly seed: number;
  /** The tasks to set. Default: all */
  readonly tasks?: readonly TaskName[] | undefined;
  /** Seconds of the task `keep-looking-up`. */
  readonly keepSeconds: number;
  readonly port?: number | undefined;
}

/** The observer remembers so many requests; a client that sends more has no end. */
export const mostRequests = 20_000;

/** The reference service with an observer in front. Times are in milliseconds since it began to watch. */
export type Lab = Awaited<ReturnType<typeof startLab>>;

/**
 * Starts the reference service for a client to be watched.
 * @throws what `startService` throws.
 */
export async function startLab({ seed, tasks: names = clientTaskNames, keepSeconds, port }: LabOptions) {
  const seen: ClientExchange[] = [];
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
    // A careful client is not slowed down by a limit that nothing announces.
    rate: 1000,
    burst: 2000,
    wire: [observer],
    port,
  });
  const catalog = await readCatalog(baseUrl, keys.primary, categories);
  const tasks = tasksFrom(catalog, seed, keepSeconds).filter((task) => names.includes(task.do));
  startedAt = performance.now();
  stage = createStage(tasks, seed);
  const { stalls, timer } = watchStalls(now);
  return {
    /** http://127.0.0.1:PORT/v1 */
    baseUrl,
    /** The key that the client is given. */
    key: keys.primary,
    categories,
    tasks,
    document: documentOf(tasks),
    stalls,
    /** What was seen until now: the first requests, as many as `mostRequests`. */
    exchanges: () => seen.toSorted((a, b) => a.index - b.index),
    /** How many requests have arrived, and when the last one did. */
    arrived: () => ({ count, lastAt }),
    now,
    async stop() {
      clearInterval(timer);
      await stop();
    },
  };
}

const everyMilliseconds = 10;
/** Timers are late by a few milliseconds on any machine. */
const leastMilliseconds = 20;

/** Notes when a timer comes late: what arrived while the observer stood still was seen at the end. */
function watchStalls(now: () => number) {
  const stalls: { from: number; to: number }[] = [];
  let last = now();
  const timer = setInterval(() => {
    const to = now();
    if (to - last > everyMilliseconds + leastMilliseconds) stalls.push({ from: last, to });
    last = to;
  }, everyMilliseconds);
  return { stalls, timer: timer.unref() };
}
