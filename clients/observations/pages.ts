import { isObject } from "../../schemas/json.ts";
import { bodyOf, type ClientExchange, kindOf, parametersOf } from "../lab/exchange.ts";
import { type ClientFlaw, type ClientRun, hadTimeAfter, type Observed, observed } from "./observation.ts";

interface SeenPage {
  readonly exchange: ClientExchange;
  readonly category: string;
  readonly cursor: string;
  /** Undefined unless the response is a page. */
  readonly next: string | undefined;
  readonly products: number;
}

function pagesOf(exchanges: readonly ClientExchange[]): SeenPage[] {
  return exchanges
    .filter((exchange) => kindOf(exchange) === "category-page")
    .map((exchange) => {
      const parameters = parametersOf(exchange);
      const body = exchange.response.status === 200 ? bodyOf(exchange) : undefined;
      const next = isObject(body?.meta) ? body.meta.next_cursor : undefined;
      return {
        exchange,
        category: parameters.get("category") ?? "",
        cursor: parameters.get("cursor") ?? "",
        next: typeof next === "string" ? next : undefined,
        products: Array.isArray(body?.products) ? body.products.length : 0,
      };
    });
}

/** Each cursor is one that a page of its category gave. */
export function changedCursors({ exchanges }: ClientRun): Observed {
  const given = new Map<string, Set<string>>();
  let before: string | undefined;
  let chances = 0;
  const flaws: ClientFlaw<"cursor-changed">[] = [];
  for (const { exchange, category, cursor, next } of pagesOf(exchanges)) {
    const known = given.get(category) ?? new Set<string>();
    if (cursor !== "") {
      chances++;
      const details = { sent: cursor, ...(before === undefined ? {} : { given: before }) };
      if (!known.has(cursor)) flaws.push({ shows: [exchange], details });
    }
    if (next === undefined || next === "") continue;
    given.set(category, known.add(next));
    before = next;
  }
  return observed("cursor-changed", flaws, { chances });
}

export interface SeenWalk {
  readonly pages: number;
  /** Whether the empty next_cursor was reached. */
  readonly hasEnded: boolean;
  /** What was requested last. */
  readonly last: SeenPage | undefined;
}

/** How far the client has walked a category. */
export function walkOf(category: string, exchanges: readonly ClientExchange[]): SeenWalk {
  const pages = pagesOf(exchanges).filter((page) => page.category === category);
  const read = pages.filter(({ next }) => next !== undefined);
  return { pages: read.length, hasEnded: pages.some(({ next }) => next === ""), last: pages.at(-1) };
}

/**
 * A walk goes on until next_cursor is empty. It has been given up where it ends at a page that differs from others in nothing
 * but its number of products; where it ends at an error, a refused cursor or other fields, something else may have ended it.
 */
export function stoppedWalks(run: ClientRun): Observed {
  const { exchanges, tasks, ended } = run;
  const task = tasks.find((one) => one.do === "walk");
  const { pages, hasEnded, last } = walkOf(task?.category ?? "", exchanges);
  const passed = exchanges.filter(
    ({ situations }) => situations.includes("page-short") || situations.includes("page-empty"),
  );
  if (hasEnded) return { chances: passed.length, findings: [] };
  const situation = last?.exchange.situations[0];
  const isPlain = situation === undefined || situation === "page-short" || situation === "page-empty";
  if (last?.next === undefined || !isPlain || ended === "stopped" || !hadTimeAfter(run, last.exchange.end))
    return { chances: 0, findings: [] };
  const details = { category: last.category, products: last.products };
  return observed("walk-stopped", [{ shows: [last.exchange], details }], { chances: pages });
}

/** A client may read a category again, but not as often as one that does not see the end. */
const mostWalks = 3;

/** Nothing is requested after the empty cursor, with this cursor. */
export function walksBeyondTheEnd({ exchanges }: ClientRun): Observed {
  const categories = Map.groupBy(pagesOf(exchanges), ({ category }) => category);
  const flaws = [...categories].flatMap(([category, pages]) => {
    const end = pages.findIndex(({ next }) => next === "");
    const starts = pages.slice(end + 1).filter(({ cursor }) => cursor === "");
    const asksForEmpty = ({ exchange }: SeenPage) => parametersOf(exchange).has("cursor");
    // Some clients begin each walk with an empty cursor: then this is another walk.
    const beginsEmpty = pages[0] !== undefined && asksForEmpty(pages[0]);
    const beyond = starts.find(asksForEmpty);
    const again = starts.filter(({ next }) => next !== undefined);
    const shown = beyond === undefined || beginsEmpty ? again[mostWalks] : beyond;
    return end === -1 || shown === undefined ? [] : [{ shows: [shown.exchange], details: { category } }];
  });
  const ends = pagesOf(exchanges).filter(({ next }) => next === "");
  return observed("asked-after-the-end", flaws, { chances: ends.length });
}
