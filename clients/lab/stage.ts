import { setTimeout as delay } from "node:timers/promises";
import { randomLcg } from "d3-random";
import { errorCodeOf, retryAfterHeader } from "../../schemas/api.ts";
import { isObject } from "../../schemas/json.ts";
import type { Send, WireResponse } from "../../service/wire.ts";
import { type Scene, type SituationId, situations } from "../contract/situations.ts";
import type { ClientTask } from "../contract/tasks.ts";
import { nameOf, type ReadRequest, readResponse, searchName } from "./exchange.ts";

/** A response, and what was played for it. */
interface Played {
  readonly response: WireResponse;
  readonly situations: readonly SituationId[];
}

interface StageSettings {
  /** Decides in which order situations are played. */
  readonly seed: number;
  readonly tasks: readonly ClientTask[];
  /** Most products of a page. */
  readonly pageSize: number;
}

/** So many ordinary responses are before each situation, so that what a client does next has one cause. */
const ordinaryBefore: Readonly<Record<Scene, number>> = { lookup: 2, page: 1, batch: 0 };

/**
 * Plays situations in front of the service, at the requests that the seed selects. It remembers what it has played, so each
 * run has its own.
 */
export function createStage({ tasks, seed, pageSize }: StageSettings) {
  const queues = {
    lookup: queueOf("lookup", seed),
    page: queueOf("page", seed),
    batch: queueOf("batch", seed),
  };
  const ordinary: Record<Scene, number> = { lookup: 0, page: 0, batch: 0 };
  const limit = createLimit();
  const lasting = createLastingFailure();
  const reworded = createRewording();
  const page = createPages(pageSize);
  const change = createRetailerChange(tasks, seed);
  const asked = new Set(tasks.find((task) => task.do === "look-up")?.products.map(nameOf));
  let slow = 0;

  /** The next situation of a scene, if it is time for one. */
  function take(scene: Scene, { names }: ReadRequest): SituationId | undefined {
    if (ordinary[scene]++ < ordinaryBefore[scene]) return undefined;
    // What a task looks up again and again shows nothing about retries.
    const isAsked = names.some((name) => asked.has(name));
    // Retries of a failure are counted where no wait comes between them, and a slow response hides no refusal from its worker.
    const isHeld = (id: SituationId) => isWait(id) && (slow > 0 || lasting.goesOn());
    const due = queues[scene].find((id) => !isHeld(id) && (id !== "lasting-failure" || isAsked));
    if (due === undefined) return undefined;
    ordinary[scene] = 0;
    queues[scene] = queues[scene].filter((id) => id !== due);
    return due;
  }

  async function playAt(send: Send, read: ReadRequest, scene: Scene): Promise<Played> {
    const due = take(scene, read);
    if (due !== undefined && isWait(due)) return limit.start(due);
    if (due === "lasting-failure") return lasting.start(read);
    if (due === "bad-gateway") return refusal(502, upstreamMessage, due);
    if (due === "gateway-timeout") return refusal(504, upstreamMessage, due);
    if (due === "slow") {
      slow++;
      await delay(1500);
      slow--;
    }
    const most = due === "page-empty" ? 0 : due === "page-short" ? 1 : pageSize;
    const response = await (scene === "page" ? page(send, read, most) : send(read.request));
    if (response.status === 200)
      return { response: withFields(response, due), situations: due === undefined ? [] : [due] };
    // A response that the situation needs did not come: it is played at a later request.
    if (due !== undefined) queues[scene].unshift(due);
    return reworded(read, response);
  }

  return {
    async play(send: Send, read: ReadRequest): Promise<Played> {
      const refused = limit.refusal() ?? lasting.failure(read) ?? change.refusal(read);
      if (refused !== undefined) return refused;
      const { kind, request } = read;
      if (kind === "retailers") return change.listed(await send(request));
      if (kind === "other") return { response: await send(request), situations: [] };
      const scene = kind === "category-page" ? "page" : kind === "batch" ? "batch" : "lookup";
      const played = await playAt(send, read, scene);
      change.note(read, played.response.status);
      return played;
    },
  };
}

/** The situations of a scene in the order of the seed. */
function queueOf(scene: Scene, seed: number): SituationId[] {
  const random = randomLcg(((seed * 7919 + scene.length * 104_729) % 4_294_967) / 4_294_967);
  return (Object.keys(situations) as SituationId[])
    .filter((id) => (situations[id].scenes as readonly Scene[]).includes(scene))
    .map((id) => ({ id, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ id }) => id);
}

/** Situations that begin a wait. */
type WaitId = {
  [Id in SituationId]: (typeof situations)[Id] extends { seconds: number } ? Id : never;
}[SituationId];
const isWait = (id: SituationId): id is WaitId => "seconds" in situations[id];

/** Wordings that mislead whoever reads the message instead of the code. */
const otherMessages = {
  404: "Rate limit exceeded. Please try again in 1 second.",
  429: "Resource temporarily unavailable.",
} as const;
const upstreamMessage = "The internal catalog did not respond.";

/** Clocks tick in milliseconds: the limit ends so much before the wait that it asks for. */
const clockMilliseconds = 20;

