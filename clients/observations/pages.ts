import { isObject } from "../../schemas/json.ts";
import type { SituationId } from "../contract/client-findings.ts";
import { bodyOf, type ClientExchange, kindOf, parametersOf } from "../lab/exchange.ts";
import { type ClientFlaw, type ClientRun, hadTimeAfter, merged, type Observed } from "./observation.ts";

export interface SeenPage {
  readonly exchange: ClientExchange;
  readonly category: string;
  readonly cursor: string | undefined;
  /** Undefined unless the response is a page. */
  readonly next: string | undefined;
  readonly products: number;
}

export function pagesOf(exchanges: readonly ClientExchange[]): SeenPage[] {
  return exchanges
    .filter((exchange) => kindOf(exchange) === "category-page")
    .map((exchange) => {
      const parameters = parametersOf(exchange);
      const body = exchange.response.status === 200 ? bodyOf(exchange) : undefined;
      const next = isObject(body?.meta) ? body.meta.next_cursor : undefined;
      return {
        exchange,
        category: parameters.get("category") ?? "",
        cursor: parameters.get("cursor") ?? undefined,
        next: typeof next === "string" ? next : undefined,
        products: Array.isArray(body?.products) ? body.products.length : 0,
      };
    });
}

/** Each cursor is one that a page of its category gave. */
export function changedCursors({ exchanges }: ClientRun): Observed {
  const given = new Map<string, Set<string>>();
  const last = new Map<string, string>();
  let chances = 0;
  const flaws: ClientFlaw<"cursor-changed">[] = [];
  for (const { exchange, category, cursor, next } of pagesOf(exchanges)) {
    const known = given.get(category) ?? new Set<string>();
    const before = last.get(category);
    if (cursor !== undefined && cursor !== "") {
      chances++;
      const details = { sent: cursor, ...(before === undefined ? {} : { given: before }) };
      if (!known.has(cursor)) flaws.push({ shows: [exchange], details });
    }
    if (next === undefined || next === "") continue;
    given.set(category, known.add(next));
    last.set(category, next);
  }
  return { chances, findings: merged("cursor-changed", flaws, { total: chances, of: "requests" }) };
}

/** What stops a whole client is judged with its cause. */
const otherReasons: readonly (SituationId | undefined)[] = ["fields-omitted", "fields-added"];

/** A walk goes on until next_cursor is empty. */
export function stoppedWalks(run: ClientRun): Observed {
  const { exchanges, tasks } = run;
  const task = tasks.find((one) => one.do === "walk");
  const pages = pagesOf(exchanges).filter(({ category }) => category === task?.category);
  const withMore = pages.filter(({ next }) => next !== undefined && next !== "");
  const last = pages.at(-1);
  // A walk that was given up at an error is judged where errors are; so is one whose cursor was changed.
  if (last?.next === undefined) return { chances: last === undefined ? 0 : withMore.length, findings: [] };
  const hasOtherReason = exchanges.at(-1) === last.exchange && otherReasons.includes(last.exchange.situation);
  // A client may look at a page again, after it has read all of them.
  const hasEnded = pages.some(({ next }) => next === "");
  const isStopped = hadTimeAfter(run, last.exchange.end) && !hasEnded && !hasOtherReason;
  const details = { category: last.category, products: last.products };
  return {
    chances: withMore.length,
    findings: isStopped
      ? merged("walk-stopped", [{ shows: [last.exchange], details }], { total: pages.length, of: "pages" })
      : [],
  };
}

/** Nothing is requested after the empty cursor, with this cursor. */
export function walksBeyondTheEnd({ exchanges }: ClientRun): Observed {
  const pages = pagesOf(exchanges);
  const ends = pages.filter(({ next }) => next === "");
  const beyond = new Map(pages.filter(({ cursor }) => cursor === "").map((page) => [page.category, page]));
  // Some clients begin each walk with an empty cursor: then this is another walk.
  const beginsEmpty = (category: string) => pages.find((page) => page.category === category)?.cursor === "";
  const flaws = ends.flatMap((end) => {
    const page = beginsEmpty(end.category) ? undefined : beyond.get(end.category);
    if (page === undefined || page.exchange.index <= end.exchange.index) return [];
    return [{ shows: [page.exchange], details: { category: end.category } }];
  });
  return {
    chances: ends.length,
    findings: merged("asked-after-the-end", flaws, { total: ends.length, of: "pages" }),
  };
}
