import { errorCodeOf, keyHeaders } from "../../schemas/api.ts";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { isInMilliseconds, millisecondsFactor, opensEarly } from "../../schemas/early-tries.ts";
import { isErrorShape, isOutage } from "../../schemas/gateway.ts";
import { given } from "../../schemas/json.ts";
import { watchKeys } from "./accepted-keys.ts";
import { chooseClients } from "./client-choice.ts";
import type { ConnectionChoice } from "./dispatcher.ts";
import { type Exchange, requestName, secondsToWait } from "./exchange.ts";
import { BudgetSpent, type HttpClient, type SendOptions } from "./http-client.ts";
import { watchLiveness } from "./liveness.ts";
import { NotJudged } from "./outcome.ts";
import { type Clock, systemClock } from "./pacing.ts";
import { type Request, retailers, withUnusedParameter } from "./requests.ts";
import { TransportError } from "./transport-error.ts";

/** Sends requests as a well-behaved client does, and tracks whether the target is still reachable. */
export interface PoliteClient {
  /**
   * The response to a request, after waiting out 429 and retrying 502, 503, 504 and broken connections.
   * @throws NotJudged when all attempts failed.
   */
  ask(request: Request, signal?: AbortSignal): Promise<Exchange>;
  /** As ask, on a connection of its own, which may reach another instance. */
  askApart(request: Request, signal?: AbortSignal): Promise<Exchange>;
  /** Whether a refusal, which may be that of an earlier request, stays on its connection. If so, that is noted, and new ones are opened. */
  staysOnConnection(refusal: Exchange, request: Request, signal?: AbortSignal): Promise<boolean>;
  /** The response to a request that is sent once, regardless of the rate limit. @throws NotJudged when none arrives. */
  sendAtOnce(request: Request, signal?: AbortSignal, line?: ConnectionChoice): Promise<Exchange>;
  /**
   * The response to a request that may make the target fail, whatever its status, or the transport error. Such a
   * failure is blamed on the request, so it does not count towards a target that is down.
   * @throws NotJudged when the rate limit or the budget leaves no response.
   */
  tryOut(request: Request, signal?: AbortSignal): Promise<Exchange | TransportError>;
  /** The response to a request that is sent once, for the first contact. @throws TransportError when none arrives. */
  contact(request: Request): Promise<Exchange>;
  /** Checks once more whether the target is down, when the last requests failed. */
  settle(signal: AbortSignal): Promise<void>;
  /** A refusal that was repeated after its wait, by a cache or on its connection, while the limit accepted requests. */
  keptRefusal(): KeptRefusal | undefined;
  /** Why no more requests are sent to the target, once that is certain. */
  gone(): Finding | undefined;
}

/** A refusal of the rate limit that a cache, or a connection, gives again when its wait is over. */
export interface KeptRefusal {
  readonly first: Exchange;
  readonly again: Exchange;
}

/** Refusals with one status in a row, whatever was asked, after which a connection may keep it. Those of the limit are two. */
const refusalsOfConnection = 3;
/** Requests at once of which one reaches a certain connection: that which is kept, or one of those that the checks share. */
const requestsToReachConnection = 8;

/** Refusals of one request after their waits, with accepted controls, until a cache counts as their source. */
const refusalsThatShowCache = 2;

// A closed connection costs no time, and a target that drops 1 in 50 drops two requests in a row in every other run.
const attempts = { refused: 10, upstream: 4, internal: 2, unnamed: 3, closed: 3, transport: 2 } as const;
/** Pause after an error that the spec does not name: a limit in front of the service may use any status. */
const unnamedMilliseconds = 1000;
const firstRetryMilliseconds = 50;
/** Longest wait for the rate limit, at once or in total, without an accepted request in between. */
const longestWaitMilliseconds = 120_000;
// After so many waits in a row, a rate limit will not accept anything within this run.
const waitsUntilShut = 8;
// 429 responses to concurrent requests count as one.
const leastWaitMilliseconds = 250;
/**
 * After so many waits in a row that were kept in vain, each wait is longer than announced, twice as much each time: a limit that
 * accepted requests before may only understate its waits.
 */
const waitsInVain = 3;
const firstDelayMilliseconds = 500;

export interface PoliteOptions {
  /** Whether a request may be sent in spite of a wait, to find out whether a cache gave the refusal or the wait is overstated. Default: true */
  readonly mayExceedLimit?: boolean;
}

