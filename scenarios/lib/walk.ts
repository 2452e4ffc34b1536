import { sleep } from "k6";
import exec from "k6/execution";
import { Counter, Trend } from "k6/metrics";
import { createRounds } from "../../schemas/accounts.ts";
import { maxBodyBytes } from "../../schemas/api.ts";
import type { LoadClient } from "./client.ts";
import { nameOf, type Page } from "./quick-check.ts";
import { peakRate, totalSeconds } from "./schedule.ts";
import { type Environment, guarded } from "./script.ts";
import { walkStart } from "./traffic.ts";

const walkMetrics = {
  /** Milliseconds of one complete walk: the sum of its requests, without pauses. */
  chainDuration: new Trend("chain_duration", true),
  /** Walks that reached the last page. */
  walksEnded: new Counter("walks_ended"),
  /** Walks cut short by the end of the run. */
  walksCut: new Counter("walks_cut"),
  /** Walks that come to the same cursors and products again and again, and so would never end. */
  cursorsRepeated: new Counter("cursors_repeated"),
};

/**
 * A category page by page to the last, at a pace that keeps all walkers together below the profile's rate.
 * After a 429 it waits for Retry-After.
 */
export function walks(environment: Environment, client: LoadClient): () => void {
  const { catalog, profile } = environment;
  const secondsAPage = (profile.walkers ?? 1) / Math.max(peakRate(profile.stages), 0.001);
  const seconds = totalSeconds(profile.stages);
  /** Number of products of the last complete walk that found any, by the path of its category. */
  const productsOf = new Map<string, number>();

  return guarded(environment.redaction, () => {
    const endsAt = exec.scenario.startTime + seconds * 1000;
    const start = walkStart(catalog, exec.scenario.iterationInTest);
    const rounds = createRounds();
    let path = start.path;
    let milliseconds = 0;
    let products = 0;
    for (;;) {
      const page = fetchPage(path);
      if (page === undefined) return walkMetrics.walksCut.add(1);
      milliseconds += page.milliseconds;
      products += page.list.count;
      const { cursor, names } = page.list;
      const round = rounds.add(cursor, names);
      if (cursor === "") {
        walkMetrics.walksEnded.add(1);
        if (products > 0) productsOf.set(start.path, products);
        return walkMetrics.chainDuration.add(milliseconds);
      }
      if (round !== undefined) return walkMetrics.cursorsRepeated.add(1);
      path = `${start.path}&cursor=${encodeURIComponent(cursor)}`;
    }

    /** Requests a page, again after each 429; undefined if there is none or the run has ended. */
    function fetchPage(from: string): { list: Page; milliseconds: number } | undefined {
      for (;;) {
        const now = Date.now();
        const { notBefore } = client;
        const wait = Math.max(0, notBefore - now);
        if (now + wait >= endsAt) {
          sleep(Math.max(0, endsAt - now) / 1000);
          return undefined;
        }
        if (wait > 0) sleep(wait / 1000);
        const sentAt = Date.now();
        const had = from === start.path ? productsOf.get(from) : undefined;
        const call = { name: start.name, path: from, had };
        const response = client.send(call);
        const rest = secondsAPage - (Date.now() - sentAt) / 1000;
        if (rest > 0) sleep(rest);
        if (response !== undefined) {
          const list = client.page ?? readPage(response);
          return list === undefined ? undefined : { list, milliseconds: response.timings.duration };
        }
        // Only a 429 changes it.
        if (client.notBefore === notBefore) return undefined;
      }
    }
  });
}

/** What the body of a page may have. */
interface PageInBody {
  readonly products?: unknown;
  readonly meta?: { readonly next_cursor?: unknown };
}

/** The page, if it has what a walk needs to continue; otherwise undefined. */
function readPage(response: { readonly body: string | null; json(): unknown }): Page | undefined {
  if ((response.body ?? "").length > maxBodyBytes) return undefined;
  try {
    const { products, meta } = (response.json() ?? {}) as PageInBody;
    const { next_cursor: cursor } = meta ?? {};
    if (!Array.isArray(products) || typeof cursor !== "string") return undefined;
    const named = products.filter((product) => typeof product?.product_id === "string");
    return {
      cursor,
      count: products.length,
      names: named.map(({ retailer, product_id: id }) => nameOf(retailer ?? "", id)),
    };
  } catch {
    return undefined;
  }
}
