import type { SituationId } from "../contract/situations.ts";
import type { ClientTask, TaskProgress } from "../contract/tasks.ts";
import { type ClientExchange, itemName, listName, nameOf, newRetailer, searchName } from "../lab/exchange.ts";
import type { ClientFinding, ClientObservation, ClientRun } from "./observation.ts";
import { walkOf } from "./pages.ts";

// How far a client came, and what it had met when it stopped, which need not be the reason.

const mostMissing = 10;

/** How much of each task was requested. */
export function progressOf(run: Pick<ClientRun, "tasks" | "exchanges">): TaskProgress[] {
  const asked = new Set(run.exchanges.flatMap(({ names }) => names));
  const { pages, hasEnded } = walkOf(run);
  return run.tasks.map((task) => {
    const parts = partsOf(task);
    const missing = parts.filter((part) => !asked.has(part));
    const done = parts.length - missing.length;
    if (task.do === "walk") return { do: task.do, done: pages, of: hasEnded ? pages : pages + 1, missing };
    // Any product shows that the client looks up by turns.
    if (task.do === "keep-looking-up") return { do: task.do, done: Math.min(done, 1), of: 1, missing: [] };
    return { do: task.do, done, of: parts.length, missing: missing.slice(0, mostMissing) };
  });
}

function partsOf(task: ClientTask): string[] {
  if ("products" in task) return task.products.map(nameOf);
  if (task.do === "batch") return task.items.map(itemName);
  if (task.do === "walk") return [];
  if (task.do === "list-retailers") return [listName];
  // Whoever asks for the list in a later round finds the new one.
  return [searchName(task.gtin), searchName(task.gtin, newRetailer.slug)];
}

/** After the response that stops a client, other workers send some more, and what was prepared ahead. */
const lastRequests = { done: 3, "cut-off": 3, stopped: 8 } as const;

/**
 * Where workers stopped before the end: the last requests of all, of the walk, of each kept connection. A
 * client that never has two requests at once is one worker, whatever its connections.
 */
function stopsOf(run: ClientRun): ClientExchange[] {
  const { exchanges, ended, workers } = run;
  if (ended === "done" && progressOf(run).every(({ done, of }) => done === of)) return [];
  const isOne = workers === 1 && exchanges.every(({ at }, place) => at >= (exchanges[place - 1]?.end ?? 0));
  const byConnection = Map.groupBy(exchanges, ({ request }) => request.connection?.id);
  const ofWorkers = [...byConnection.values()].flatMap((own) =>
    own.length > 1 && !isOne ? own.slice(-1) : [],
  );
  const { last, hasEnded } = walkOf(run);
  const all = new Set([
    ...exchanges.slice(-lastRequests[ended]).toReversed(),
    ...(last === undefined || hasEnded ? [] : [last.exchange]),
    ...ofWorkers.toReversed(),
  ]);
  return [...all].filter(({ situations }) => situations.some((id) => id !== "closed-idle"));
}

const mostStops = 3;

/** What a client had met when it stopped, the last one first, with the time when it had gone on. */
export function suspicionsOf(run: ClientRun, of?: readonly SituationId[]): ClientFinding[] {
  const stops = stopsOf(run);
  const met = new Set(stops.flatMap(({ situations }) => situations));
  const wanted = [...met].filter((situation) => of === undefined || of.includes(situation));
  return wanted.slice(0, mostStops).map((situation) => {
    const isOne = ({ situations }: ClientExchange) => situations.includes(situation);
    const index = stops.find(isOne)?.index ?? 0;
    const before = run.exchanges.find((one) => one.index < index && isOne(one));
    const requests = before === undefined ? [index] : [index, before.index];
    const more = run.exchanges.length - index - 1;
    return { code: "stopped-after", details: { requests, situation, more } };
  });
}

/** Whether the client went on after each of these. One that stopped then may have had another reason. */
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
