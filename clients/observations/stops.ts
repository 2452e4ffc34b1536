import type { SituationId, TaskName } from "../contract/client-findings.ts";
import type { ClientExchange } from "../lab/exchange.ts";
import { isLookupOf, itemsOf, kindOf, parametersOf } from "../lab/exchange.ts";
import type { ClientTask } from "../lab/task.ts";
import { type ClientObservation, hadTimeAfter, merged, repetitionsOf } from "./observation.ts";
import { pagesOf } from "./pages.ts";

/** A client with several workers sends a little more after the response that stops it. */
const lastResponses = 3;
/** Situations that need nothing from a client but to go on. */
const needNothing: readonly (SituationId | undefined)[] = [
  "fields-omitted",
  "fields-added",
  "message-changed",
];

/** Tells whether the client stopped in the middle of a task, and what it met last was one of these. */
export function stopsAfter(blamed: readonly (SituationId | undefined)[]): ClientObservation["look"] {
  return (run) => {
    const { exchanges, tasks } = run;
    // A refusal may have another wording too.
    const chances = exchanges.filter(
      ({ situation, isReworded }) =>
        (situation !== undefined && blamed.includes(situation)) ||
        (isReworded && blamed.includes("message-changed")),
    );
    const last = exchanges.slice(-lastResponses);
    // What the catalog leaves out by itself explains a stop only where nothing was played.
    const cause =
      last.findLast(({ situation }) => needNothing.includes(situation)) ??
      last.findLast(({ situation }) => situation === "fields-missing");
    const nothing = { chances: chances.length, findings: [] };
    if (cause?.situation === undefined || !blamed.includes(cause.situation)) return nothing;
    if (!hadTimeAfter(run, exchanges.at(-1)?.end ?? 0) || gaveUp(last, exchanges)) return nothing;
    if (last.some((one) => one.index > cause.index && isOwnMistake(one))) return nothing;
    // Only the task to which the response belongs can have been stopped by it.
    const unfinished = tasks
      .filter((task) => isPartOf(cause, task))
      .map((task) => progressOf(task, exchanges))
      .find(({ done, of }) => done > 0 && done < of);
    if (unfinished === undefined) return nothing;
    const details = { situation: cause.situation, ...unfinished };
    return {
      chances: chances.length,
      findings: merged("stopped-after", [{ shows: [cause], details }], {
        total: chances.length,
        of: "requests",
      }),
    };
  };
}

/** A failure after which nothing was sent again explains a stop as well. */
function gaveUp(last: readonly ClientExchange[], exchanges: readonly ClientExchange[]): boolean {
  const isRepeated = repetitionsOf(exchanges);
  return last.some((one) => [429, 502, 504].includes(one.response.status) && !isRepeated(one));
}

/** A request that is refused, though nothing was played, explains a stop as well: such as one with a changed cursor. */
function isOwnMistake({ response, situation, isReworded }: ClientExchange): boolean {
  return [400, 401, 403].includes(response.status) && situation === undefined && !isReworded;
}

/** Whether a request is for a task that has an end. */
function isPartOf(exchange: ClientExchange, task: ClientTask): boolean {
  if (task.do === "walk") return parametersOf(exchange).get("category") === task.category;
  return task.do === "look-up" && task.products.some((product) => isLookupOf(exchange, product));
}

/** How much of a task was requested. */
export function progressOf(
  task: ClientTask,
  exchanges: readonly ClientExchange[],
): { readonly task: TaskName; readonly done: number; readonly of: number } {
  const isAsked = (is: (exchange: ClientExchange) => boolean) => (exchanges.some(is) ? 1 : 0);
  switch (task.do) {
    case "look-up": {
      const done = task.products.filter((product) => exchanges.some((one) => isLookupOf(one, product)));
      return { task: task.do, done: done.length, of: task.products.length };
    }
    case "walk": {
      const pages = pagesOf(exchanges).filter(({ category }) => category === task.category);
      const isDone = pages.some(({ next }) => next === "");
      return { task: task.do, done: pages.length, of: isDone ? pages.length : pages.length + 1 };
    }
    case "batch": {
      const asked = new Set(
        exchanges
          .filter((exchange) => kindOf(exchange) === "batch")
          .flatMap((exchange) => itemsOf(exchange.request) ?? [])
          .map((item) => JSON.stringify(item)),
      );
      const most = task.items.length;
      return { task: task.do, done: Math.min(asked.size, most), of: most };
    }
    case "list-retailers":
      return { task: task.do, done: isAsked((one) => kindOf(one) === "retailers"), of: 1 };
    case "search-retailers": {
      const isSearch = (one: ClientExchange) => {
        const parameters = parametersOf(one);
        return parameters.has("retailer") && parameters.get("gtin") === task.gtin;
      };
      return { task: task.do, done: isAsked(isSearch), of: 1 };
    }
    case "keep-looking-up":
      return {
        task: task.do,
        done: isAsked((one) => task.products.some((product) => isLookupOf(one, product))),
        of: 1,
      };
    default:
      return task satisfies never;
  }
}
