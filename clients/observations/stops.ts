import type { SituationId } from "../contract/situations.ts";
import type { ClientExchange } from "../lab/exchange.ts";
import type { ClientFinding, ClientObservation, ClientRun } from "./observation.ts";
import { walkOf } from "./pages.ts";
import { progressOf } from "./progress.ts";

// What a client had met when it stopped. It need not be the reason.

/** Other workers of a client, and what it has prepared ahead, send some more after the response that stops it. */
const lastRequests = { done: 3, "cut-off": 3, stopped: 8 } as const;

/**
 * Where the workers of a client that did not do everything stopped: the last requests of all, of its walk, and of each kept
 * connection.
 */
function stopsOf({ exchanges, tasks, ended }: ClientRun): ClientExchange[] {
  const isComplete = tasks.map((task) => progressOf(task, exchanges)).every(({ done, of }) => done === of);
  if (ended === "done" && isComplete) return [];
  const byConnection = Map.groupBy(exchanges, ({ request }) => request.connection?.id);
  const ofWorkers = [...byConnection.values()].flatMap((own) => (own.length > 1 ? own.slice(-1) : []));
  const walk = walkOf(tasks.find((task) => task.do === "walk")?.category, exchanges);
  const all = new Set([
    ...exchanges.slice(-lastRequests[ended]).toReversed(),
    ...(walk.last === undefined || walk.hasEnded ? [] : [walk.last.exchange]),
    ...ofWorkers.toReversed(),
  ]);
  return [...all].filter(({ situations }) => situations.some((id) => id !== "closed-idle"));
}

const mostStops = 3;

/** What a client had met when it stopped, the last one first, with the time when it had gone on. */
export function suspicionsOf(run: ClientRun, of?: readonly SituationId[]): ClientFinding[] {
  const met = stopsOf(run).flatMap(({ index, situations }) =>
    situations.map((situation) => ({ index, situation })),
  );
  return met
    .filter(({ situation }, at) => met.findIndex((one) => one.situation === situation) === at)
    .filter(({ situation }) => of === undefined || of.includes(situation))
    .slice(0, mostStops)
    .map(({ index, situation }) => {
      const before = run.exchanges.find((one) => one.index < index && one.situations.includes(situation));
      const requests = before === undefined ? [index] : [index, before.index];
      return { code: "stopped-after", details: { requests, situation } };
    });
}

/** Whether the client went on after it had met each of these. One that stopped then may have had another reason. */
export function goesOnAfter(situations: readonly SituationId[]): ClientObservation["look"] {
  return (run) => {
    const [reason] = suspicionsOf(run, situations);
    const stops = stopsOf(run);
    const last = stops.length === 0 ? Number.POSITIVE_INFINITY : (run.exchanges.at(-1)?.at ?? 0);
    const survived = run.exchanges.filter((one) => !stops.includes(one) && one.end < last);
    const met = survived.flatMap((one) => one.situations.filter((id) => situations.includes(id)));
    const isMet = situations.every((id) => met.includes(id));
    return { chances: reason === undefined && isMet ? met.length : 0, reason };
  };
}
