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

/** Where each situation is played; none for one that follows from another. */
const scenesOf: Readonly<Record<SituationId, readonly Scene[]>> = {
  "wait-1": ["lookup", "page", "batch"],
  "wait-2": ["lookup", "batch"],
  "wait-5": ["lookup"],
  "wait-twice": ["lookup"],
  "still-limited": [],
  "bad-gateway": ["lookup"],
  "gateway-timeout": ["lookup"],
  "lasting-failure": ["lookup"],
  "fields-omitted": ["lookup", "page"],
  "fields-missing": [],
  "fields-added": ["lookup", "page"],
  slow: ["lookup"],
  "closed-idle": ["lookup"],
  "message-changed": [],
  "page-short": ["page"],
  "page-empty": ["page"],
  "retailers-changed": [],
  "retailer-left": [],
};

export interface SituationOptions {
  readonly seed: number;
  readonly tasks: readonly ClientTask[];
  /** Most products of a page. */
  readonly pageSize: number;
  /** The situations to play. Default: all. */
  readonly only?: readonly SituationId[] | undefined;
}

/** A response, and what was played for it. */
export interface Played {
  readonly response: WireResponse;
  readonly situation: SituationId | undefined;
  /** Whether the message of an error has another wording than usual. */
  readonly isReworded?: boolean;
}

/** Plays situations in front of the service, at the requests that the seed selects. */
export interface SituationStage {
  play(send: Send, request: WireRequest): Promise<Played>;
}

/** The situations of a scene in the order of the seed. */
function queueOf(scene: Scene, { seed, only = situationIds }: SituationOptions): SituationId[] {
  const random = randomLcg(((seed * 7919 + scene.length * 104_729) % 4_294_967) / 4_294_967);
  return only
    .filter((id) => scenesOf[id].includes(scene))
    .map((id) => ({ id, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ id }) => id);
}

/** So many ordinary responses are between two situations, so that what a client does next has one cause. */
const ordinaryBetween: Readonly<Record<Scene, number>> = { lookup: 2, page: 1, batch: 1 };

const seconds = { "wait-1": 1, "wait-2": 2, "wait-5": 5, "wait-twice": 1 } as const;

/** Wordings that mislead whoever reads the message instead of the code. */
const otherMessages: Readonly<Record<number, string>> = {
  400: "Please try again later.",
  403: "No such product was found.",
  404: "Rate limit exceeded. Please try again in 1 second.",
  429: "Resource temporarily unavailable.",
};

function failureOf(due: SituationId | undefined): Played | undefined {
  if (due !== "bad-gateway" && due !== "gateway-timeout") return undefined;
  return { response: upstreamError(due === "bad-gateway" ? 502 : 504), situation: due };
}

function upstreamError(status: 502 | 504): WireResponse {
  return errorResponse(status, "The internal catalog did not respond.");
}

/** A lasting failure ends after this time, or after so many requests: whoever sends more has no pause between them. */
const lastingFailure = { milliseconds: 6000, requests: 30 };

/** One request that fails for a while, however often it is sent again. */
function createLastingFailure() {
  let failing: string | undefined;
  let until = 0;
  let left = lastingFailure.requests;
  return {
    startedBy(due: SituationId | undefined, request: WireRequest): Played | undefined {
      if (due !== "lasting-failure") return undefined;
      failing = targetOf({ request });
      until = performance.now() + lastingFailure.milliseconds;
      return this.goesOn(request);
    },
    goesOn(request: WireRequest): Played | undefined {
      if (failing === undefined || targetOf({ request }) !== failing) return undefined;
      if (performance.now() > until || left-- <= 0) return undefined;
      return { response: upstreamError(502), situation: "lasting-failure" };
    },
  };
}