/** Creates the polite client of one run on top of an HTTP client. */
export function createPoliteClient(
  http: HttpClient,
  clock: Clock = systemClock,
  { mayExceedLimit = true }: PoliteOptions = {},
): PoliteClient {
  const liveness = watchLiveness(clock.now, http.responders);
  const clients = chooseClients();
  const keys = watchKeys(clock.now);
  let kept: KeptRefusal | undefined;
  let keptOnConnection: (KeptRefusal & { readonly apart: Exchange }) | undefined;
  const accepted = new Set<Request["caller"]>();
  /** Statuses that the spec does not name, and that pauses did not change. */
  const lasting = new Set<number>();
  let tryout: Promise<void> | undefined;
  const shut = new Map<Request["caller"], { since: number; waits: number; waited: number; until: number }>();

  function noteLimit({ caller }: Request, exchange: Exchange): void {
    const { status } = exchange.response;
    if (status !== 429) {
      shut.delete(caller);
      accepted.add(caller);
      return;
    }
    const at = clock.now();
    const { since, waits, waited, until } = shut.get(caller) ?? { since: at, waits: 0, waited: 0, until: 0 };
    if (at < until) return;
    // The last refusal ends the run, so nothing waits for it.
    if (waits >= waitsInVain && waits < waitsUntilShut && accepted.has(caller))
      http.holdBack(caller, http.wait(caller) + firstDelayMilliseconds * 2 ** (waits - waitsInVain));
    const wait = Math.max(leastWaitMilliseconds, http.wait(caller));
    shut.set(caller, { since, waits: waits + 1, waited: waited + wait, until: at + wait });
    // Nearly all requests carry the primary key: without it the run cannot go on.
    const limit = caller === "primary" ? limitFor(caller) : undefined;
    if (limit?.code === "wait-too-long") tryout ??= openEarlier(exchange, limit);
    else if (limit !== undefined) {
      const details = { since: new Date(since).toISOString() };
      const { seen = { count: waits, of: "attempts" } } = limit;
      const from = http.responders.of(exchange);
      const sender = given({ from });
      liveness.limited({ code: "target-unavailable", seen, actual: status, details, ...sender });
    }
  }

  /**
   * Sends a few requests long before a wait of hours is over. If they are accepted, the wait is overstated, which
   * limits.honest-wait judges, and the run goes on; otherwise it ends.
   */
  async function openEarlier(refusal: Exchange, limit: Finding): Promise<void> {
    const wait = secondsToWait(refusal) ?? 0;
    const tries = opensEarly(mayExceedLimit ? wait : 0, {
      pause(milliseconds) {
        http.report({ kind: "refusal", seconds: milliseconds / 1000, why: "too-long" });
        return http.sleep(milliseconds);
      },
      isAccepted: () => isAcceptedPastCaches((one) => http.send(one, { regardlessOfLimit: true })),
    });
    // Without a response nothing is known: the wait counts as it was announced.
    const opened = await tries.catch(() => undefined);
    if (opened === undefined) return liveness.limited(limit);
    const factor = isInMilliseconds(wait, opened) ? millisecondsFactor : wait / opened;
    http.shortenWaits(longestWaitMilliseconds / 1000, factor);
    shut.delete(refusal.caller);
  }

  /** Why the run no longer waits for a caller's rate limit. */
  function limitFor(
    caller: Request["caller"],
  ): FindingOf<"wait-too-long" | "still-rate-limited"> | undefined {
    const [expected, actual] = [longestWaitMilliseconds / 1000, Math.round(http.wait(caller) / 1000)];
    if (actual > expected) {
      return { code: "wait-too-long", expected, actual, unit: "s" };
    }
    const { waits, waited } = shut.get(caller) ?? { waits: 0, waited: 0 };
    if (waits > waitsUntilShut) return stillLimited(waitsUntilShut);
    return waited > longestWaitMilliseconds ? stillLimited(waits - 1) : undefined;
  }

  async function sendOnce(
    request: Request,
    options: SendOptions,
    mayFail = false,
  ): Promise<Exchange | TransportError> {
    for (let doubt = liveness.doubt(); doubt !== undefined; doubt = liveness.doubt()) {
      await sendAndWatch(doubt, options);
    }
    if (options.regardlessOfLimit !== true) await tryout;
    const gone = liveness.gone() ?? liveness.stopped(request);
    if (gone !== undefined) throw new NotJudged(gone);
    const limit = options.regardlessOfLimit === true ? undefined : limitFor(request.caller);
    if (limit !== undefined) throw new NotJudged(limit);
    return await sendAndWatch(request, options, mayFail);
  }

  async function sendAndWatch(
    request: Request,
    options: SendOptions,
    mayFail = false,
  ): Promise<Exchange | TransportError> {
    try {
      const exchange = await http.send(request, options);
      keys.responded(request, exchange);
      if (!mayFail || exchange.response.status < 500) liveness.responded(request, exchange);
      // A 429 to the deliberate burst is not a failed wait, nor one that a cache may have kept.
      const isOfLimit = options.regardlessOfLimit !== true && options.isRefusalDoubted !== true;
      if (isOfLimit || exchange.response.status !== 429) noteLimit(request, exchange);
      return exchange;
    } catch (error) {
      if (error instanceof BudgetSpent) throw notJudgedFor(error);
      if (!(error instanceof TransportError)) throw error;
      if (!mayFail) liveness.failed(request, error, options.regardlessOfLimit === true);
      return error;
    }
  }

  // A request that leaves the header open is repeated in the other header after a 401. The checks of
  // authentication.equivalent, which name the header, judge whether both are equivalent.
  async function ask(request: Request, signal?: AbortSignal): Promise<Exchange> {
    const varied = clients.next(request);
    const exchange = await askWithEitherHeader(varied, signal);
    return varied !== request && clients.isInDoubt(exchange)
      ? await askWithEitherHeader(request, signal)
      : exchange;
  }

  async function askWithEitherHeader(request: Request, signal?: AbortSignal): Promise<Exchange> {
    const rejected = keys.rejected(request.caller);
    if (rejected !== undefined) throw new NotJudged(rejected);
    const first = await sendWithRetries(request, signal);
    if (first.response.status === 401) await mustStillBeAccepted(request, signal);
    if (first.response.status !== 401 || request.keyHeader !== "either" || request.caller === "nobody")
      return first;
    const other = http.preferred() === keyHeaders.bearer ? keyHeaders.plain : keyHeaders.bearer;
    const second = await sendWithRetries({ ...request, keyHeader: other }, signal);
    return second.response.status === 401 ? first : second;
  }

  /** @throws NotJudged when a key that was accepted is rejected now, whatever the request is */
  async function mustStillBeAccepted({ caller, ...request }: Request, signal?: AbortSignal): Promise<void> {
    const headers = keys.doubted({ caller, ...request });
    if (caller === "nobody" || headers.length === 0) return;
    const lists = headers.map((keyHeader) => ({ ...retailers(), caller, keyHeader }));
    // A cache may keep the refusal of a request without a key, which the key then gets.
    for (const list of [...lists, ...lists.map(withUnusedParameter)]) {
      const { response } = await askApart(list, signal);
      if (response.status !== 401) return keys.confirm(caller);
    }
    const finding = keys.reject(caller);
    // Nearly all requests carry the primary key: without it the run cannot go on.
    if (caller === "primary") liveness.limited(finding);
    throw new NotJudged(finding);
  }

  async function staysOnConnection(
    refusal: Exchange,
    request: Request,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const isOfLimit = refusal.response.status === 429;
    const first = firstOfConnection(refusal, http.exchanges);
    if (first === undefined || (isOfLimit && !mayExceedLimit)) return false;
    const known = isOfLimit ? keptOnConnection?.apart : undefined;
    const apart = known ?? (await acceptedApart(refusal, request, signal));
    if (apart === undefined) return false;
    if (isOfLimit) keptOnConnection ??= { first, again: refusal, apart };
    http.responders.showConnection(refusal, apart);
    http.renewConnections();
    return true;
  }

  /** The response to a refused request on a connection of its own, if it is another one, twice; for the limit in turn with a refusal. */
  async function acceptedApart(refusal: Exchange, request: Request, signal?: AbortSignal) {
    const isOfLimit = refusal.response.status === 429;
    const send = isOfLimit ? () => sendAtOnce(request, signal, "apart") : () => askApart(request, signal);
    const isOther = ({ response: { status } }: Exchange) =>
      status !== refusal.response.status && status < 500;
    if (!isOther(await send())) return undefined;
    // A limit that has opened meanwhile accepts requests on each connection.
    if (isOfLimit && !(await isRefusedAgain(refusal, request, signal))) return undefined;
    const again = await send();
    return isOther(again) ? again : undefined;
  }

  /** Whether a request is refused again on the connection of its refusal; false if none of several reaches it. */
  async function isRefusedAgain({ response }: Exchange, request: Request, signal?: AbortSignal) {
    const sent = Array.from({ length: requestsToReachConnection }, (_, at) =>
      sendAtOnce(request, signal, at === 0 ? "kept" : "shared"),
    );
    const onSame = (await Promise.all(sent)).filter(
      (one) => one.response.connection?.number === response.connection?.number,
    );
    return onSame.length > 0 && onSame.every((one) => one.response.status === response.status);
  }

  /** Whether a cache gave a refusal: a header shows it, or only the same request with one unused parameter is accepted now. */
  async function isKept(
    refusal: Exchange,
    request: Request,
    signal?: AbortSignal,
  ): Promise<boolean | undefined> {
    if (request.method !== "GET") return false;
    if (http.responders.of(refusal)?.cache !== undefined) return true;
    if (!mayExceedLimit) return false;
    // The limit may have opened, or a connection keeps the refusal.
    if ((await sendAtOnce(request, signal, "apart")).response.status !== 429) return undefined;
    const control = await sendAtOnce(withUnusedParameter(request), signal, "apart");
    const { status } = control.response;
    if (status === 429 || status >= 500) return false;
    http.responders.showCache(refusal, control);
    return true;
  }

  /** Watches the refusals of one request for those that a cache gives again. The wait of the first is kept, whoever gave it. */
  function watchRefusals(request: Request, signal?: AbortSignal) {
    let first: Exchange | undefined;
    let repeated = 0;
    let isLimit = false;
    return {
      options: () => (kept === undefined ? {} : { isRefusalDoubted: true }),
      /** @throws NotJudged when a cache gave it */
      async note(again: Exchange): Promise<void> {
        if (first !== undefined && (await staysOnConnection(again, request, signal))) {
          http.forgetPace(request.caller);
          return;
        }
        if (kept !== undefined || (first !== undefined && !isLimit)) {
          const isOfCache = await isKept(again, request, signal);
          isLimit = isOfCache === false;
          // A cache may keep the refusal that it gets now, so this one says nothing of the next.
          if (isLimit && kept !== undefined) noteLimit(request, again);
          repeated = isOfCache === true ? repeated + 1 : 0;
        }
        if (repeated >= (kept === undefined ? refusalsThatShowCache : 1)) {
          if (kept === undefined) http.forgetPace(request.caller);
          kept ??= { first: first ?? again, again };
          throw new NotJudged({ code: "refusal-kept" }, { exchange: again });
        }
        first ??= again;
      },
    };
  }

  async function sendWithRetries(
    request: Request,
    signal?: AbortSignal,
    options: Pick<SendOptions, "line"> = {},
  ): Promise<Exchange> {
    const left: Record<keyof typeof attempts, number> = { ...attempts };
    const refusals = watchRefusals(request, signal);
    for (;;) {
      const result = await sendOnce(request, { signal, ...options, ...refusals.options() });
      const trouble = troubleWith(result);
      if (trouble === undefined) return result as Exchange;
      if (trouble === "refused") await refusals.note(result as Exchange);
      left[trouble]--;
      if (trouble === "unnamed") {
        const { response } = result as Exchange;
        if (left.unnamed <= 0) lasting.add(response.status);
        if (lasting.has(response.status)) return result as Exchange;
        http.holdBack(request.caller, unnamedMilliseconds);
        continue;
      }
      if (left[trouble] <= 0) {
        // A lasting 500 is a response like any other: the check decides what it means.
        if (trouble === "internal") return result as Exchange;
        throw notJudgedAfter(trouble, result, http.responders);
      }
      // The HTTP client waits after a 429, and after several the delay is ours, as it is after an upstream error.
      const tries = attempts[trouble] - left[trouble];
      if (trouble === "refused" && tries > waitsInVain)
        await clock.sleep(firstRetryMilliseconds * 2 ** (tries - waitsInVain), signal);
      if (trouble !== "refused") await clock.sleep(150 * 2 ** tries, signal);
    }
  }

  async function sendAtOnce(
    request: Request,
    signal?: AbortSignal,
    line?: ConnectionChoice,
  ): Promise<Exchange> {
    const result = await sendOnce(request, { regardlessOfLimit: true, signal, line });
    if (result instanceof TransportError) throw notJudgedAfter("transport", result, http.responders);
    return result;
  }

  async function tryOut(request: Request, signal?: AbortSignal): Promise<Exchange | TransportError> {
    const left = { ...attempts };
    const refusals = watchRefusals(request, signal);
    for (;;) {
      const result = await sendOnce(request, { signal, isHostile: true, ...refusals.options() }, true);
      const trouble = troubleWith(result);
      if (trouble !== "refused" && trouble !== "upstream") return result;
      if (trouble === "refused") await refusals.note(result as Exchange);
      left[trouble]--;
      if (left[trouble] <= 0) {
        if (trouble === "upstream") return result;
        throw notJudgedAfter(trouble, result, http.responders);
      }
      if (trouble === "upstream") await clock.sleep(75 * 2 ** (attempts.upstream - left.upstream), signal);
    }
  }

  async function settle(signal: AbortSignal): Promise<void> {
    const control = liveness.lastDoubt();
    if (control === undefined || signal.aborted) return;
    try {
      const { response } = await ask(control, signal);
      if (response.status >= 500) liveness.confirm();
    } catch (error) {
      if (error instanceof NotJudged) liveness.confirm();
      else if (!signal.aborted) throw error;
    }
  }

  async function contact(request: Request): Promise<Exchange> {
    let result = await sendAndWatch(request, {});
    await tryout;
    if (tryout !== undefined && liveness.gone() === undefined) result = await sendAndWatch(request, {});
    if (result instanceof TransportError) throw result;
    // Later, such a response violates service.json. At first it says that this is no service to judge.
    const { request: sent, response } = result;
    if (response.undecodable !== undefined)
      throw new TransportError("undecodable", http.redaction.redact(sent.url));
    return result;
  }

  const askApart = (request: Request, signal?: AbortSignal) =>
    sendWithRetries(request, signal, { line: "apart" });

  return {
    ask,
    askApart,
    staysOnConnection,
    sendAtOnce,
    tryOut,
    contact,
    settle,
    gone: liveness.gone,
    keptRefusal: () => kept ?? keptOnConnection,
  };
}

