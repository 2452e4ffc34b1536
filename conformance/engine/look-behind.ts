import { keyHeaders } from "../../schemas/api.ts";
import type { FailureCode } from "../../schemas/contracts/conformance-findings.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { type Exchange, keyHeadersIn, requestName, sameRequest } from "../client/exchange.ts";
import { NotJudged, type Outcome } from "../client/outcome.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { keyIn, type Request, withoutParameter, withUnusedParameter } from "../client/requests.ts";
import type { Responders } from "../client/responder.ts";
import type { Target } from "../client/target.ts";
import { slugsIn } from "../discovery/browsing.ts";
import { invalidKey } from "../discovery/unknown-values.ts";
import { productsIn } from "../response/products-in.ts";

// What is behind a failure: a connection that keeps a refusal, a cache that takes one request for another, a query that does not
// arrive, or instances of which one is not like the others.
// Each answer is data of the exchange that shows the failure; the failure stays what it is.

/** Failures that a cache or one of several instances may cause. */
const ofOthers: ReadonlySet<Finding["code"]> = new Set([
  "wrong-status",
  "page-over-limit",
  "not-granted",
  "retailer-of-other-organization",
  "other-product",
  "item-missing",
  "item-repeated",
  "paging-never-ends",
  "retailer-not-listed",
  "shown-by-one-only",
  "status-differs",
  "differs-between-ways",
  "listed-retailer-refused",
  "false-not-found",
] satisfies FailureCode[]);

/** Parameters without which a request is still valid, though it asks for something else. */
const optionalParameters = ["cursor", "limit", "retailer"];

/** Looks without a result at failures of one kind after which no more are taken. */
const mostFruitless = 3;
/** The request as it was and the control, in turn: what changes by itself, as between instances, is no cache. */
const turns = { untilShown: 2, later: 1 } as const;
/** Requests that are sent again to find instances, each on a connection of its own; twice as many if one was unlike the others. */
const connections = 8;
/** How often each of two responses must have come, in which order they must have changed. */
const leastOfEach = 2;
const leastChanges = 2;

/** Finds out whether a connection, a cache or one of several instances is behind a failure. */
export type LookBehind = (outcome: Outcome, signal: AbortSignal) => Promise<void>;

/** Repeats a request and variations of it. Returns whether they show what is behind the failure, and has noted it for the exchange then. */
type Search = (shown: Exchange, request: Request, signal: AbortSignal) => boolean | Promise<boolean>;