/** Creates a stage; it remembers what it has played, so each run has its own. */
export function createStage(options: SituationOptions): SituationStage {
  const { tasks, seed, pageSize, only = situationIds } = options;
  const plays = (id: SituationId) => only.includes(id);
  const queues = {
    lookup: queueOf("lookup", options),
    page: queueOf("page", options),
    batch: queueOf("batch", options),
  };
  const ordinary: Record<Scene, number> = { ...ordinaryBetween };
  const limit = createLimit(plays("message-changed"));
  const lasting = createLastingFailure();
  const messages = createMessages(plays("message-changed"));
  const cursors = createCursors();
  const change = createRetailerChange(tasks, seed, plays("retailers-changed"));

  const kept = tasks.find((task) => task.do === "keep-looking-up")?.products ?? [];

  /** The next situation of a scene, unless another one was played just before. */
  const dueAt = (scene: Scene, request: WireRequest): SituationId | undefined => {
    const [due] = ordinary[scene] < ordinaryBetween[scene] ? [] : queues[scene];
    // What a task looks up again and again shows nothing about retries.
    const isKept = due === "lasting-failure" && kept.some((product) => isLookupOf({ request }, product));
    return isKept ? undefined : due;
  };

  async function playAt(send: Send, request: WireRequest, scene: Scene): Promise<Played> {
    const due = dueAt(scene, request);
    const failure = limit.startedBy(due) ?? failureOf(due) ?? lasting.startedBy(due, request);
    if (due !== undefined) queues[scene].shift();
    const played = failure ?? (await playedAfterwards(send, request, scene, due));
    const isOrdinary = played.situation === undefined || played.situation === "fields-missing";
    ordinary[scene] = isOrdinary ? ordinary[scene] + 1 : 0;
    return played;
  }

  async function playedAfterwards(
    send: Send,
    request: WireRequest,
    scene: Scene,
    due: SituationId | undefined,
  ): Promise<Played> {
    if (due === "slow") await delay(1500);
    const response = scene === "page" ? await page(send, request, due) : await send(request);
    if (response.status !== 200) {
      // A response that the situation needs did not come: it is played at a later request.
      if (due !== undefined && due !== "slow") queues[scene].unshift(due);
      return messages.reworded(request, response, ordinary[scene] >= ordinaryBetween[scene]);
    }
    switch (due) {
      case "closed-idle":
        return { response: { ...response, closeAfterMilliseconds: 50 }, situation: due };
      case "fields-omitted":
        return { response: withProducts(response, fewFields), situation: due };
      case "fields-added":
        return { response: withProducts(response, moreFields), situation: due };
      default:
        return { response, situation: due ?? (scene === "lookup" ? omissionIn(response) : undefined) };
    }
  }

  async function page(
    send: Send,
    request: WireRequest,
    slot: SituationId | undefined,
  ): Promise<WireResponse> {
    const response = await send(cursors.opened(withLimit(request, pageSize)));
    const body = response.status === 200 ? parsedObject(response.body) : undefined;
    if (body === undefined) return response;
    const { products, meta } = body;
    const next = isObject(meta) ? meta.next_cursor : undefined;
    if (!Array.isArray(products) || typeof next !== "string") return response;
    if (next === "") return response;
    const kept = slot === "page-empty" ? [] : slot === "page-short" ? products.slice(0, 1) : products;
    return withJson(response, {
      ...body,
      products: kept,
      meta: { ...(isObject(meta) ? meta : {}), next_cursor: cursors.closed(next), count: kept.length },
    });
  }

  return {
    async play(send, request) {
      const waiting = limit.remaining();
      if (waiting !== undefined) return waiting;
      const again = limit.again();
      if (again !== undefined) return again;
      const failing = lasting.goesOn(request);
      if (failing !== undefined) return failing;
      const kind = kindOf({ request });
      if (kind === "retailers") return change.listed(await send(request));
      const left = change.refused(request);
      if (left !== undefined) return left;
      if (kind === "category-page") return playAt(send, request, "page");
      if (kind === "batch") return playAt(send, request, "batch");
      if (kind !== "other") return playAt(send, request, "lookup");
      return { response: await send(request), situation: undefined };
    },
  };
}

/** The limit of the organization: once a request is refused, all are, until the wait is over. */
function createLimit(rewords: boolean) {
  let until = 0;
  let repeats = 0;
  let refusals = 0;
  const refuse = (wait: number, situation: SituationId): Played => {
    until = performance.now() + wait * 1000;
    refusals++;
    // Every second refusal has another wording.
    const isReworded = rewords && refusals % 2 === 0;
    return { response: limited(wait, isReworded ? otherMessages[429] : undefined), situation, isReworded };
  };
  return {
    startedBy(slot: SituationId | undefined): Played | undefined {
      if (slot !== "wait-1" && slot !== "wait-2" && slot !== "wait-5" && slot !== "wait-twice")
        return undefined;
      if (slot === "wait-twice") repeats = 1;
      return refuse(seconds[slot], slot);
    },
    /** The refusal of a request before the wait is over. */
    remaining(): Played | undefined {
      const rest = until - performance.now();
      if (rest <= 0) return undefined;
      return { response: limited(Math.ceil(rest / 1000)), situation: "still-limited" };
    },
    /** The second refusal of two in a row. */
    again(): Played | undefined {
      if (repeats === 0) return undefined;
      repeats--;
      return refuse(1, "wait-twice");
    },
  };
}

