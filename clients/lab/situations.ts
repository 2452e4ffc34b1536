import { setTimeout as delay } from "node:timers/promises";
import { randomLcg } from "d3-random";
import { errorCodeOf, retryAfterHeader } from "../../schemas/api.ts";
import { isObject } from "../../schemas/json.ts";
import type { Send, WireRequest, WireResponse } from "../../service/wire.ts";
import { type SituationId, situationIds } from "../contract/client-findings.ts";
import { isLookupOf, kindOf, parametersOf, parsedObject, targetOf } from "./exchange.ts";
import type { ClientTask } from "./task.ts";

// What the service plays to a client: all of it is allowed by the spec, and a client has to cope with it.

/** Where a situation can be played. */
type Scene = "lookup" | "page" | "batch";

/** Where each situation is played; the others follow from one of these, or from what the client sends. */
const scenesOf: { readonly [Id in SituationId]?: readonly Scene[] } = {
  "wait-1": ["lookup", "page", "batch"],
  "wait-2": ["lookup", "batch"],
  "wait-5": ["lookup"],
  "wait-twice": ["lookup"],
  "bad-gateway": ["lookup"],
  "gateway-timeout": ["lookup"],
  "lasting-failure": ["lookup"],
  "fields-omitted": ["lookup", "page"],
  "fields-added": ["lookup", "page"],
  slow: ["lookup"],
  "closed-idle": ["lookup"],
  "page-short": ["page"],
  "page-empty": ["page"],
};

/** So many ordinary responses are before each situation, so that what a client does next has one cause. */
const ordinaryBefore: Readonly<Record<Scene, number>> = { lookup: 2, page: 1, batch: 0 };

export interface SituationOptions {
  readonly seed: number;
  readonly tasks: readonly ClientTask[];
  /** Most products of a page. */
  readonly pageSize: number;
}

/** A response, and what was played for it. */
export interface Played {
  readonly response: WireResponse;
  readonly situations: readonly SituationId[];
}

/** The situations of a scene in the order of the seed. */
function queueOf(scene: Scene, seed: number): SituationId[] {
  const random = randomLcg(((seed * 7919 + scene.length * 104_729) % 4_294_967) / 4_294_967);
  return situationIds
    .filter((id) => scenesOf[id]?.includes(scene) === true)
    .map((id) => ({ id, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ id }) => id);
}

/**
 * Plays situations in front of the service, at the requests that the seed selects. It remembers what it has played, so each
 * run has its own.
 */
export function createStage({ tasks, seed, pageSize }: SituationOptions) {
  const queues = {
    lookup: queueOf("lookup", seed),
    page: queueOf("page", seed),
    batch: queueOf("batch", seed),
  };
  const ordinary: Record<Scene, number> = { lookup: 0, page: 0, batch: 0 };
  const limit = createLimit();
  const lasting = createLastingFailure();
  const messages = createMessages();
  const cursors = createCursors();
  const change = createRetailerChange(tasks, seed);
  const asked = tasks.find((task) => task.do === "look-up")?.products ?? [];
  let slow = 0;

  /** The next situation of a scene, if it is time for one. */
  function take(scene: Scene, request: WireRequest): SituationId | undefined {
    if (ordinary[scene]++ < ordinaryBefore[scene]) return undefined;
    // What a task looks up again and again shows nothing about retries.
    const isAsked = asked.some((product) => isLookupOf({ request }, product));
    // Retries of a failure are counted where no wait comes between them, and a slow response hides no refusal from its worker.
    const isHeld = (id: SituationId) => isWait(id) && (slow > 0 || lasting.goesOn());
    const due = queues[scene].find((id) => !isHeld(id) && (id !== "lasting-failure" || isAsked));
    if (due === undefined) return undefined;
    ordinary[scene] = 0;
    queues[scene] = queues[scene].filter((id) => id !== due);
    return due;
  }

  async function playAt(send: Send, request: WireRequest, scene: Scene): Promise<Played> {
    const due = take(scene, request);
    if (isWait(due)) return limit.start(due);
    if (due === "lasting-failure") return lasting.start(request);
    if (due === "bad-gateway") return upstreamError(502, due);
    if (due === "gateway-timeout") return upstreamError(504, due);
    const response = await sendTo(send, request, { scene, due });
    if (response.status === 200)
      return { response: changed(response, due), situations: due === undefined ? [] : [due] };
    // A response that the situation needs did not come: it is played at a later request.
    if (due !== undefined) queues[scene].unshift(due);
    return messages.reworded(request, response);
  }

  async function sendTo(
    send: Send,
    request: WireRequest,
    { scene, due }: { readonly scene: Scene; readonly due: SituationId | undefined },
  ): Promise<WireResponse> {
    if (scene === "page") {
      const most = due === "page-empty" ? 0 : due === "page-short" ? 1 : pageSize;
      return cursors.closed(await send(cursors.opened(withLimit(request, pageSize))), most);
    }
    if (due !== "slow") return send(request);
    slow++;
    await delay(1500);
    slow--;
    return send(request);
  }

  return {
    async play(send: Send, request: WireRequest): Promise<Played> {
      const refused = limit.refusal() ?? lasting.failure(request) ?? change.refusal(request);
      if (refused !== undefined) return refused;
      const kind = kindOf({ request });
      if (kind === "retailers") return change.listed(await send(request));
      if (kind === "other") return { response: await send(request), situations: [] };
      const scene = kind === "category-page" ? "page" : kind === "batch" ? "batch" : "lookup";
      const played = await playAt(send, request, scene);
      change.note(request, played.response.status);
      return played;
    },
  };
}

