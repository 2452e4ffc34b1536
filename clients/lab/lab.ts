import { randomLcg } from "d3-random";
import { keyHeaders } from "../../schemas/api.ts";
import { startService } from "../../service/start.ts";
import type { WireChange } from "../../service/wire.ts";
import { clientTaskNames, type TaskName } from "../contract/client-findings.ts";
import type { ClientExchange } from "./exchange.ts";
import { targetOf } from "./exchange.ts";
import { createStage } from "./situations.ts";
import { createStallWatch, type Stall } from "./stalls.ts";
import { type ClientTask, documentOf, type LookupTask, type TaskDocument } from "./task.ts";

export interface LabOptions {
  /** Decides the catalog, the tasks, and the order of what is played. Default: 1 */
  readonly seed?: number;
  /** Products of the generated catalog. Default: 400 */
  readonly products?: number;
  /** NDJSON file to import instead of generating a catalog. */
  readonly catalog?: string | undefined;
  /** The tasks to set. Default: all */
  readonly tasks?: readonly TaskName[] | undefined;
  /** Seconds of the task `keep-looking-up`. Default: 20 */
  readonly keepSeconds?: number;
  readonly port?: number;
}

/** The observer remembers so many requests; a client that sends more has no end. */
export const mostRequests = 20_000;

/** The reference service with an observer in front, ready for a client. */
export interface Lab {
  /** http://127.0.0.1:PORT/v1 */
  readonly baseUrl: string;
  readonly key: string;
  readonly categories: readonly string[];
  readonly tasks: readonly ClientTask[];
  readonly document: TaskDocument;
  /** What was seen until now: the first requests, as many as `mostRequests`. */
  exchanges(): readonly ClientExchange[];
  /** How many requests have arrived, and when the last one did, in milliseconds since the lab began to watch. */
  arrived(): { readonly count: number; readonly lastAt: number | undefined };
  /** Connections that sent bytes that are no HTTP request. */
  malformed(): { readonly connections: number; readonly tls: boolean };
  /** Milliseconds since the lab began to watch. */
  now(): number;
  /** When the lab stood still until now. */
  stalls(): readonly Stall[];
  stop(): Promise<void>;
}

/**
 * Starts the reference service for a client to be watched.
 * @throws what `startService` throws.
 */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const { seed = 1, products = 400, catalog, keepSeconds = 20, port } = options;
  const observer = createObserver();
  const service = await startService({
    seed,
    products,
    // A careful client is not slowed down by a limit that nothing announces.
    rate: 1000,
    burst: 2000,
    wire: [observer.wire],
    malformed: observer.malformed,
    catalog,
    port,
  });
  const { baseUrl, categories, keys } = service;
  const known = await readCatalog(baseUrl, keys.primary, categories);
  const names = options.tasks ?? clientTaskNames;
  const tasks = tasksFrom(known, { seed, keepSeconds }).filter((task) => names.includes(task.do));
  const pageSize = Math.max(1, Math.min(5, Math.floor(known.largest.products.length / 12)));
  observer.start(createStage({ seed, tasks, pageSize }));
  return {
    baseUrl,
    key: keys.primary,
    categories,
    tasks,
    document: documentOf(tasks),
    exchanges: observer.exchanges,
    arrived: observer.arrived,
    malformed: observer.malformedConnections,
    now: observer.now,
    stalls: observer.stalls,
    stop: () => {
      observer.stop();
      return service.stop();
    },
  };
}

/** First byte of a connection that begins with TLS. */
const tlsHandshake = 0x16;

function createObserver() {
  const seen: ClientExchange[] = [];
  let stage: ReturnType<typeof createStage> | undefined;
  let startedAt = 0;
  let arrived = 0;
  let lastAt: number | undefined;
  const malformed = { connections: 0, tls: false };
  const since = (time: number) => time - startedAt;
  const now = () => since(performance.now());
  const watch = createStallWatch(now);
  const wire: WireChange = (send) => async (request) => {
    if (stage === undefined) return send(request);
    const at = now();
    const index = arrived++;
    lastAt = at;
    if (index >= mostRequests) return send(request);
    const { response, situations } = await stage.play(send, request);
    const connectedAt = since(request.connection?.openedAt ?? performance.now());
    seen.push({
      index,
      request,
      target: targetOf({ request }),
      response,
      at,
      end: now(),
      connectedAt,
      situations,
    });
    return response;
  };
  return {
    wire,
    arrived: () => ({ count: arrived, lastAt }),
    malformed(bytes: Buffer) {
      malformed.connections++;
      malformed.tls ||= bytes[0] === tlsHandshake;
    },
    malformedConnections: () => ({ ...malformed }),
    start(its: ReturnType<typeof createStage>) {
      startedAt = performance.now();
      stage = its;
      watch.stalls.splice(0);
    },
    stop: watch.stop,
    stalls: () => watch.stalls,
    exchanges: () => seen.toSorted((a, b) => a.index - b.index),
    now,
  };
}

