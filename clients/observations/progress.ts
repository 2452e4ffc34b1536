import type { ClientTask, TaskName } from "../contract/tasks.ts";
import { type ClientExchange, itemName, listName, nameOf, searchName } from "../lab/exchange.ts";
import { walkOf } from "./pages.ts";

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
  if (task.do === "walk") {
    const { pages, hasEnded } = walkOf(task.category, exchanges);
    return { task: task.do, done: pages, of: hasEnded ? pages : pages + 1, missing: [] };
  }
  const asked = new Set(exchanges.flatMap(({ names }) => names));
  const parts = partsOf(task);
  const missing = parts.filter((part) => !asked.has(part));
  // Any product shows that the client looks up by turns.
  if (task.do === "keep-looking-up")
    return { task: task.do, done: missing.length < parts.length ? 1 : 0, of: 1, missing: [] };
  return {
    task: task.do,
    done: parts.length - missing.length,
    of: parts.length,
    missing: missing.slice(0, mostMissing),
  };
}

function partsOf(task: Exclude<ClientTask, { do: "walk" }>): string[] {
  if ("products" in task) return task.products.map(nameOf);
  if (task.do === "batch") return task.items.map(itemName);
  return [task.do === "list-retailers" ? listName : searchName(task.gtin)];
}
