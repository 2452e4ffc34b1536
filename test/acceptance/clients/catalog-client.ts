import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ClientTask, LookupTask } from "../../../clients/contract/tasks.ts";

// A careful client that does the tasks in several styles, and that can be given one flaw at a time. It is the real part
// behind the judge of clients: a program of its own, with the fetch of Node.

/** What is done wrong, by name. */
export const flaws = [
  "asks-after-the-end",
  "keeps-asking-a-retailer",
  "retries-by-message",
  "gives-up-by-message",
  "refuses-unknown-fields",
  "key-in-the-batch",
  "browser-headers",
  "repeats-404",
  "hammers-502",
  "never-lists-retailers",
  "ids-in-lower-case",
] as const;

export type Flaw = (typeof flaws)[number];

/** How a client without a flaw works. */
export const styles = ["sequential", "concurrent", "jitter", "cached-list", "ends-with-an-error"] as const;

export type Style = (typeof styles)[number];

class Stopped extends Error {}

interface ClientReply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const env = process.env;
const base = env.SHELFCHECK_BASE_URL ?? "";
const key = env.SHELFCHECK_API_KEY ?? "";
const flaw = env.CLIENT_FLAW as Flaw | undefined;
const style = (env.CLIENT_STYLE ?? "sequential") as Style;
const has = (name: Flaw) => flaw === name;

/** Until when no worker of this process sends anything. */
let pausedUntil = 0;

async function pause(milliseconds: number): Promise<void> {
  const jitter = style === "jitter" ? Math.random() * 400 : 0;
  pausedUntil = Math.max(pausedUntil, Date.now() + milliseconds + jitter + 2);
}

async function untilAllowed(): Promise<void> {
  while (Date.now() < pausedUntil) await delay(pausedUntil - Date.now());
}

interface Call {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
}

/** Sends a request until it gets another response than 429, 502 or 504. */
async function ask(call: Call): Promise<ClientReply> {
  let failures = 0;
  for (;;) {
    await untilAllowed();
    const reply = await once(call).catch((error: unknown) => {
      // A kept connection that the service has closed: the request is sent again.
      if (++failures > 3) throw error;
      return undefined;
    });
    if (reply === undefined) continue;
    const { status, retryAfter, body } = reply;
    const error = body.error as { code: string; message: string } | undefined;
    if (status === 429) {
      if (has("gives-up-by-message") && !/rate limit/i.test(error?.message ?? "")) return reply;
      await pause(Number(retryAfter) * 1000);
      continue;
    }
    if (status === 404 && has("repeats-404") && ++failures < 3) continue;
    if (status === 404 && has("retries-by-message") && /rate limit|try again/i.test(error?.message ?? "")) {
      if (++failures < 3) {
        await delay(1000);
        continue;
      }
    }
    if ((status === 502 || status === 504) && has("hammers-502")) continue;
    if ((status === 502 || status === 504) && ++failures < 4) {
      await delay(50);
      continue;
    }
    return reply;
  }
}

async function once({
  method = "GET",
  path,
  query,
  body,
}: Call): Promise<ClientReply & { readonly retryAfter: string | null }> {
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`${base}${path}${search === "" ? "" : `?${search}`}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(has("browser-headers") && { Origin: "https://shop.example", "Sec-Fetch-Site": "cross-site" }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: new TextEncoder().encode(JSON.stringify(body)) }),
  });
  const json = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body: json, retryAfter: response.headers.get("retry-after") };
}

/** Does all of these, some at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const workers = style === "concurrent" ? 4 : 1;
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

async function lookUp(product: LookupTask): Promise<void> {
  const { status, body } = await ask(callFor(product));
  if (status !== 200) return;
  if (has("refuses-unknown-fields") && "badges" in body) throw new Stopped("unknown field");
}

function callFor(product: LookupTask): Call {
  if (product.by === "id") {
    const own = has("ids-in-lower-case") ? product.product_id.toLowerCase() : product.product_id;
    const [retailer, id] = [product.retailer, own].map(encodeURIComponent);
    return { path: `/products/${retailer}/${id}` };
  }
  return { path: "/products", query: product.by === "url" ? { url: product.url } : { gtin: product.gtin } };
}

async function walk(category: string): Promise<void> {
  let cursor = "";
  for (;;) {
    const query = { category, limit: "5", ...(cursor !== "" && { cursor }) };
    const { status, body } = await ask({ path: "/products", query });
    if (status !== 200) return;
    const products = body.products as Record<string, unknown>[];
    const { next_cursor: next } = body.meta as { next_cursor: string };
    if (has("refuses-unknown-fields") && products.some((one) => "badges" in one))
      throw new Stopped("unknown field");
    if (next === "" && has("asks-after-the-end") && cursor !== "") {
      await ask({ path: "/products", query: { category, cursor: "" } });
    }
    if (next === "") return;
    cursor = next;
  }
}

async function batch(
  items: readonly { readonly retailer: string; readonly product_id: string }[],
): Promise<void> {
  const batches = Array.from({ length: Math.ceil(items.length / 50) }, (_, at) =>
    items.slice(at * 50, (at + 1) * 50),
  );
  await each(batches, async (part) => {
    await ask({
      method: "POST",
      path: "/products/batch-lookup",
      body: { items: part, ...(has("key-in-the-batch") && { key }) },
    });
  });
}

async function search(gtin: string, rounds: number): Promise<void> {
  let known: string[] = [];
  const refused = new Set<string>();
  let isStale = false;
  for (let round = 0; round < rounds; round++) {
    const isFirst = known.length === 0;
    if (has("never-lists-retailers")) known = ["nordkauf", "brightmart", "tinkerbox"];
    else if (isFirst || style !== "cached-list" || isStale) {
      isStale = false;
      const { body } = await ask({ path: "/retailers" });
      const listed = ((body.retailers ?? []) as { slug: string }[]).map(({ slug }) => slug);
      known = has("keeps-asking-a-retailer") ? [...new Set([...known, ...listed])] : listed;
    }
    await each(
      known.filter((slug) => !refused.has(slug)),
      async (retailer) => {
        const { status } = await ask({ path: "/products", query: { gtin, retailer } });
        if (status !== 400 && status !== 403) return;
        if (has("keeps-asking-a-retailer") || has("never-lists-retailers")) return;
        refused.add(retailer);
        isStale = true;
      },
    );
  }
}

async function keepLookingUp(products: readonly LookupTask[], seconds: number): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (let at = 0; Date.now() < end; at++) {
    const product = products[at % products.length];
    if (product !== undefined) await lookUp(product);
    await delay(40 + Math.random() * 80);
  }
}

async function perform(task: ClientTask): Promise<void> {
  switch (task.do) {
    case "list-retailers":
      if (has("never-lists-retailers")) return;
      await ask({ path: "/retailers" });
      return;
    case "look-up":
      await each(task.products, lookUp);
      return;
    case "walk":
      await walk(task.category);
      return;
    case "batch":
      await batch(task.items);
      return;
    case "search-retailers":
      await search(task.gtin, task.rounds);
      return;
    case "keep-looking-up":
      await keepLookingUp(task.products, task.seconds);
      return;
    default:
      task satisfies never;
  }
}

async function main(): Promise<void> {
  const { tasks } = JSON.parse(env.SHELFCHECK_TASK ?? "{}") as { tasks: ClientTask[] };
  for (const task of tasks) await perform(task);
  if (style === "ends-with-an-error") process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