/** The limit of the organization: once a request is refused, all are, until the wait is over. */
function createLimit() {
  let until = 0;
  let isTwice = false;
  let count = 0;
  const limited = (seconds: number, id: SituationId): Played => {
    // Every second refusal has another wording.
    const isReworded = count % 2 === 0;
    const message = isReworded ? otherMessages[429] : "The rate limit of your organization is exceeded.";
    const { response } = refusal(429, message, id);
    const headers = { ...response.headers, [retryAfterHeader.toLowerCase()]: String(seconds) };
    return {
      response: { ...response, headers },
      situations: isReworded ? [id, "message-changed"] : [id],
    };
  };
  const start = (id: WaitId): Played => {
    const { seconds } = situations[id];
    until = performance.now() + seconds * 1000 - clockMilliseconds;
    count++;
    isTwice = id === "wait-twice" && !isTwice;
    return limited(seconds, id);
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
  const failure = ({ target }: ReadRequest): Played | undefined => {
    const now = performance.now();
    if (target !== failing || left === 0 || now > startedAt + lastingFailure.milliseconds) return undefined;
    last = now;
    left--;
    return refusal(502, upstreamMessage, "lasting-failure");
  };
  return {
    start(read: ReadRequest): Played {
      failing = read.target;
      startedAt = performance.now();
      return failure(read) as Played;
    },
    failure,
    /** Whether the request may be sent again. */
    goesOn: () => failing !== undefined && left > 0 && performance.now() < last + lastingFailure.pause,
  };
}

/** Every second 404 gets another wording; a repeated request gets the wording that it got before. */
function createRewording() {
  const seen = new Map<string, boolean>();
  return ({ target }: ReadRequest, response: WireResponse): Played => {
    const { body } = readResponse(response);
    if (response.status !== 404 || !isObject(body?.error)) return { response, situations: [] };
    const isReworded = seen.get(target) ?? seen.size % 2 === 1;
    seen.set(target, isReworded);
    if (!isReworded) return { response, situations: [] };
    const error = { ...body.error, message: otherMessages[404] };
    return { response: withJson(response, { ...body, error }), situations: ["message-changed"] };
  };
}

/**
 * Pages of at most this size, of which `most` products are shown. Their cursors are only passed back unchanged by a client
 * that escapes them, and that neither trims nor shortens them.
 */
function createPages(size: number) {
  const issued = new Map<string, string>();
  const endings = ["==", " ", "+"];
  return async (send: Send, { request, parameters }: ReadRequest, most: number): Promise<WireResponse> => {
    const sent = new URLSearchParams(parameters);
    const cursor = sent.get("cursor") ?? "";
    if (cursor !== "") sent.set("cursor", issued.get(cursor) ?? `unknown ${cursor}`);
    const limit = sent.get("limit") ?? String(size);
    // A limit that is no positive number stays as it is, so that the service can refuse it.
    sent.set("limit", /^[1-9][0-9]*$/.test(limit) ? String(Math.min(size, Number(limit))) : limit);
    const response = await send({ ...request, query: sent.toString() });
    const { body } = readResponse(response);
    if (response.status !== 200 || !Array.isArray(body?.products) || !isObject(body.meta)) return response;
    const next = String(body.meta.next_cursor);
    if (next === "") return response;
    const odd = `${next.slice(0, 6)}+/${next.slice(6)}&%2B é${endings[issued.size % endings.length]}`;
    issued.set(odd, next);
    const products = body.products.slice(0, most);
    const meta = { ...body.meta, next_cursor: odd, count: products.length };
    return withJson(response, { ...body, products, meta });
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
  const searchedIn = ({ names, parameters }: ReadRequest) =>
    gtin !== undefined && names.includes(searchName(gtin)) ? parameters.get("retailer") : null;
  return {
    /** A search that was answered: its retailer leaves, if it is the first one. */
    note(read: ReadRequest, answered: number): void {
      if (answered === 200 || answered === 404) left ??= searchedIn(read) ?? undefined;
    },
    listed(response: WireResponse): Played {
      const { body } = readResponse(response);
      if (left === undefined || !Array.isArray(body?.retailers)) return { response, situations: [] };
      const [first, ...others] = body.retailers.filter(({ slug }) => slug !== left);
      const moved = first === undefined ? [] : [{ ...first, domains: ["moved.example"] }];
      const retailers = [...moved, ...others, newRetailer];
      return { response: withJson(response, { ...body, retailers }), situations: ["retailers-changed"] };
    },
    refusal(read: ReadRequest): Played | undefined {
      const slug = searchedIn(read);
      if (left === undefined || slug === null) return undefined;
      if (slug === newRetailer.slug) return refusal(404, "There is no such product.");
      return slug === left ? refusal(status, "The retailer is not available.", "retailer-left") : undefined;
    },
  };
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
function withFields(response: WireResponse, due: SituationId | undefined): WireResponse {
  const { body = {} } = readResponse(response);
  const fieldsOf = (product: Readonly<Record<string, unknown>>) => {
    const { retailer, product_id } = product;
    if (due === "fields-omitted") return { retailer, product_id };
    const usual = Object.entries(usualFields).map(([name, value]) => [name, product[name] ?? value]);
    const more = { condition: "new", rating: { average: 4.5, count: 12 }, badges: [] };
    return { ...Object.fromEntries(usual), ...(due === "fields-added" && more) };
  };
  const { products } = body;
  const shown = Array.isArray(products) ? { ...body, products: products.map(fieldsOf) } : fieldsOf(body);
  return {
    ...withJson(response, shown),
    ...(due === "closed-idle" && { closeAfterMilliseconds: 50 }),
  };
}

function refusal(status: number, message: string, situation?: SituationId): Played {
  const response = {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: Buffer.from(JSON.stringify({ error: { code: errorCodeOf(status), message } })),
  };
  return { response, situations: situation === undefined ? [] : [situation] };
}

function withJson(response: WireResponse, body: object): WireResponse {
  return { ...response, body: Buffer.from(JSON.stringify(body)) };
}