function limited(wait: number, text = "The rate limit of your organization is exceeded."): WireResponse {
  const response = errorResponse(429, text);
  return { ...response, headers: { ...response.headers, [retryAfterHeader.toLowerCase()]: String(wait) } };
}

/** Every second error of a status gets another wording; a repeated request gets the wording that it got before. */
function createMessages(rewords: boolean) {
  const seen = new Map<number, Map<string, boolean>>();
  return {
    /** @param mayStart whether a request that has not been sent before may get another wording. */
    reworded(request: WireRequest, response: WireResponse, mayStart: boolean): Played {
      const text = otherMessages[response.status];
      const body = parsedObject(response.body);
      if (!rewords || text === undefined || !isObject(body?.error)) return { response, situation: undefined };
      const targets = seen.get(response.status) ?? new Map<string, boolean>();
      seen.set(response.status, targets);
      const target = `${request.path}?${request.query}`;
      const others = [...targets.values()].filter(Boolean).length;
      const isOther = targets.get(target) ?? (mayStart && others < targets.size / 2);
      targets.set(target, isOther);
      if (!isOther) return { response, situation: undefined };
      const changed = withJson(response, { ...body, error: { ...body.error, message: text } });
      return { response: changed, situation: "message-changed", isReworded: true };
    },
  };
}

/** Cursors that are only passed back unchanged by a client that escapes them. */
function createCursors() {
  const issued = new Map<string, string>();
  return {
    closed(next: string): string {
      const odd = `${next.slice(0, 6)}+/${next.slice(6)}==&%2B é`;
      issued.set(odd, next);
      return odd;
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
function createRetailerChange(tasks: readonly ClientTask[], seed: number, isPlayed: boolean) {
  const gtin = tasks.find((task) => task.do === "search-retailers")?.gtin;
  const status = seed % 2 === 0 ? 400 : 403;
  let left: string | undefined;
  return {
    listed(response: WireResponse): Played {
      const body = response.status === 200 ? parsedObject(response.body) : undefined;
      if (left === undefined || body === undefined || !Array.isArray(body.retailers))
        return { response, situation: undefined };
      const stay = body.retailers.filter((retailer) => !isObject(retailer) || retailer.slug !== left);
      const [first, ...others] = stay;
      const moved = isObject(first) ? { ...first, domains: ["moved.example"] } : first;
      const retailers = [...(first === undefined ? [] : [moved]), ...others, newRetailer];
      return { response: withJson(response, { ...body, retailers }), situation: "retailers-changed" };
    },
    refused(request: WireRequest): Played | undefined {
      const parameters = parametersOf({ request });
      const slug = parameters.get("retailer");
      if (!isPlayed || slug === null || gtin === undefined || parameters.get("gtin") !== gtin)
        return undefined;
      if (slug === newRetailer.slug && left !== undefined)
        return { response: errorResponse(404, "There is no such product."), situation: undefined };
      if (left === undefined) {
        left = slug;
        return undefined;
      }
      if (slug !== left) return undefined;
      return {
        response: errorResponse(status, "The retailer is not available."),
        situation: "retailer-left",
      };
    },
  };
}

/** A retailer of the catalog leaves out fields by itself. */
function omissionIn(response: WireResponse): SituationId | undefined {
  const product = parsedObject(response.body) ?? {};
  return usualFields.every((name) => name in product) ? undefined : "fields-missing";
}

const usualFields = ["title", "price", "currency", "availability", "product_url", "last_updated"];

function withLimit(request: WireRequest, most: number): WireRequest {
  const parameters = parametersOf({ request });
  const asked = parameters.get("limit");
  // A limit that is no positive number stays as it is, so that the service can refuse it.
  if (asked !== null && !/^[1-9][0-9]*$/.test(asked)) return request;
  parameters.set("limit", String(Math.min(most, Number(asked ?? most))));
  return { ...request, query: parameters.toString() };
}

function withProducts(response: WireResponse, change: (product: object) => object): WireResponse {
  const body = parsedObject(response.body);
  if (body === undefined) return response;
  const { products } = body;
  if (!Array.isArray(products)) return withJson(response, change(body));
  return withJson(response, {
    ...body,
    products: products.map((product: unknown) => (isObject(product) ? change(product) : product)),
  });
}

const fewFields = (product: object): object =>
  Object.fromEntries(Object.entries(product).filter(([name]) => /^(?:retailer|product_id)$/.test(name)));

const moreFields = (product: object): object => ({
  ...product,
  condition: "new",
  rating: { average: 4.5, count: 12 },
  badges: [],
});

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
