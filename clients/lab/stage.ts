import { setTimeout as delay } from "node:timers/promises";
import { errorCodeOf, retryAfterHeader } from "../../schemas/api.ts";
import { isObject } from "../../schemas/json.ts";
import type { Send, WireResponse } from "../../service/wire.ts";
import { type Scene, type SituationId, situations } from "../contract/situations.ts";
import type { ClientTask } from "../contract/tasks.ts";
import { shuffled } from "./catalog-tasks.ts";
import { nameOf, newRetailer, type ReadRequest, readResponse, searchName } from "./exchange.ts";

/** A response, and what was played for it. */
interface Played {
  readonly response: WireResponse;
  readonly situations: readonly SituationId[];
}

/** So many ordinary responses are before each situation, so that what a client does next has one cause. */
const ordinaryBefore: Readonly<Record<Scene, number>> = { lookup: 2, page: 1, batch: 0 };

/** Plays situations at the requests that the seed selects. It remembers them, so each run has its own. */
export function createStage(tasks: readonly ClientTask[], seed: number) {
  const ids = Object.keys(situations) as SituationId[];
  const queueOf = (scene: Scene) => {
    const own = ids.filter((id) => situations[id].scenes.includes(scene));
    const due = shuffled(own, seed * 7919 + scene.length * 104_729);
    return { due: due.toSorted((a, b) => rankOf(a) - rankOf(b)), ordinary: 0 };
  };
  const queues = { lookup: queueOf("lookup"), page: queueOf("page"), batch: queueOf("batch") };
  const limit = createLimit();
  const lasting = createLastingFailure();
  const page = createPages();
  const change = createRetailerChange(tasks, seed);
  const asked = new Set(tasks.find((task) => task.do === "look-up")?.products.map(nameOf));
  const reworded = new Map<string, boolean>();
  let slow = 0;

  /** The next situation of a scene, if it is time for one. */
  function take(scene: Scene, { names, parameters }: ReadRequest): SituationId | undefined {
    const queue = queues[scene];
    // The wait of one worker, while another has a slow response, shows whether the other one keeps it too.
    const isShared = slow > 0 && queue.due.includes("wait-5");
    if (!isShared && queue.ordinary++ < ordinaryBefore[scene]) return undefined;
    // What other tasks look up again and again shows nothing about retries.
    const isAsked = names.some((name) => asked.has(name)) && !parameters.has("retailer");
    // A slow response hides no short wait from its worker.
    const next = queue.due.find((id) =>
      id === "lasting-failure" ? isAsked : slow === 0 || situations[id].seconds === undefined,
    );
    const due = isShared ? "wait-5" : next;
    if (due === undefined) return undefined;
    queues[scene] = { due: queue.due.filter((id) => id !== due), ordinary: 0 };
    return due;
  }

  async function playAt(send: Send, read: ReadRequest, scene: Scene): Promise<Played> {
    const due = take(scene, read);
    const { seconds, status, most = pageSize } = due === undefined ? {} : situations[due];
    if (due !== undefined && seconds !== undefined) return limit.start(due);
    if (due === "lasting-failure") lasting.start(read.target);
    if (due !== undefined && status !== undefined) return upstreamFailure(status, due);
    if (due === "slow") {
      slow++;
      await delay(1500);
      slow--;
    }
    const response = await (scene === "page" ? page(send, read, most) : send(read.request));
    if (response.status === 200)
      return { response: withFields(response, due), situations: due === undefined ? [] : [due] };
    // A response that the situation needs did not come: it is played at a later request.
    if (due !== undefined) queues[scene].due.unshift(due);
    return response.status === 404 ? notFound(read.target, response) : { response, situations: [] };
  }

  /** Every second 404 gets another wording; a repeated request gets the wording that it got before. */
  function notFound(target: string, response: WireResponse): Played {
    const isReworded = reworded.get(target) ?? reworded.size % 2 === 1;
    reworded.set(target, isReworded);
    return isReworded ? refusal(404, otherMessages[404], ["message-changed"]) : { response, situations: [] };
  }

  return {
    async play(send: Send, read: ReadRequest): Promise<Played> {
      const refused = limit.refusal() ?? lasting.failure(read.target) ?? change.refusal(read);
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

/**
 * First a slow response, while the other workers have lookups to send; then waits, so that none comes between
 * the retries of a failure.
 */
function rankOf(id: SituationId): number {
  if (id === "slow") return 0;
  return situations[id].seconds === undefined ? 2 : 1;
}

/** Wordings that mislead whoever reads the message instead of the code. */
const otherMessages = {
  404: "Rate limit exceeded. Please try again in 1 second.",
  429: "Resource temporarily unavailable.",
} as const;

/** Clocks tick in milliseconds: the limit ends so much before the wait that it asks for. */
const clockMilliseconds = 20;

/** The limit of the organization: once a request is refused, all are, until the wait is over. */
function createLimit() {
  let until = 0;
  let isTwice = false;
  let count = 0;
  function limited(id: SituationId, seconds: number): Played {
    const headers = { [retryAfterHeader.toLowerCase()]: String(seconds) };
    // Every second wait has another wording.
    return count % 2 === 0
      ? refusal(429, otherMessages[429], [id, "message-changed"], headers)
      : refusal(429, "The rate limit of your organization is exceeded.", [id], headers);
  }
  function start(id: SituationId): Played {
    const { seconds = 0 } = situations[id];
    until = performance.now() + seconds * 1000 - clockMilliseconds;
    count++;
    isTwice = id === "wait-twice" && !isTwice;
    return limited(id, seconds);
  }
  return {
    start,
    /** What any request gets before the wait is over, and the first one after it if it is refused twice. */
    refusal(): Played | undefined {
      const rest = until - performance.now();
      if (rest > 0) return limited("still-limited", Math.ceil((rest + clockMilliseconds) / 1000));
      return isTwice ? start("wait-twice") : undefined;
    },
  };
}

/** When a lasting failure ends, by time or requests: later than anybody waits who gives up at some time. */
const lastingFailure = { milliseconds: 40_000, requests: 20 };

/** One request that fails for a while, however often it is sent again. */
function createLastingFailure() {
  let failing: { readonly target: string; readonly until: number; left: number } | undefined;
  return {
    start(target: string): void {
      const { milliseconds, requests } = lastingFailure;
      failing = { target, until: performance.now() + milliseconds, left: requests - 1 };
    },
    failure(target: string): Played | undefined {
      if (target !== failing?.target || performance.now() > failing.until) return undefined;
      return failing.left-- > 0 ? upstreamFailure(502, "lasting-failure") : undefined;
    },
  };
}

/** Pages have at most so many products. */
const pageSize = 5;

/** Pages of `most` products at most. Only who escapes cursors, and neither trims nor cuts them, goes on. */
function createPages() {
  const issued = new Map<string, string>();
  const endings = ["==", " ", "+"];
  return async (send: Send, { request, parameters }: ReadRequest, most: number) => {
    const sent = new URLSearchParams(parameters);
    const cursor = sent.get("cursor") ?? "";
    if (cursor !== "") sent.set("cursor", issued.get(cursor) ?? `unknown ${cursor}`);
    const limit = sent.get("limit") ?? String(pageSize);
    // A limit that is no positive number stays as it is, so that the service can refuse it.
    sent.set("limit", /^[1-9][0-9]*$/.test(limit) ? String(Math.min(pageSize, Number(limit))) : limit);
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

/** A retailer leaves after it was searched once: the list lacks it, and its slug is refused. */
function createRetailerChange(tasks: readonly ClientTask[], seed: number) {
  const gtin = tasks.find((task) => task.do === "search-retailers")?.gtin;
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
      const retailers = [...body.retailers.filter(({ slug }) => slug !== left), newRetailer];
      return { response: withJson(response, { ...body, retailers }), situations: ["retailers-changed"] };
    },
    refusal(read: ReadRequest): Played | undefined {
      const slug = searchedIn(read);
      if (left === undefined || slug === null) return undefined;
      if (slug === newRetailer.slug) return refusal(404, "There is no such product.", []);
      if (slug !== left) return undefined;
      return refusal(seed % 2 === 0 ? 400 : 403, "The retailer is not available.", ["retailer-left"]);
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
const unnamedFields = { condition: "new", rating: { average: 4.5, count: 12 }, badges: [] };

/**
 * Products as a situation has them, the last one first: the spec names no order, and only a batch shows one.
 * Ordinary ones have exactly the fields of the spec, so that a client that needs one, or allows no other, is
 * not stopped before.
 */
function withFields(response: WireResponse, due: SituationId | undefined): WireResponse {
  const { body = {} } = readResponse(response);
  const fieldsOf = (product: Readonly<Record<string, unknown>>) => {
    const { retailer, product_id } = product;
    if (due === "fields-omitted") return { retailer, product_id };
    const usual = Object.entries(usualFields).map(([name, value]) => [name, product[name] ?? value]);
    return { ...Object.fromEntries(usual), ...(due === "fields-added" && unnamedFields) };
  };
  const { products } = body;
  const shown = Array.isArray(products)
    ? { ...body, products: products.map(fieldsOf).toReversed() }
    : fieldsOf(body);
  return { ...withJson(response, shown), ...(due === "closed-idle" && { closeAfterMilliseconds: 50 }) };
}

function upstreamFailure(status: number, situation: SituationId): Played {
  return refusal(status, "The internal catalog did not respond.", [situation]);
}

function refusal(
  status: number,
  message: string,
  played: readonly SituationId[],
  more: WireResponse["headers"] = {},
): Played {
  const headers = { "content-type": "application/json; charset=utf-8", ...more };
  const error = { code: errorCodeOf(status), message };
  return { response: withJson({ status, headers }, { error }), situations: played };
}

function withJson(response: Omit<WireResponse, "body">, body: object): WireResponse {
  return { ...response, body: Buffer.from(JSON.stringify(body)) };
}