interface KnownProduct {
  readonly retailer: string;
  readonly product_id: string;
  readonly product_url?: string;
  readonly gtin?: string;
}

interface KnownCatalog {
  readonly retailers: readonly string[];
  readonly products: readonly KnownProduct[];
  /** The category with the most products. */
  readonly largest: { readonly category: string; readonly products: readonly KnownProduct[] };
}

/** Reads what the client's key may see, as any client would. */
async function readCatalog(
  baseUrl: string,
  key: string,
  categories: readonly string[],
): Promise<KnownCatalog> {
  const read = async (path: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`${baseUrl}${path}`, { headers: { [keyHeaders.plain]: key } });
    // On a machine that stands still for seconds, the catalog's own time limit passes.
    if (response.status >= 500) return read(path);
    return (await response.json()) as Record<string, unknown>;
  };
  const { retailers } = (await read("/retailers")) as { retailers: { slug: string }[] };
  const walked = [];
  for (const category of categories) {
    const products: KnownProduct[] = [];
    let cursor = "";
    do {
      const query = new URLSearchParams({ category, limit: "100", ...(cursor !== "" && { cursor }) });
      const page = (await read(`/products?${query}`)) as {
        products: KnownProduct[];
        meta: { next_cursor: string };
      };
      products.push(...page.products);
      cursor = page.meta.next_cursor;
    } while (cursor !== "");
    walked.push({ category, products });
  }
  const [first = { category: "", products: [] }, ...others] = walked;
  const largest = others.reduce((a, b) => (b.products.length > a.products.length ? b : a), first);
  return {
    retailers: retailers.map(({ slug }) => slug),
    products: walked.flatMap(({ products }) => products),
    largest,
  };
}

/** The tasks on a catalog: which products they name is a matter of the seed. */
function tasksFrom(
  { products, largest }: KnownCatalog,
  { seed, keepSeconds }: { readonly seed: number; readonly keepSeconds: number },
): ClientTask[] {
  const random = randomLcg((seed % 4_294_967) / 4_294_967);
  const shuffled = products
    .map((product) => ({ product, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ product }) => product);
  const item = ({ retailer, product_id }: KnownProduct) => ({ retailer, product_id });
  // No product is in both tasks that look up, so that a repetition has one meaning.
  const kept = shuffled
    .slice(-Math.min(5, Math.floor(shuffled.length / 2)))
    .filter(() => shuffled.length > 1);
  const asked = shuffled
    .slice(0, Math.min(40, shuffled.length - kept.length))
    .map((product, at): LookupTask => {
      // One in six is unknown: what a client does about it must not depend on the message.
      if (at % 6 === 4) return { by: "id", retailer: product.retailer, product_id: `none-${seed}-${at}` };
      if (at % 3 === 1 && product.product_url !== undefined) return { by: "url", url: product.product_url };
      if (at % 3 === 2 && product.gtin !== undefined) return { by: "gtin", gtin: product.gtin };
      return { by: "id", ...item(product) };
    });
  const gtin = shuffled.find((product) => product.gtin !== undefined)?.gtin ?? "00000000000000";
  const all: ClientTask[] = [
    { do: "list-retailers" },
    { do: "look-up", products: asked },
    { do: "walk", category: largest.category },
    { do: "batch", items: shuffled.slice(0, 120).map(item) },
    { do: "search-retailers", gtin, rounds: 5 },
    {
      do: "keep-looking-up",
      seconds: keepSeconds,
      products: kept.map((product) => ({ by: "id", ...item(product) })),
    },
  ];
  return all.filter(hasSomethingToDo);
}

/** A small catalog has too few products for some tasks. */
function hasSomethingToDo(task: ClientTask): boolean {
  if (task.do === "walk") return task.category !== "";
  if (task.do === "batch") return task.items.length > 0;
  return !("products" in task) || task.products.length > 0;
}
