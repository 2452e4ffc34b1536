import { itemName } from "../../schemas/accounts.ts";
import type { SituationId } from "../contract/situations.ts";
import type { ClientTask, TaskProgress } from "../contract/tasks.ts";
import { listName, nameOf, newRetailer, searchName } from "../lab/exchange.ts";
import type { ClientObservation, ClientRun } from "./observation.ts";
import { walkOf } from "./pages.ts";

const mostMissing = 10;

/** How much of each task was done: what got only 400 was not asked for as the spec says, and a 429 is no answer. */
export function progressOf(run: Pick<ClientRun, "tasks" | "exchanges">): TaskProgress[] {
  const answered = run.exchanges.filter(({ response: { status } }) => status !== 400 && status !== 429);
  const asked = new Set(answered.flatMap(({ names }) => names));
  const { pages, hasEnded } = walkOf(run);
  return run.tasks.map((task) => {
    const parts = partsOf(task);
    const missing = parts.filter((part) => !asked.has(part));
    const done = parts.length - missing.length;
    if (task.do === "walk") return { do: task.do, done: pages, of: hasEnded ? pages : pages + 1, missing };
    return { do: task.do, done, of: parts.length, missing: missing.slice(0, mostMissing) };
  });
}

function partsOf(task: ClientTask): string[] {
  if ("products" in task) return task.products.map(nameOf);
  if (task.do === "batch") return task.items.flatMap((item) => itemName(item) ?? []);
  if (task.do === "walk") return [];
  if (task.do === "list-retailers") return [listName];
  // Whoever asks for the list in a later round finds the new one.
  return [searchName(task.gtin), searchName(task.gtin, newRetailer.slug)];
}

/**
 * Whether the client went on after each of these, and did all that it was asked to. One that did less, or ended
 * with an error, may have stopped for another reason.
 */
export function goesOnAfter(situations: readonly SituationId[]): ClientObservation["look"] {
  return (run) => {
    const last = run.exchanges.at(-1)?.at ?? 0;
    const survived = run.exchanges.filter(({ end }) => end < last);
    const met = survived.flatMap((one) => one.situations.filter((id) => situations.includes(id)));
    const isMet = situations.every((id) => met.includes(id));
    const isDone = run.ended !== "stopped" && progressOf(run).every(({ done, of }) => done === of);
    return { chances: isDone && isMet ? met.length : 0 };
  };
}
