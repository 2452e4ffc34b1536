import type { SituationId, TaskName } from "../contract/client-findings.ts";
import { type ClientExchange, isLookupOf, itemName, itemsOf, kindOf } from "../lab/exchange.ts";
import type { ClientTask } from "../lab/task.ts";
import type { ClientFinding, ClientObservation, ClientRun } from "./observation.ts";
import { walkOf } from "./pages.ts";
import { searchesOf } from "./retailers.ts";

/** How much of a task was requested. */
export interface TaskProgress {
  readonly task: TaskName;
  readonly done: number;
  readonly of: number;
  /** Names of the first parts that were not requested. */
  readonly missing: readonly string[];
}

const mostMissing = 10;

export function progressOf(task: ClientTask, exchanges: readonly ClientExchange[]): TaskProgress {
  const parts = <T>(
    all: readonly T[],
    isAsked: (part: T) => boolean,
    nameOf: (part: T) => string,
  ): TaskProgress => {
    const missing = all.filter((part) => !isAsked(part));
    const names = missing.slice(0, mostMissing).map(nameOf);
    return { task: task.do, done: all.length - missing.length, of: all.length, missing: names };
  };
  const once = (isAsked: boolean): TaskProgress => ({
    task: task.do,
    done: isAsked ? 1 : 0,
    of: 1,
    missing: [],
  });
  switch (task.do) {
    case "look-up":
      return parts(
        task.products,
        (product) => exchanges.some((one) => isLookupOf(one, product)),
        (product) =>
          product.by === "id"
            ? `${product.retailer} ${product.product_id}`
            : product.by === "url"
              ? product.url
              : `GTIN ${product.gtin}`,
      );
    case "batch": {
      const batches = exchanges.filter((exchange) => kindOf(exchange) === "batch");
      const asked = new Set(batches.flatMap(({ request }) => itemsOf(request) ?? []).map(itemName));
      return parts(
        task.items,
        (item) => asked.has(itemName(item)),
        ({ retailer, product_id }) => `${retailer} ${product_id}`,
      );
    }
    case "walk": {
      const { pages, hasEnded } = walkOf(task.category, exchanges);
      return { task: task.do, done: pages, of: hasEnded ? pages : pages + 1, missing: [] };
    }
    case "list-retailers":
      return once(exchanges.some((one) => kindOf(one) === "retailers"));
    case "search-retailers":
      return once(searchesOf({ exchanges, tasks: [task] }).length > 0);
    case "keep-looking-up":
      return once(exchanges.some((one) => task.products.some((product) => isLookupOf(one, product))));
    default:
      return task satisfies never;
  }
}

const isComplete = ({ exchanges, tasks, ended }: ClientRun): boolean =>
  ended === "done" && tasks.map((task) => progressOf(task, exchanges)).every(({ done, of }) => done === of);

/** Other workers of a client, and what it has prepared ahead, send some more after the response that stops it. */
const lastRequests = { done: 3, "cut-off": 3, stopped: 8 } as const;

/** Where the workers of a client that did not do everything stopped: the last requests of all, and of each kept connection. */
function stopsOf(run: ClientRun): ClientExchange[] {
  if (isComplete(run)) return [];
  const { exchanges, tasks, ended } = run;
  const byConnection = Map.groupBy(exchanges, ({ request }) => request.connection?.id);
  const ofWorkers = [...byConnection.values()].flatMap((own) => (own.length > 1 ? own.slice(-1) : []));
  const walk = tasks.find((task) => task.do === "walk");
  const { hasEnded, last } = walkOf(walk?.category ?? "", exchanges);
  const ofWalk = last === undefined || hasEnded ? [] : [last.exchange];
  const all = new Set([
    ...exchanges.slice(-lastRequests[ended]).toReversed(),
    ...ofWalk,
    ...ofWorkers.toReversed(),
  ]);
  return [...all].filter(({ situations }) => situations.some((id) => id !== "closed-idle"));
}

const mostStops = 3;

/** What a client had met when it stopped. It need not be the reason. */
export function suspicionsOf(run: ClientRun, of?: readonly SituationId[]): ClientFinding[] {
  const stops = stopsOf(run).flatMap((exchange) =>
    exchange.situations.map((situation) => ({ exchange, situation })),
  );
  return stops
    .filter(({ situation }) => of === undefined || of.includes(situation))
    .slice(0, mostStops)
    .map(({ exchange, situation }) => {
      const before = run.exchanges.find(
        ({ index, situations }) => index < exchange.index && situations.includes(situation),
      );
      const requests = [exchange.index, ...(before === undefined ? [] : [before.index])];
      return { code: "stopped-after", details: { requests, situation } };
    });
}

/** Whether the client went on after it had met each of these. One that stopped then may have had another reason. */
export function goesOnAfter(situations: readonly SituationId[]): ClientObservation["look"] {
  return (run) => {
    const stops = stopsOf(run);
    const last = isComplete(run) ? Number.POSITIVE_INFINITY : (run.exchanges.at(-1)?.at ?? 0);
    const survived = run.exchanges.filter(
      (one) => one.situations.some((id) => situations.includes(id)) && !stops.includes(one) && one.end < last,
    );
    const [reason] = suspicionsOf(run, situations);
    const kinds = new Set(survived.flatMap((one) => one.situations));
    const isMet = situations.every((id) => kinds.has(id));
    return { chances: reason === undefined && isMet ? survived.length : 0, findings: [], reason };
  };
}