/** @param exchanges all of the run */
export function lookBehind(
  client: Pick<PoliteClient, "ask" | "askApart" | "staysOnConnection">,
  { responders, exchanges }: { readonly responders: Responders; readonly exchanges: readonly Exchange[] },
  target: Target,
): LookBehind {
  const fruitless = new Map<Finding["code"], number>();
  let turnsOfLook: number = turns.untilShown;

  /** Repeats the request with and without its query, which the service needs, and without each parameter that it may do without. */
  async function findIgnoredQuery(shown: Exchange, request: Request, signal: AbortSignal): Promise<boolean> {
    const [path = "", query] = request.path.split("?");
    if (request.method !== "GET" || query === undefined || shown.response.status !== 200) return false;
    const again = await client.ask(request, signal);
    if (again.response.status !== 200) return false;
    const sent = new URLSearchParams(query);
    for (const parameter of [undefined, ...optionalParameters.filter((name) => sent.has(name))]) {
      const less =
        parameter === undefined
          ? { ...request, endpoint: "other" as const, path }
          : withoutParameter(request, parameter);
      if (!isSame(again, await client.ask(less, signal))) continue;
      responders.showIgnoredQuery(shown, parameter);
      return true;
    }
    return false;
  }

  /** Repeats a request with a key that got 401, without a key and with an invalid one in the other header. */
  async function findMissingKey(shown: Exchange, request: Request, signal: AbortSignal): Promise<boolean> {
    const [header, ...others] = keyHeadersIn(shown);
    if (shown.response.status !== 401 || header === undefined || others.length > 0) return false;
    const other = header === keyHeaders.bearer ? keyHeaders.plain : keyHeaders.bearer;
    const send = (headers: Request["headers"]) =>
      client.ask({ ...request, caller: "nobody", headers }, signal);
    const { [header]: key = "", ...headers } = shown.request.headers;
    if (!isSame(await client.askApart(request, signal), shown)) return false;
    if (!isSame(await send(headers), shown)) return false;
    if (isSame(await send({ ...headers, ...keyIn(other, invalidKey(key)) }), shown)) return false;
    responders.showMissingKey(shown);
    return true;
  }

  /** Repeats a lookup that found nothing, with the id percent-encoded once more. */
  async function findDecoding(shown: Exchange, request: Request, signal: AbortSignal): Promise<boolean> {
    if (shown.endpoint !== "lookup-by-id" || shown.response.status < 400 || !/%/.test(request.path))
      return false;
    const more = { ...request, path: request.path.replaceAll("%", "%25") };
    if ((await client.ask(more, signal)).response.status !== 200) return false;
    responders.showDecodedTwice(shown);
    return true;
  }

  /** Repeats the request in turn with a control. If the first gets the same again and the control another response, a cache gave it. */
  async function findCache(shown: Exchange, request: Request, signal: AbortSignal): Promise<boolean> {
    if (request.method !== "GET") return false;
    for (let turn = 1; turn <= turnsOfLook; turn++) {
      const ask = () => client.askApart(request, signal);
      const askControl = () => client.askApart(withUnusedParameter(request), signal);
      // Two instances that take requests by turns would each get one of the pair: the second pair is sent the other way round.
      const isReversed = turn % 2 === 0;
      const before = isReversed ? await askControl() : undefined;
      const again = await ask();
      const control = before ?? (await askControl());
      // A service may reject a parameter that it does not know.
      if (control.response.status === 400 || !isUsable(control)) return false;
      if (!isSame(again, shown) || isSame(control, shown)) return false;
      if (areByTurns(sameIn(shown))) return false;
      if (turn === turnsOfLook) responders.showCache(shown, control);
    }
    turnsOfLook = turns.later;
    return true;
  }

  const sameIn = (shown: Exchange) => {
    const name = nameOf(shown);
    return exchanges.filter((one) => nameOf(one) === name && isUsable(one));
  };

  /** Asks again on other connections, until responses differ by turns. */
  async function findInstances(shown: Exchange, request: Request, signal: AbortSignal): Promise<boolean> {
    // Where a cache was shown, it would answer these requests.
    let left = turnsOfLook === turns.untilShown ? connections : 0;
    let isExtended = false;
    while (!areByTurns(sameIn(shown)) && left > 0) {
      left--;
      await client.askApart(request, signal);
      if (left > 0 || isExtended || Map.groupBy(sameIn(shown), dataOf).size === 1) continue;
      isExtended = true;
      left = connections;
    }
    return showInstances(shown);
  }

  function showInstances(shown: Exchange): boolean {
    const same = sameIn(shown);
    if (!areByTurns(same)) return false;
    const answers = [...Map.groupBy(same, dataOf).values()].map((ones) => ({
      status: ones[0]?.response.status ?? 0,
      count: ones.length,
    }));
    responders.showInstances(shown, answers);
    return true;
  }

  /** What is looked for, in this order: what explains a failure by fewer requests is before what needs more. */
  const searches: readonly Search[] = [
    client.staysOnConnection,
    showInstances,
    findIgnoredQuery,
    findDecoding,
    findCache,
    findInstances,
    findMissingKey,
  ];

  async function isFound(shown: Exchange, signal: AbortSignal): Promise<boolean> {
    const request = sameRequest(shown, target);
    for (const search of searches) if (await search(shown, request, signal)) return true;
    return false;
  }

  return async ({ kind, findings, evidence }, signal) => {
    const [finding] = findings;
    const shown = evidence[finding?.exchange ?? 0];
    if (kind !== "fail" || finding === undefined || !ofOthers.has(finding.code)) return;
    const { code } = finding;
    const count = (more: number) => (fruitless.get(code) ?? 0) + more;
    if (count(0) >= mostFruitless || shown === undefined || !mayBeOfOthers(shown)) return;
    if (responders.of(shown) !== undefined) return;
    fruitless.set(code, count(1));
    try {
      if (await isFound(shown, signal)) fruitless.set(code, count(-1));
    } catch (error) {
      // Without a response, the failure stands as it is.
      if (!(error instanceof NotJudged) && !signal.aborted) throw error;
    }
  };
}

function mayBeOfOthers({ endpoint, response: { status }, isOfBurst }: Exchange): boolean {
  return endpoint !== "other" && status < 500 && status !== 429 && isOfBurst !== true;
}

/** What a request asks for, and with which key. */
export function nameOf(exchange: Exchange): string {
  const keys = keyHeadersIn(exchange).map((name) => [name, exchange.request.headers[name]]);
  return `${exchange.caller} ${keys} ${requestName(exchange)}`;
}

export function isSame({ response: one }: Exchange, { response: other }: Exchange): boolean {
  return one.status === other.status && one.text === other.text;
}

/** An outage or a limit shows nothing. */
function isUsable({ response: { status } }: Exchange): boolean {
  return status !== 429 && status < 500;
}

/** The part of a response that only other data changes: its status, its retailers and products. */
export function dataOf(exchange: Exchange): string {
  const { status, json } = exchange.response;
  const products = productsIn(exchange, {}).map(({ product }) => [product.retailer, product.product_id]);
  return JSON.stringify([status, slugsIn(json).toSorted(), products]);
}

/** Whether responses differ by turns: not once by chance, and not before and after a change of the catalog. */
function areByTurns(exchanges: readonly Exchange[]): boolean {
  const data = exchanges.toSorted((a, b) => a.number - b.number).map(dataOf);
  const counts = [...Map.groupBy(data, (one) => one).values()].map(({ length }) => length);
  const changes = data.filter((one, at) => at > 0 && one !== data[at - 1]).length;
  return counts.filter((count) => count >= leastOfEach).length > 1 && changes > leastChanges;
}
