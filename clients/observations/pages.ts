import { isObject } from "../../schemas/json.ts";
import type { ClientExchange } from "../lab/exchange.ts";
import { type ClientRun, hadTimeAfter, type Observed, observed } from "./observation.ts";

/** The requests for pages. `cursor`: null in one without; `next`: undefined unless the response is a page. */
function pagesOf(exchanges: readonly ClientExchange[]) {
  return exchanges
    .filter(({ kind }) => kind === "category-page")
    .map((exchange) => {
      const { parameters, response, body } = exchange;
      const next = response.status === 200 && isObject(body?.meta) ? body.meta.next_cursor : undefined;
      return {
        exchange,
        category: parameters.get("category") ?? "",
        cursor: parameters.get("cursor"),
        next: typeof next === "string" ? next : undefined,
      };
    });
}

/** Each cursor is one that a page of its category gave. */
export function changedCursors({ exchanges }: ClientRun): Observed {
  const categories = new Map<string, string>();
  let last: string | undefined;
  let chances = 0;
  const flaws = [];
  for (const { exchange, category, cursor, next } of pagesOf(exchanges)) {
    if (cursor) chances++;
    if (cursor && categories.get(cursor) !== category) {
      const given = categories.has(cursor) ? cursor : last;
      flaws.push({ requests: [exchange.index], sent: cursor, given });
    }
    if (!next) continue;
    categories.set(next, category);
    last = next;
  }
  return observed("cursor-changed", chances, flaws);
}

/** How far the client walked the category of its task: pages read, and whether next_cursor was empty. */
export function walkOf({ tasks, exchanges }: Pick<ClientRun, "tasks" | "exchanges">) {
  const category = tasks.find((task) => task.do === "walk")?.category;
  const pages = pagesOf(exchanges).filter((page) => page.category === category);
  const read = pages.filter(({ next }) => next !== undefined);
  return { pages: read.length, hasEnded: read.some(({ next }) => next === ""), last: pages.at(-1) };
}

/**
 * A walk goes on until next_cursor is empty. It was given up if it ends at a page that only has another
 * number of products; after an error, a refused cursor or other fields, something else may have ended it.
 */
export function stoppedWalks(run: ClientRun): Observed {
  const { pages, hasEnded, last } = walkOf(run);
  const isShort = (id: string) => id === "page-short" || id === "page-empty";
  if (hasEnded) return { chances: run.exchanges.filter(({ situations }) => situations.some(isShort)).length };
  if (last?.next === undefined || run.ended === "stopped" || !hadTimeAfter(run, last.exchange.end))
    return { chances: 0 };
  const { exchange, category } = last;
  if (!exchange.situations.every(isShort)) return { chances: 0 };
  const products = Object(exchange.body?.products).length;
  return observed("walk-stopped", pages, [{ requests: [exchange.index], category, products }]);
}

/** A client may read a category again, but not as often as one that does not see the end. */
const mostWalks = 3;

/** Nothing is requested after the empty cursor, with this cursor. */
export function walksBeyondTheEnd({ exchanges }: ClientRun): Observed {
  const all = pagesOf(exchanges);
  const flaws = [...Map.groupBy(all, ({ category }) => category)].flatMap(([category, pages]) => {
    const end = pages.findIndex(({ next }) => next === "");
    const starts = end === -1 ? [] : pages.slice(end + 1).filter(({ cursor }) => !cursor);
    // Some clients begin each walk with an empty cursor: then this is another walk.
    const beginsEmpty = pages[0]?.cursor === "";
    const beyond = beginsEmpty ? undefined : starts.find(({ cursor }) => cursor === "");
    const shown = beyond ?? starts.filter(({ next }) => next !== undefined)[mostWalks];
    return shown === undefined ? [] : [{ requests: [shown.exchange.index], category }];
  });
  return observed("asked-after-the-end", all.filter(({ next }) => next === "").length, flaws);
}