/**
 * The first of the last responses on a connection, if they follow others and have all the status of a refusal among them that is
 * not the first.
 */
function firstOfConnection(refusal: Exchange, exchanges: readonly Exchange[]): Exchange | undefined {
  const { status, connection } = refusal.response;
  if (connection?.number === undefined) return undefined;
  const own = exchanges.filter(({ response }) => response.connection?.number === connection.number);
  const before = own.findLastIndex(({ response }) => response.status !== status);
  const refusals = own.slice(before + 1);
  const isLater = refusals.findIndex(({ number }) => number === refusal.number) > 0;
  // Without a limit, few refusals or one request that is refused each time show nothing.
  const areOfSeveral = refusals.length >= refusalsOfConnection && new Set(refusals.map(requestName)).size > 1;
  return before >= 0 && isLater && (status === 429 || areOfSeveral) ? refusals[0] : undefined;
}

/** Whether the service accepts a request now, and so does not leave it to a cache. */
export async function isAcceptedPastCaches(
  send: (request: Request) => Promise<Pick<Exchange, "response">>,
): Promise<boolean> {
  if ((await send(retailers())).response.status >= 400) return false;
  // A service may reject the parameter.
  return (await send(withUnusedParameter(retailers()))).response.status <= 400;
}

/** What is not judged because a budget of the run is spent. */
export function notJudgedFor(spent: BudgetSpent): NotJudged {
  const { budget: expected, unit: subject } = spent;
  return new NotJudged({ code: "budget-spent", subject, expected }, { cause: spent });
}