const seconds = { "wait-1": 1, "wait-2": 2, "wait-5": 5, "wait-twice": 1 } as const;
type WaitId = keyof typeof seconds;
const isWait = (id: SituationId | undefined): id is WaitId => id !== undefined && id in seconds;

/** Clocks tick in milliseconds: the limit ends so much before the wait that it asks for. */
const clockMilliseconds = 20;

/** The limit of the organization: once a request is refused, all are, until the wait is over. */
function createLimit() {
  let until = 0;
  let isTwice = false;
  let count = 0;
  const limited = (wait: number, id: SituationId): Played => {
    // Every second refusal has another wording.
    const isReworded = count % 2 === 0;
    const text = isReworded ? otherMessages[429] : "The rate limit of your organization is exceeded.";
    const response = errorResponse(429, text);
    const headers = { ...response.headers, [retryAfterHeader.toLowerCase()]: String(wait) };
    return {
      response: { ...response, headers },
      situations: [id, ...(isReworded ? ["message-changed" as const] : [])],
    };
  };
  const start = (id: WaitId): Played => {
    until = performance.now() + seconds[id] * 1000 - clockMilliseconds;
    count++;
    isTwice = id === "wait-twice" && !isTwice;
    return limited(seconds[id], id);
  };
  return {
    start,
    /** What any request gets before the wait is over, and the first one after it if it is refused twice. */
    refusal(): Played | undefined {
      const rest = until - performance.now();
      if (rest > 0) return limited(Math.ceil((rest + clockMilliseconds) / 1000), "still-limited");
      return isTwice ? start("wait-twice") : undefined;
    },
  };
}

/** A lasting failure ends after this time, or after so many requests: more than anybody needs who gives up at some time. */
const lastingFailure = { milliseconds: 40_000, requests: 20, pause: 3000 };

/** One request that fails for a while, however often it is sent again. */
function createLastingFailure() {
  let failing: string | undefined;
  let startedAt = 0;
  let last = 0;
  let left = lastingFailure.requests;
  const failed = (): Played => {
    last = performance.now();
    left--;
    return upstreamError(502, "lasting-failure");
  };
  return {
    start(request: WireRequest): Played {
      failing = targetOf({ request });
      startedAt = performance.now();
      return failed();
    },
    failure(request: WireRequest): Played | undefined {
      const isOver = left === 0 || performance.now() > startedAt + lastingFailure.milliseconds;
      return isOver || targetOf({ request }) !== failing ? undefined : failed();
    },
    /** Whether the request may be sent again. */
    goesOn: () => failing !== undefined && left > 0 && performance.now() < last + lastingFailure.pause,
  };
}

/** Wordings that mislead whoever reads the message instead of the code. */
const otherMessages = {
  404: "Rate limit exceeded. Please try again in 1 second.",
  429: "Resource temporarily unavailable.",
} as const;

/** Every second 404 gets another wording; a repeated request gets the wording that it got before. */
function createMessages() {
  const seen = new Map<string, boolean>();
  return {
    reworded(request: WireRequest, response: WireResponse): Played {
      const body = parsedObject(response.body);
      if (response.status !== 404 || !isObject(body?.error)) return { response, situations: [] };
      const target = targetOf({ request });
      const isReworded = seen.get(target) ?? seen.size % 2 === 1;
      seen.set(target, isReworded);
      if (!isReworded) return { response, situations: [] };
      const error = { ...body.error, message: otherMessages[404] };
      return { response: withJson(response, { ...body, error }), situations: ["message-changed"] };
    },
  };
}

/** Cursors that are only passed back unchanged by a client that escapes them, and that neither trims nor shortens them. */
function createCursors() {
  const issued = new Map<string, string>();
  const endings = ["==", " ", "+"];
  return {
    /** A page with at most so many products, and a cursor of this kind. */
    closed(response: WireResponse, most: number): WireResponse {
      const body = response.status === 200 ? parsedObject(response.body) : undefined;
      if (body === undefined || !Array.isArray(body.products) || !isObject(body.meta)) return response;
      const next = body.meta.next_cursor;
      if (typeof next !== "string" || next === "") return response;
      const odd = `${next.slice(0, 6)}+/${next.slice(6)}&%2B é${endings[issued.size % endings.length]}`;
      issued.set(odd, next);
      const products = body.products.slice(0, most);
      const meta = { ...body.meta, next_cursor: odd, count: products.length };
      return withJson(response, { ...body, products, meta });
    },
    opened(request: WireRequest): WireRequest {
      const parameters = parametersOf({ request });
      const cursor = parameters.get("cursor");
      if (cursor === null || cursor === "") return request;
      parameters.set("cursor", issued.get(cursor) ?? `unknown ${cursor}`);
      return { ...request, query: parameters.toString() };
    },
  };
}