function stillLimited(count: number): FindingOf<"still-rate-limited"> {
  return { code: "still-rate-limited", seen: { count, of: "attempts" } };
}

function troubleWith(result: Exchange | TransportError): keyof typeof attempts | undefined {
  if (result instanceof TransportError) return result.failure === "reset" ? "closed" : "transport";
  const { status, json } = result.response;
  if (status === 429) return "refused";
  if (status === 500) return "internal";
  // 408 says that a request did not arrive in time, and may be sent again (RFC 9110, 15.5.9).
  if ([408, 502, 503, 504].includes(status)) return "upstream";
  const isUnnamed = status >= 400 && errorCodeOf(status) === undefined && !isOutage(status);
  return isUnnamed && result.endpoint !== "other" && !isErrorShape(json) ? "unnamed" : undefined;
}

function notJudgedAfter(
  trouble: keyof typeof attempts,
  result: Exchange | TransportError,
  responders: HttpClient["responders"],
): NotJudged {
  if (result instanceof TransportError)
    return new NotJudged(
      { code: "no-answer", subject: result.failure, details: { url: result.url } },
      { cause: result },
    );
  if (trouble === "refused") return new NotJudged(stillLimited(attempts.refused));
  const from = responders.of(result);
  return new NotJudged({
    code: "upstream-failing",
    endpoint: result.endpoint,
    actual: result.response.status,
    seen: { count: attempts.upstream, of: "attempts" },
    ...given({ from }),
  });
}