const newRetailer = {
  slug: "northwind-fresh",
  name: "Northwind Fresh",
  domains: ["northwind-fresh.example"],
};

/** A retailer leaves after it was searched once: the list lacks it, and its slug is refused. */
function createRetailerChange(tasks: readonly ClientTask[], seed: number) {
  const gtin = tasks.find((task) => task.do === "search-retailers")?.gtin;
  const status = seed % 2 === 0 ? 400 : 403;
  let left: string | undefined;
  const searchedIn = (request: WireRequest): string | undefined => {
    const parameters = parametersOf({ request });
    return gtin !== undefined && parameters.get("gtin") === gtin
      ? (parameters.get("retailer") ?? undefined)
      : undefined;
  };
  return {
    /** A search that was answered: its retailer leaves, if it is the first one. */
    note(request: WireRequest, answered: number): void {
      if (answered === 200 || answered === 404) left ??= searchedIn(request);
    },
    listed(response: WireResponse): Played {
      const body = response.status === 200 ? parsedObject(response.body) : undefined;
      if (left === undefined || body === undefined || !Array.isArray(body.retailers))
        return { response, situations: [] };
      const stay = body.retailers.filter((retailer) => !isObject(retailer) || retailer.slug !== left);
      const [first, ...others] = stay;
      const moved = isObject(first) ? [{ ...first, domains: ["moved.example"] }] : [];
      const retailers = [...moved, ...others, newRetailer];
      return { response: withJson(response, { ...body, retailers }), situations: ["retailers-changed"] };
    },
    refusal(request: WireRequest): Played | undefined {
      const slug = searchedIn(request);
      if (left === undefined || slug === undefined) return undefined;
      if (slug === newRetailer.slug)
        return { response: errorResponse(404, "There is no such product."), situations: [] };
      if (slug !== left) return undefined;
      const response = errorResponse(status, "The retailer is not available.");
      return { response, situations: ["retailer-left"] };
    },
  };
}

function withLimit(request: WireRequest, most: number): WireRequest {
  const parameters = parametersOf({ request });
  const asked = parameters.get("limit");
  // A limit that is no positive number stays as it is, so that the service can refuse it.
  if (asked !== null && !/^[1-9][0-9]*$/.test(asked)) return request;
  parameters.set("limit", String(Math.min(most, Number(asked ?? most))));
  return { ...request, query: parameters.toString() };
}

/** What the spec names of a product, for a product that lacks it. */
const usualFields = {
  retailer: "",
  retailer_name: "A retailer",
  product_id: "",
  title: "A product",
  price: 9.99,
  currency: "EUR",
  availability: "in_stock",
  product_url: "https://shop.example/p/1",
  last_updated: "2025-06-01T12:00:00Z",
};

/**
 * The products of a response as a situation has them. Ordinary ones have all fields that the spec names and no other, so that
 * a client that needs a field, or allows no other, is not stopped before.
 */
function changed(response: WireResponse, due: SituationId | undefined): WireResponse {
  const body = parsedObject(response.body);
  if (body === undefined) return response;
  const { products } = body;
  const change = (product: unknown) => (isObject(product) ? fieldsOf(product, due) : product);
  const shown = Array.isArray(products) ? { ...body, products: products.map(change) } : fieldsOf(body, due);
  return {
    ...withJson(response, shown),
    ...(due === "closed-idle" && { closeAfterMilliseconds: 50 }),
  };
}

function fieldsOf(product: Readonly<Record<string, unknown>>, due: SituationId | undefined): object {
  const { retailer, product_id } = product;
  if (due === "fields-omitted") return { retailer, product_id };
  const usual = Object.entries(usualFields).map(([name, value]) => [name, product[name] ?? value]);
  const more = { condition: "new", rating: { average: 4.5, count: 12 }, badges: [] };
  return { ...Object.fromEntries(usual), ...(due === "fields-added" && more) };
}

function upstreamError(status: 502 | 504, situation: SituationId): Played {
  return {
    response: errorResponse(status, "The internal catalog did not respond."),
    situations: [situation],
  };
}

function errorResponse(status: number, message: string): WireResponse {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: Buffer.from(JSON.stringify({ error: { code: errorCodeOf(status), message } })),
  };
}

function withJson(response: WireResponse, body: object): WireResponse {
  return { ...response, body: Buffer.from(JSON.stringify(body)) };
}
